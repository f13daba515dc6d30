// Planted faults among streams are each found, whatever order the streams happen to run in.
#include "test/standin/cudart/device_test.h"

namespace sheaf::standin {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::Each;
using testing::HasSubstr;

class Races : public DeviceTest {
protected:
  float *in = nullptr, *middle = nullptr, *out = nullptr;
  void SetUp() override {
    DeviceTest::SetUp();
    in = upload(std::vector<float>(100, 1.5f));
    middle = allocate(100);
    out = allocate(100);
  }
};

TEST_F(Races, noneWhereEventsOrderTheStreams) {
  ASSERT_EQ(twice(in, middle, 100, first), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, first), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(second, event, 0), cudaSuccess);
  ASSERT_EQ(twice(middle, out, 100, second), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(second), cudaSuccess);
  EXPECT_THAT(download(out, 100), Each(6.0f));
  EXPECT_EQ(failure(), "");
}

TEST_F(Races, aDroppedEventIsFound) {
  ASSERT_EQ(twice(in, middle, 100, second), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  ASSERT_EQ(twice(in, middle, 100, first), cudaSuccess);
  twice(middle, out, 100, second);
  const std::string found = failure();
  // The one that happens to run last is named first.
  EXPECT_THAT(found, ContainsRegex(
                         "stream [0-9]+, operation [0-9]+ \\(kernel twice\\) (reads|writes) 400 "
                         "bytes of allocation [0-9]+ \\(device 0, 400 bytes\\) \\+ 0, which stream "
                         "[0-9]+, operation [0-9]+ \\(kernel twice\\) (reads|writes), and nothing "
                         "orders the two"));
}

TEST_F(Races, anEventRecordedTooEarlyIsFound) {
  ASSERT_EQ(twice(in, middle, 100, first), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, first), cudaSuccess);
  ASSERT_EQ(twice(in, middle, 50, first), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(second, event, 0), cudaSuccess);
  twice(middle, out, 100, second);
  EXPECT_THAT(failure(), HasSubstr("200 bytes"));
}

TEST_F(Races, aWaitOfTheWrongStreamIsFound) {
  ASSERT_EQ(twice(in, middle, 100, first), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, second), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(second, event, 0), cudaSuccess);
  twice(middle, out, 100, second);
  EXPECT_NE(failure(), "");
}

TEST_F(Races, bytesReusedWhileTheyAreReadAreFound) {
  ASSERT_EQ(twice(in, out, 100, first), cudaSuccess);
  cudaMemsetAsync(in + 10, 0, 8, second);
  EXPECT_THAT(failure(), AllOf(HasSubstr("8 bytes of"), HasSubstr("+ 40, which"),
                               HasSubstr("nothing orders the two")));
}

TEST_F(Races, neighbouringBytesAreNoRace) {
  ASSERT_EQ(cudaMemsetAsync(out, 0, 7, first), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(reinterpret_cast<char *>(out) + 7, 0, 9, second), cudaSuccess);
  EXPECT_EQ(failure(), "");
}

TEST_F(Races, hostSynchronizationOrders) {
  ASSERT_EQ(twice(in, middle, 100, first), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(first), cudaSuccess);
  ASSERT_EQ(twice(middle, out, 100, second), cudaSuccess);
  EXPECT_EQ(failure(), "");
}

TEST_F(Races, copiesOfPinnedMemoryAreWatchedToo) {
  void *pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 400), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(pinned, in, 400, cudaMemcpyDeviceToHost, first), cudaSuccess);
  cudaMemcpyAsync(out, pinned, 400, cudaMemcpyHostToDevice, second);
  EXPECT_THAT(failure(), HasSubstr("(pinned host memory, 400 bytes)"));
}

TEST_F(Races, memoryThatNobodyWroteIsFound) {
  twice(middle, out, 100, first);
  EXPECT_THAT(failure(), AllOf(HasSubstr("reads 400 bytes of allocation"),
                               HasSubstr("which nothing has written")));
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
}

TEST_F(Races, useAfterFreeIsFound) {
  ASSERT_EQ(cudaFree(in), cudaSuccess);
  twice(in, out, 100, first);
  EXPECT_THAT(failure(), AllOf(HasSubstr("which is in no allocation"), HasSubstr("+ 0 was freed")));
}

TEST_F(Races, aStreamOrderedFreeNeedsOrder) {
  ASSERT_EQ(twice(in, middle, 100, first), cudaSuccess);
  cudaFreeAsync(in, second);
  EXPECT_NE(failure(), "");
}

TEST_F(Races, failuresStay) {
  cudaKernel_t stray = nullptr;
  ASSERT_EQ(cudaLibraryGetKernel(&stray, library, "stray"), cudaSuccess);
  void *arguments[] = {&in};
  cudaLaunchKernel(stray, dim3(1), dim3(1), arguments, 0, first); // may tell of its failure itself
  EXPECT_EQ(cudaStreamSynchronize(first), cudaErrorIllegalAddress);
  EXPECT_THAT(failure(),
              HasSubstr("(kernel stray) ends in kernel \"stray\", line 15: thread (0,0,0) of block "
                        "(0,0,0) writes 4 bytes at 0x"));
  EXPECT_EQ(twice(in, middle, 100, second), cudaErrorIllegalAddress);
  EXPECT_STREQ(cudaGetErrorName(cudaGetLastError()), "cudaErrorIllegalAddress");
  void *pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, 4), cudaErrorIllegalAddress);
  // Another device is not concerned.
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&pointer, 4), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
}

} // namespace
} // namespace sheaf::standin
