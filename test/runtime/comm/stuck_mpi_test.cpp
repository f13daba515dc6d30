// A call of MPI that never returns ends the process and says what it was for. Under MPI, mpi.test runs this alone: no
// process survives it.
#include "test/runtime/comm/group_checks.h"

#define OMPI_SKIP_MPICXX // MPI's C interface only.
#include <mpi.h>

#include <atomic>
#include <unistd.h>

/// True: MPI keeps who calls it, as where a rank that shares memory was stopped in the middle of a write.
static std::atomic<bool> isMpiStuck = false;

/// Takes the place of MPI's function, which has a second name for such purposes.
extern "C" int MPI_Testsome(int count, MPI_Request *requests, int *numDone, int *done,
                            MPI_Status *statuses) {
  while (isMpiStuck)
    pause();
  return PMPI_Testsome(count, requests, numDone, done, statuses);
}

namespace sheaf::rt::test {
namespace {

TEST(StuckMpi, IsTold) {
  Ranks::instance().run(Ranks::instance().sizes().back(), /*timeoutMs=*/500,
                        [](Communicator &communicator) {
                          auto group = groupOfAll(communicator);
                          checkAllGather(*group, 1);
                          isMpiStuck = true;
                          float value = 1;
                          Status status = group->allReduce({"all_reduce", "x"}, &value, &value, 1,
                                                           abi::ElementType::f32, CombineKind::sum);
                          EXPECT_TRUE(status.isOk()); // Threads don't need MPI.
                        });
}

} // namespace
} // namespace sheaf::rt::test
