// What tests of the stand-ins start from: streams of a device, device memory, and a few kernels.
#ifndef SHEAF_TEST_STANDIN_CUDART_DEVICE_TEST_H
#define SHEAF_TEST_STANDIN_CUDART_DEVICE_TEST_H

#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <vector>

#include "test/standin/cudart/control.h"

namespace sheaf::standin {

/// twice(in, out, n): out[i] = 2 * in[i]. stray(p): writes to an address of nothing.
inline constexpr const char *kernelsText = R"(
.version 8.6
.target sm_90
.address_size 64
.visible .entry twice(.param .u64 in, .param .u64 out, .param .u32 n) {
  .reg .b32 %r<5>; .reg .b64 %rd<5>; .reg .f32 %f<3>; .reg .pred %p;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;
  ld.param.u32 %r4, [n]; setp.ge.u32 %p, %r1, %r4; @%p ret;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
  mad.wide.u32 %rd1, %r1, 4, %rd1; mad.wide.u32 %rd2, %r1, 4, %rd2;
  ld.global.f32 %f1, [%rd1]; add.f32 %f2, %f1, %f1; st.global.f32 [%rd2], %f2; ret;
}
.visible .entry stray(.param .u64 p) {
  .reg .b64 %rd; .reg .b32 %r;
  ld.param.u64 %rd, [p]; st.global.u32 [%rd+1048576], %r; ret;
}
)";

class DeviceTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
    ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
    ASSERT_EQ(cudaLibraryLoadData(&library, kernelsText, nullptr, nullptr, 0, nullptr, nullptr, 0),
              cudaSuccess);
    ASSERT_EQ(cudaLibraryGetKernel(&twiceKernel, library, "twice"), cudaSuccess);
    for (cudaStream_t *stream : {&first, &second})
      ASSERT_EQ(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  }
  void TearDown() override {
    cudaDeviceReset();
    for (cudaStream_t stream : {first, second})
      cudaStreamDestroy(stream);
    cudaEventDestroy(event);
    cudaLibraryUnload(library);
  }

  float *allocate(size_t count) {
    void *pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&pointer, count * sizeof(float)), cudaSuccess);
    return static_cast<float *>(pointer);
  }
  float *upload(const std::vector<float> &values) {
    float *pointer = allocate(values.size());
    EXPECT_EQ(
        cudaMemcpy(pointer, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice),
        cudaSuccess);
    return pointer;
  }
  std::vector<float> download(const float *pointer, size_t count) {
    std::vector<float> values(count);
    EXPECT_EQ(cudaMemcpy(values.data(), pointer, count * sizeof(float), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return values;
  }
  cudaError_t twice(const float *in, float *out, unsigned count, cudaStream_t stream) {
    void *arguments[] = {&in, &out, &count};
    return cudaLaunchKernel(twiceKernel, dim3((count + 63) / 64), dim3(64), arguments, 0, stream);
  }
  /// What went wrong on the device once all has ended.
  std::string failure() {
    cudaDeviceSynchronize();
    return sheafStandinFailure(0);
  }

  cudaLibrary_t library = nullptr;
  cudaKernel_t twiceKernel = nullptr;
  cudaStream_t first = nullptr, second = nullptr;
  cudaEvent_t event = nullptr;
};

} // namespace sheaf::standin

#endif
