// Collectives and messages among ranks that are threads, and what is found where ranks disagree.
#include "test/standin/cudart/control.h"
#include "test/standin/ptx/half.h"

#include <array>
#include <cuda_runtime_api.h>
#include <functional>
#include <gmock/gmock.h>
#include <nccl.h>
#include <thread>

namespace sheaf::standin {
namespace {

using testing::AnyOf;
using testing::ContainsRegex;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

/// One rank: its device, its stream and its communicator.
struct Rank {
  int index = 0;
  cudaStream_t stream = nullptr;
  ncclComm_t communicator = nullptr;

  template <typename T> T *upload(const std::vector<T> &values) {
    T *pointer = allocate<T>(values.size());
    EXPECT_EQ(cudaMemcpy(pointer, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
              cudaSuccess);
    return pointer;
  }
  template <typename T = float> T *allocate(size_t count) {
    void *pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&pointer, count * sizeof(T)), cudaSuccess);
    return static_cast<T *>(pointer);
  }
  template <typename T> std::vector<T> download(const T *pointer, size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(values.data(), pointer, count * sizeof(T), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return values;
  }
  std::string failure() {
    cudaStreamSynchronize(stream);
    return sheafStandinFailure(index);
  }
};

/// What a call has come to once it is no longer in progress.
ncclResult_t settle(ncclResult_t result, ncclComm_t communicator) {
  while (result == ncclInProgress)
    ncclCommGetAsyncError(communicator, &result);
  return result;
}

class Ranks : public testing::TestWithParam<bool> {
protected:
  /// Runs `body` as `count` ranks; the parameter says whether communicators block.
  void run(int count, const std::function<void(Rank &)> &body) {
    ncclUniqueId id;
    ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
    std::vector<std::thread> threads;
    for (int index = 0; index < count; ++index)
      threads.emplace_back([&, index] {
        Rank rank;
        rank.index = index;
        ASSERT_EQ(cudaSetDevice(index), cudaSuccess);
        ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
        ASSERT_EQ(cudaStreamCreateWithFlags(&rank.stream, cudaStreamNonBlocking), cudaSuccess);
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = GetParam();
        ncclResult_t result = ncclCommInitRankConfig(&rank.communicator, count, id, index, &config);
        ASSERT_EQ(settle(result, rank.communicator), ncclSuccess);
        body(rank);
        cudaDeviceReset();
        ncclCommDestroy(rank.communicator);
        cudaStreamDestroy(rank.stream);
      });
    for (std::thread &thread : threads)
      thread.join();
  }
};

INSTANTIATE_TEST_SUITE_P(communicators, Ranks, testing::Bool(),
                         [](const auto &info) { return info.param ? "block" : "poll"; });

TEST_P(Ranks, reduceGatherAndScatter) {
  run(3, [](Rank &rank) {
    const float mine = static_cast<float>(rank.index + 1);
    float *in = rank.upload(std::vector<float>{mine, 10 * mine, 100 * mine});
    float *sum = rank.allocate(3), *all = rank.allocate(9), *part = rank.allocate(1);
    ncclComm_t comm = rank.communicator;
    ASSERT_EQ(settle(ncclAllReduce(in, sum, 3, ncclFloat32, ncclSum, comm, rank.stream), comm),
              ncclSuccess);
    ASSERT_EQ(settle(ncclAllGather(in, all, 3, ncclFloat32, comm, rank.stream), comm), ncclSuccess);
    ASSERT_EQ(settle(ncclReduceScatter(in, part, 1, ncclFloat32, ncclMax, comm, rank.stream), comm),
              ncclSuccess);
    ASSERT_EQ(settle(ncclAllReduce(in, in, 3, ncclFloat32, ncclAvg, comm, rank.stream), comm),
              ncclSuccess);
    EXPECT_THAT(rank.download(sum, 3), ElementsAre(6, 60, 600));
    EXPECT_THAT(rank.download(all, 9), ElementsAre(1, 10, 100, 2, 20, 200, 3, 30, 300));
    EXPECT_THAT(rank.download(part, 1), ElementsAre(3 * std::pow(10.f, rank.index)));
    EXPECT_THAT(rank.download(in, 3), ElementsAre(2, 20, 200));
  });
}

TEST_P(Ranks, shortFloatsAndWholeNumbersReduce) {
  run(2, [](Rank &rank) {
    auto *in = rank.upload(std::vector<ptx::BFloat>(2, ptx::narrow<ptx::BFloat>(1.0 + rank.index)));
    auto *words = rank.upload(std::vector<int32_t>{rank.index - 5, 7});
    ncclComm_t comm = rank.communicator;
    ASSERT_EQ(settle(ncclAllReduce(in, in, 2, ncclBfloat16, ncclProd, comm, rank.stream), comm),
              ncclSuccess);
    ASSERT_EQ(settle(ncclAllReduce(words, words, 2, ncclInt32, ncclMin, comm, rank.stream), comm),
              ncclSuccess);
    EXPECT_EQ(rank.download(in, 2)[1].bits, ptx::narrow<ptx::BFloat>(2.0).bits);
    EXPECT_THAT(rank.download(words, 2), ElementsAre(-5, 7));
  });
}

TEST_P(Ranks, theLargestLosesNaNWhereverItIs) {
  run(2, [](Rank &rank) {
    std::vector<float> values = {1, 2};
    values[rank.index] = NAN;
    float *in = rank.upload(values);
    ncclComm_t comm = rank.communicator;
    ASSERT_EQ(settle(ncclAllReduce(in, in, 2, ncclFloat32, ncclMax, comm, rank.stream), comm),
              ncclSuccess);
    EXPECT_THAT(rank.download(in, 2), ElementsAre(1, 2));
  });
}

TEST_P(Ranks, messagesInGroupsGoBothWays) {
  run(4, [](Rank &rank) {
    const int next = (rank.index + 1) % 4, previous = (rank.index + 3) % 4;
    float *in = rank.upload(std::vector<float>(5, static_cast<float>(rank.index))),
          *out = rank.allocate(5);
    for (int round = 0; round < 3; ++round) {
      ASSERT_EQ(ncclGroupStart(), ncclSuccess);
      ASSERT_EQ(ncclSend(in, 5, ncclFloat32, next, rank.communicator, rank.stream), ncclSuccess);
      ASSERT_EQ(ncclRecv(out, 5, ncclFloat32, previous, rank.communicator, rank.stream),
                ncclSuccess);
      ASSERT_EQ(settle(ncclGroupEnd(), rank.communicator), ncclSuccess);
    }
    EXPECT_THAT(rank.download(out, 5), Each(static_cast<float>(previous)));
  });
}

TEST_P(Ranks, splitIntoRowsInTheOrderOfTheirKeys) {
  run(4, [](Rank &rank) {
    ncclComm_t row = nullptr, none = nullptr;
    ASSERT_EQ(
        settle(ncclCommSplit(rank.communicator, rank.index / 2, -rank.index, &row, nullptr), row),
        ncclSuccess);
    int size = 0, place = 0;
    ncclCommCount(row, &size);
    ncclCommUserRank(row, &place);
    EXPECT_EQ(size, 2);
    EXPECT_EQ(place, 1 - rank.index % 2) << "the greater key is the lesser rank";
    float *in = rank.upload(std::vector<float>{static_cast<float>(rank.index)}),
          *all = rank.allocate(2);
    ASSERT_EQ(settle(ncclAllGather(in, all, 1, ncclFloat32, row, rank.stream), row), ncclSuccess);
    const float last = static_cast<float>(rank.index / 2 * 2 + 1);
    EXPECT_THAT(rank.download(all, 2), ElementsAre(last, last - 1));
    const ncclResult_t result =
        ncclCommSplit(rank.communicator, rank.index ? NCCL_SPLIT_NOCOLOR : 7, 0, &none, nullptr);
    EXPECT_THAT(result, AnyOf(ncclSuccess, ncclInProgress));
    EXPECT_EQ(none == nullptr, rank.index != 0);
    ncclCommDestroy(row);
  });
}

TEST_P(Ranks, callsThatDifferAreNamed) {
  run(2, [](Rank &rank) {
    float *in = rank.upload(std::vector<float>(8, 1)), *out = rank.allocate(16);
    // One rank has swapped its collectives.
    auto reduce = [&] {
      return settle(ncclAllReduce(in, out, 8, ncclFloat32, ncclSum, rank.communicator, rank.stream),
                    rank.communicator);
    };
    auto gather = [&] {
      return settle(ncclAllGather(in, out, 8, ncclFloat32, rank.communicator, rank.stream),
                    rank.communicator);
    };
    rank.index == 0 ? reduce() : gather();
    rank.index == 0 ? gather() : reduce();
    EXPECT_THAT(
        rank.failure(),
        HasSubstr("rank 0 calls all_reduce of 8 f32, sum, rank 1 calls all_gather of 8 f32"));
    ncclResult_t error = ncclSuccess;
    ncclCommGetAsyncError(rank.communicator, &error);
    EXPECT_EQ(error, ncclInvalidUsage);
  });
}

TEST_P(Ranks, communicatorsThatAreSwappedDeadlock) {
  run(2, [](Rank &rank) {
    ncclComm_t other = nullptr;
    ASSERT_EQ(settle(ncclCommSplit(rank.communicator, 0, rank.index, &other, nullptr), other),
              ncclSuccess);
    float *in = rank.upload(std::vector<float>(8, 1));
    for (ncclComm_t comm : rank.index == 0 ? std::array{rank.communicator, other}
                                           : std::array{other, rank.communicator})
      settle(ncclAllReduce(in, in, 8, ncclFloat32, ncclSum, comm, rank.stream), comm);
    EXPECT_THAT(
        rank.failure(),
        ContainsRegex("deadlock: stream [0-9]+, operation 2 \\(all_reduce\\) of device [01] "
                      "waits for stream [0-9]+, operation 2 \\(all_reduce\\) of device "
                      "[01] waits for the first of these"));
    ncclCommDestroy(other);
  });
}

TEST_P(Ranks, sendsThatWaitForEachOtherDeadlock) {
  run(3, [](Rank &rank) {
    float *in = rank.upload(std::vector<float>(8, 1)), *out = rank.allocate(8);
    ncclComm_t comm = rank.communicator;
    settle(ncclSend(in, 8, ncclFloat32, (rank.index + 1) % 3, comm, rank.stream), comm);
    settle(ncclRecv(out, 8, ncclFloat32, (rank.index + 2) % 3, comm, rank.stream), comm);
    EXPECT_THAT(rank.failure(), HasSubstr("deadlock: "));
  });
}

TEST_P(Ranks, countsTypesAndReductionsThatDifferAreNamed) {
  run(2, [](Rank &rank) {
    float *in = rank.upload(std::vector<float>(8, 1));
    settle(ncclAllReduce(in, in, rank.index ? 7 : 8, ncclFloat32, ncclSum, rank.communicator,
                         rank.stream),
           rank.communicator);
    EXPECT_THAT(
        rank.failure(),
        HasSubstr("rank 0 calls all_reduce of 8 f32, sum, rank 1 calls all_reduce of 7 f32, sum"));
  });
  run(2, [](Rank &rank) {
    float *in = rank.upload(std::vector<float>(8, 1));
    ncclResult_t result = rank.index
                              ? ncclSend(in, 8, ncclFloat32, 0, rank.communicator, rank.stream)
                              : ncclRecv(in, 8, ncclInt32, 1, rank.communicator, rank.stream);
    settle(result, rank.communicator);
    EXPECT_THAT(
        rank.failure(),
        HasSubstr("the sender calls message of 8 f32, the receiver calls message of 8 i32"));
  });
}

TEST_P(Ranks, aBufferThatIsSentMustNotChangeMeanwhile) {
  run(2, [](Rank &rank) {
    float *in = rank.upload(std::vector<float>(8, 1)), *out = rank.allocate(8);
    cudaStream_t other = nullptr;
    ASSERT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
    settle(ncclAllReduce(in, out, 8, ncclFloat32, ncclSum, rank.communicator, rank.stream),
           rank.communicator);
    cudaMemsetAsync(in, 0, 4, other);
    cudaStreamSynchronize(other);
    EXPECT_THAT(rank.failure(), HasSubstr("nothing orders the two"));
  });
}

TEST_P(Ranks, abortEndsTheWaitForARankThatDoesNotCome) {
  run(2, [](Rank &rank) {
    if (rank.index == 1)
      return;
    float *in = rank.upload(std::vector<float>(8, 1));
    settle(ncclAllReduce(in, in, 8, ncclFloat32, ncclSum, rank.communicator, rank.stream),
           rank.communicator);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(cudaStreamQuery(rank.stream), cudaErrorNotReady);
    ncclComm_t aborted = std::exchange(rank.communicator, nullptr);
    ASSERT_EQ(ncclCommAbort(aborted), ncclSuccess);
    EXPECT_EQ(cudaStreamSynchronize(rank.stream), cudaSuccess);
    ncclUniqueId id;
    ncclGetUniqueId(&id);
    ASSERT_EQ(ncclCommInitRank(&rank.communicator, 1, id, 0),
              ncclSuccess); // for the end of the test
  });
}

TEST_P(Ranks, memoryIsRegisteredAsOneAllocationAndTakenBackBeforeItIsFreed) {
  run(1, [](Rank &rank) {
    auto *memory = rank.allocate(8);
    void *handle = nullptr, *other = nullptr;
    const uint64_t before = sheafStandinRegistrations();
    ASSERT_EQ(ncclCommRegister(rank.communicator, memory, 32, &handle), ncclSuccess);
    EXPECT_EQ(sheafStandinRegistrations(), before + 1);
    EXPECT_EQ(ncclCommDeregister(rank.communicator, memory), ncclInvalidArgument);
    ASSERT_EQ(ncclCommDeregister(rank.communicator, handle), ncclSuccess);
    EXPECT_EQ(ncclCommDeregister(rank.communicator, handle), ncclInvalidArgument);
    ASSERT_EQ(ncclCommRegister(rank.communicator, memory, 32, &handle), ncclSuccess);
    EXPECT_EQ(rank.failure(), "");
    cudaFree(memory);
    EXPECT_THAT(rank.failure(), HasSubstr("freed while it is registered with a communicator"));
    cudaDeviceReset();
    memory = rank.allocate(8);
    EXPECT_EQ(ncclCommRegister(rank.communicator, memory, 33, &other), ncclInvalidArgument);
    EXPECT_THAT(rank.failure(), HasSubstr("not within one allocation"));
  });
}

TEST_P(Ranks, memoryOfNcclIsTakenBackByNccl) {
  run(1, [](Rank &rank) {
    void *memory = nullptr, *handle = nullptr;
    ASSERT_EQ(ncclMemAlloc(&memory, 32), ncclSuccess);
    EXPECT_EQ(cudaFree(memory), cudaErrorInvalidValue);
    EXPECT_EQ(ncclMemFree(rank.allocate(8)), ncclInvalidArgument);
    ASSERT_EQ(ncclCommRegister(rank.communicator, memory, 32, &handle), ncclSuccess);
    EXPECT_EQ(rank.failure(), "");
    EXPECT_EQ(ncclMemFree(memory), ncclUnhandledCudaError);
    EXPECT_THAT(rank.failure(), HasSubstr("freed while it is registered with a communicator"));
    EXPECT_EQ(ncclMemFree(memory), ncclInvalidArgument);
    cudaDeviceReset();
  });
}

TEST(Communicators, ofTwoRanksOnOneDeviceAreRefused) {
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  ncclComm_t both[2];
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  for (int rank : {0, 1})
    ASSERT_EQ(ncclCommInitRank(&both[rank], 2, id, rank), ncclSuccess);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
  for (ncclComm_t communicator : both)
    ncclCommDestroy(communicator);
}

TEST(Communicators, thatPollRefuseCallsWhileInProgress) {
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t lonely = nullptr;
  ASSERT_EQ(ncclCommInitRankConfig(&lonely, 2, id, 0, &config), ncclInProgress);
  EXPECT_EQ(ncclAllReduce(nullptr, nullptr, 1, ncclFloat32, ncclSum, lonely, nullptr),
            ncclInvalidUsage);
  ncclResult_t error = ncclSuccess;
  ASSERT_EQ(ncclCommGetAsyncError(lonely, &error), ncclSuccess);
  EXPECT_EQ(error, ncclInProgress);
  EXPECT_EQ(ncclCommAbort(lonely), ncclSuccess);
}

} // namespace
} // namespace sheaf::standin
