// libcudart: devices, versions and errors.
#include <cstdlib>
#include <cstring>

#include "test/standin/cudart/state.h"

using namespace sheaf::standin;
using namespace sheaf::standin::cudart;

/// 90 for 9.0. What holds cubins of this very chip must be told of another: only PTX runs here.
static int computeCapability() {
  static const int capability = [] {
    const char *text = std::getenv("SHEAF_STANDIN_CAPABILITY");
    return text && *text ? std::atoi(text) : 90;
  }();
  return capability;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version) { return cudaRuntimeGetVersion(version); }

cudaError_t cudaGetDeviceCount(int *count) {
  *count = Engine::get().numDevices();
  return *count ? cudaSuccess : lastError() = cudaErrorNoDevice;
}

cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= Engine::get().numDevices())
    return lastError() = cudaErrorInvalidDevice;
  currentDevice() = device;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
  *device = currentDevice();
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
  if (device < 0 || device >= Engine::get().numDevices())
    return lastError() = cudaErrorInvalidDevice;
  static const std::map<cudaDeviceAttr, int> values = {
      {cudaDevAttrComputeCapabilityMajor, computeCapability() / 10},
      {cudaDevAttrComputeCapabilityMinor, computeCapability() % 10},
      {cudaDevAttrMultiProcessorCount, 4},
      {cudaDevAttrWarpSize, 32},
      {cudaDevAttrMaxThreadsPerBlock, 1024},
      {cudaDevAttrMaxSharedMemoryPerBlock, 48 * 1024},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, 227 * 1024},
      {cudaDevAttrUnifiedAddressing, 1},
      {cudaDevAttrMemoryPoolsSupported, 1},
      {cudaDevAttrL2CacheSize, 1 << 20},
  };
  auto found = values.find(attribute);
  if (found == values.end())
    return lastError() = cudaErrorNotSupported;
  *value = found->second;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
  if (device < 0 || device >= Engine::get().numDevices())
    return lastError() = cudaErrorInvalidDevice;
  *properties = {};
  std::strcpy(properties->name, "stand-in for a GPU");
  properties->major = computeCapability() / 10;
  properties->minor = computeCapability() % 10;
  properties->multiProcessorCount = 4;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = 1024;
  properties->sharedMemPerBlock = 48 * 1024;
  properties->sharedMemPerBlockOptin = 227 * 1024;
  properties->unifiedAddressing = 1;
  properties->totalGlobalMem = size_t(16) << 30;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  return call([] {
    if (breaksCapture())
      return cudaErrorStreamCaptureUnsupported;
    Engine::get().waitForDevice(currentDevice());
    return cudaSuccess;
  });
}

/// Forgets the failure of the device, as a new context does.
cudaError_t cudaDeviceReset() {
  Engine::get().reset(currentDevice());
  lastError() = cudaSuccess;
  return cudaSuccess;
}

cudaError_t cudaGetLastError() {
  Engine &engine = Engine::get();
  const cudaError_t error = lastError();
  const bool isSticky =
      currentDevice() < engine.numDevices() && !engine.failureOf(currentDevice()).empty();
  lastError() = isSticky ? cudaErrorIllegalAddress : cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() { return lastError(); }

struct ErrorText {
  cudaError_t error;
  const char *name;
  const char *text;
};
static constexpr ErrorText errorTexts[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidKernelImage, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
    {cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice",
     "no kernel image is available for execution on the device"},
    {cudaErrorInvalidPtx, "cudaErrorInvalidPtx", "a PTX JIT compilation failed"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorSymbolNotFound, "cudaErrorSymbolNotFound", "named symbol not found"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched",
     "capture was not ended in the same stream as it began"},
    {cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined",
     "capturing stream has unjoined work"},
    {cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {cudaErrorIllegalState, "cudaErrorIllegalState",
     "the operation cannot be performed in the present state"},
};

const char *cudaGetErrorName(cudaError_t error) {
  for (const ErrorText &known : errorTexts)
    if (known.error == error)
      return known.name;
  return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
  for (const ErrorText &known : errorTexts)
    if (known.error == error)
      return known.text;
  return "unrecognized error code";
}
