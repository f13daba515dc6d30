// Work that ends in time goes on; work that does not ends the process. mpi.test leaves out what takes child processes.
#include "runtime/comm/deadline.h"

#include <chrono>
#include <gtest/gtest.h>
#include <unistd.h>

namespace sheaf::rt::comm {
namespace {

TEST(DeadlineDeath, EndsAProcessThatIsStuck) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto beStuck = [] {
    Deadline deadline(/*timeoutMs=*/50, /*exitCode=*/4, "it took too long");
    sleep(60);
  };
  EXPECT_EXIT(beStuck(), testing::ExitedWithCode(4), "error: it took too long");
}

TEST(DeadlineDeath, LeavesWorkThatEndsInTimeAlone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto work = [] {
    auto start = std::chrono::steady_clock::now();
    {
      Deadline deadline(/*timeoutMs=*/600'000, /*exitCode=*/4, "it took too long");
    }
    {
      Deadline deadline(/*timeoutMs=*/0, /*exitCode=*/4, "never");
    }
    // Nor is the end of the deadline waited for.
    _exit(std::chrono::steady_clock::now() - start < std::chrono::minutes(5) ? 0 : 1);
  };
  EXPECT_EXIT(work(), testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace sheaf::rt::comm
