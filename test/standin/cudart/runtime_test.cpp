// libcudart's functions: memory, copies, synchronization, and stream capture into graphs.
#include "test/standin/cudart/device_test.h"

namespace sheaf::standin {
namespace {

using testing::Each;
using testing::HasSubstr;

class Runtime : public DeviceTest {};

TEST_F(Runtime, deviceMemoryIsNotTheHosts) {
  float *memory = allocate(4);
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(*memory = 1, ""); // By a signal, or by a sanitizer that reports it.
}

TEST_F(Runtime, pageableMemoryIsReadBeforeTheCallReturns) {
  std::vector<float> values(100, 3);
  float *device = allocate(100);
  const uint64_t before = sheafStandinHostWaits();
  ASSERT_EQ(cudaMemcpyAsync(device, values.data(), 400, cudaMemcpyHostToDevice, first),
            cudaSuccess);
  EXPECT_EQ(sheafStandinHostWaits(), before + 1) << "it may wait, so it counts";
  values.assign(100, 4);
  ASSERT_EQ(cudaStreamSynchronize(first), cudaSuccess);
  EXPECT_THAT(download(device, 100), Each(3.0f));
}

TEST_F(Runtime, waitsOfTheHostAreCounted) {
  float *in = upload({1, 2, 3}), *out = allocate(3);
  void *pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 12), cudaSuccess);
  const uint64_t before = sheafStandinHostWaits();
  ASSERT_EQ(twice(in, out, 3, first), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(pinned, out, 12, cudaMemcpyDeviceToHost, first), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, first), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(second, event, 0), cudaSuccess);
  EXPECT_EQ(sheafStandinHostWaits(), before);
  while (cudaEventQuery(event) == cudaErrorNotReady)
    ;
  EXPECT_EQ(static_cast<float *>(pinned)[2], 6);
  EXPECT_EQ(sheafStandinHostWaits(), before) << "to ask is not to wait";
  ASSERT_EQ(cudaEventSynchronize(event), cudaSuccess);
  EXPECT_EQ(sheafStandinHostWaits(), before + 1);
  ASSERT_EQ(cudaFree(out), cudaSuccess);
  EXPECT_EQ(sheafStandinHostWaits(), before + 2) << "to free waits for the device";
}

TEST_F(Runtime, wrongArgumentsAreRefused) {
  float *device = allocate(4);
  EXPECT_EQ(cudaSetDevice(99), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaFree(device + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyAsync(device, device, 4, cudaMemcpyHostToDevice, first),
            cudaErrorInvalidMemcpyDirection);
  void *arguments[] = {nullptr, nullptr, nullptr};
  unsigned count = 4;
  arguments[0] = arguments[1] = &device, arguments[2] = &count;
  EXPECT_EQ(cudaLaunchKernel(twiceKernel, dim3(1), dim3(2048), arguments, 0, first),
            cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaLaunchKernel(twiceKernel, dim3(1), dim3(32), arguments, 64 * 1024, first),
            cudaErrorInvalidValue);
  ASSERT_EQ(
      cudaFuncSetAttribute(twiceKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024),
      cudaSuccess);
  ASSERT_EQ(cudaMemset(device, 0, 16), cudaSuccess);
  EXPECT_EQ(cudaLaunchKernel(twiceKernel, dim3(1), dim3(32), arguments, 64 * 1024, nullptr),
            cudaSuccess);
  cudaKernel_t kernel = nullptr;
  EXPECT_EQ(cudaLibraryGetKernel(&kernel, library, "thrice"), cudaErrorSymbolNotFound);
  cudaLibrary_t wrong = nullptr;
  EXPECT_EQ(cudaLibraryLoadData(&wrong, ".version 8.0 nonsense", nullptr, nullptr, 0, nullptr,
                                nullptr, 0),
            cudaErrorInvalidPtx);
}

TEST_F(Runtime, parametersOfKernelsAreTold) {
  size_t offset = 0, bytes = 0;
  ASSERT_EQ(cudaFuncGetParamInfo(twiceKernel, 0, &offset, &bytes), cudaSuccess);
  EXPECT_EQ(std::pair(offset, bytes), std::pair(size_t(0), size_t(8)));
  ASSERT_EQ(cudaFuncGetParamInfo(twiceKernel, 2, &offset, nullptr), cudaSuccess);
  EXPECT_EQ(offset, 16u);
  EXPECT_EQ(cudaFuncGetParamInfo(twiceKernel, 3, &offset, &bytes), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncGetParamInfo(nullptr, 0, &offset, &bytes), cudaErrorInvalidValue);
}

TEST_F(Runtime, theDefaultStreamOrdersBlockingStreamsOnly) {
  cudaStream_t blocking = nullptr;
  ASSERT_EQ(cudaStreamCreate(&blocking), cudaSuccess);
  float *in = upload({1, 2, 3}), *middle = allocate(3), *out = allocate(3);
  ASSERT_EQ(twice(in, middle, 3, blocking), cudaSuccess);
  ASSERT_EQ(twice(middle, out, 3, nullptr), cudaSuccess);
  ASSERT_EQ(twice(out, middle, 3, blocking), cudaSuccess);
  EXPECT_EQ(failure(), "");
  twice(middle, out, 3, first);
  twice(out, middle, 3, nullptr);
  EXPECT_NE(failure(), "");
}

class Capturing : public DeviceTest {
protected:
  float *in = nullptr, *middle = nullptr, *out = nullptr;
  cudaEvent_t joined = nullptr;
  void SetUp() override {
    DeviceTest::SetUp();
    in = upload(std::vector<float>(100, 1));
    middle = allocate(100);
    out = allocate(100);
    ASSERT_EQ(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming), cudaSuccess);
  }

  /// in -> middle on the first stream, middle -> out on the second, which joins the first again.
  cudaError_t capture(cudaGraph_t *graph, bool forks, bool joins) {
    EXPECT_EQ(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    if (!forks) {
      // The second stream begins before the kernel that it needs.
      EXPECT_EQ(cudaEventRecord(event, first), cudaSuccess);
      EXPECT_EQ(cudaStreamWaitEvent(second, event, 0), cudaSuccess);
    }
    EXPECT_EQ(twice(in, middle, 100, first), cudaSuccess);
    if (forks) {
      EXPECT_EQ(cudaEventRecord(event, first), cudaSuccess);
      EXPECT_EQ(cudaStreamWaitEvent(second, event, 0), cudaSuccess);
    }
    EXPECT_EQ(twice(middle, out, 100, second), cudaSuccess);
    if (joins) {
      EXPECT_EQ(cudaEventRecord(joined, second), cudaSuccess);
      EXPECT_EQ(cudaStreamWaitEvent(first, joined, 0), cudaSuccess);
    }
    return cudaStreamEndCapture(first, graph);
  }
};

TEST_F(Capturing, graphsRunAsOftenAsTheyAreLaunched) {
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(capture(&graph, true, true), cudaSuccess);
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  for (int i = 1; i <= 5; ++i) {
    ASSERT_EQ(cudaGraphLaunch(exec, first), cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(in, out, 400, cudaMemcpyDeviceToDevice, first), cudaSuccess);
  }
  ASSERT_EQ(cudaStreamSynchronize(first), cudaSuccess);
  EXPECT_THAT(download(in, 100), Each(1024.0f));
  EXPECT_EQ(failure(), "");
  ASSERT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
}

TEST_F(Capturing, aGraphOrdersNoMoreThanItsEdges) {
  ASSERT_EQ(twice(in, middle, 100, first), cudaSuccess); // so that it is written
  ASSERT_EQ(cudaStreamSynchronize(first), cudaSuccess);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(capture(&graph, false, true), cudaSuccess);
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  cudaGraphLaunch(exec, first); // may tell of its failure itself
  EXPECT_THAT(failure(), HasSubstr("nothing orders the two"));
}

TEST_F(Capturing, workThatIsNotJoinedIsRefused) {
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(capture(&graph, true, false), cudaErrorStreamCaptureUnjoined);
  // Afterwards both streams work as before.
  EXPECT_EQ(twice(in, middle, 100, second), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(second), cudaSuccess);
}

TEST_F(Capturing, theHostMustNotWaitMeanwhile) {
  ASSERT_EQ(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(first), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(twice(in, middle, 100, first), cudaErrorStreamCaptureInvalidated);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(first, &graph), cudaErrorStreamCaptureInvalidated);

  ASSERT_EQ(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  void *pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, 4), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(first, &graph), cudaErrorStreamCaptureInvalidated);

  ASSERT_EQ(cudaEventRecord(event, second), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(first, event, 0), cudaErrorStreamCaptureIsolation);
  EXPECT_EQ(cudaStreamEndCapture(first, &graph), cudaErrorStreamCaptureInvalidated);
}

} // namespace
} // namespace sheaf::standin
