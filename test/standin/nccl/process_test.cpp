// Ranks that are processes of their own meet and exchange through files.
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <filesystem>
#include <gmock/gmock.h>
#include <nccl.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <vector>

extern char **environ; // NOLINT(readability-redundant-declaration)

namespace sheaf::standin {
namespace {

constexpr int numProcesses = 3;

/// One rank; run by the test below in a process of its own.
void beRank(int rank) {
  ncclUniqueId id = {};
  std::snprintf(id.internal, sizeof id.internal, "%s", std::getenv("STANDIN_TEST_ID"));
  ASSERT_EQ(cudaSetDevice(rank), cudaSuccess);
  ncclComm_t communicator = nullptr;
  ASSERT_EQ(ncclCommInitRank(&communicator, numProcesses, id, rank), ncclSuccess);
  void *values = nullptr;
  ASSERT_EQ(cudaMalloc(&values, 40), cudaSuccess);
  std::vector<float> host(10, static_cast<float>(rank));
  for (int round = 0; round < 5; ++round) {
    ASSERT_EQ(cudaMemcpy(values, host.data(), 40, cudaMemcpyHostToDevice), cudaSuccess);
    ASSERT_EQ(ncclAllReduce(values, values, 10, ncclFloat32, ncclSum, communicator, nullptr),
              ncclSuccess);
    ASSERT_EQ(cudaMemcpy(host.data(), values, 40, cudaMemcpyDeviceToHost), cudaSuccess);
  }
  // 0 + 1 + 2, then three times as much in each further round.
  EXPECT_THAT(host, testing::Each(3.0f * 81));
  ncclComm_t half = nullptr;
  ASSERT_EQ(ncclCommSplit(communicator, rank / 2, rank, &half, nullptr), ncclSuccess);
  ASSERT_EQ(ncclAllReduce(values, values, 10, ncclFloat32, ncclSum, half, nullptr), ncclSuccess);
  ASSERT_EQ(cudaMemcpy(host.data(), values, 40, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_THAT(host, testing::Each(3.0f * 81 * (rank == 2 ? 1 : 2)));
  ncclCommDestroy(half);
  ncclCommDestroy(communicator);
}

TEST(Processes, exchangeThroughFiles) {
  if (const char *rank = std::getenv("STANDIN_TEST_RANK"))
    return beRank(std::atoi(rank));
  ncclUniqueId id;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  setenv("STANDIN_TEST_ID", id.internal, 1);
  // The children run this test only, whatever part of the tests this process runs.
  for (const char *variable : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_OUTPUT"})
    unsetenv(variable);
  std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  std::string filter = "--gtest_filter=Processes.exchangeThroughFiles";
  std::vector<pid_t> children(numProcesses);
  for (int rank = 0; rank < numProcesses; ++rank) {
    setenv("STANDIN_TEST_RANK", std::to_string(rank).c_str(), 1);
    char *arguments[] = {self.data(), filter.data(), nullptr};
    ASSERT_EQ(posix_spawn(&children[rank], self.c_str(), nullptr, nullptr, arguments, environ), 0);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::temp_directory_path() / id.internal))
      << "letters are left behind";
}

} // namespace
} // namespace sheaf::standin
