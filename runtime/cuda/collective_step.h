// Steps that put collectives into streams.
#ifndef SHEAF_RUNTIME_CUDA_COLLECTIVE_STEP_H
#define SHEAF_RUNTIME_CUDA_COLLECTIVE_STEP_H

#include "runtime/core/collective.h"
#include "runtime/cuda/registry.h"

namespace sheaf::rt::cuda {

/// A step that calls `body(collective, buffers, scratch)`, which returns a Status, and counts what the collective moves
/// each time the GPU does it.
template <typename Body>
std::unique_ptr<Step> makeCollectiveStep(CudaCallSite &site, const Collective &collective,
                                         Body body, size_t scratchBytes = 0) {
  struct CollectiveStep final : Step {
    CollectiveStep(CudaDevice &device, const Collective &collective, Body body, size_t bytes)
        : device(device), collective(collective), body(std::move(body)), bytes(bytes) {}
    Status run(void *const *buffers, std::byte *scratch) override {
      Status status = body(collective, buffers, scratch);
      if (status.isOk() && !device.isCapturing)
        countRepeat();
      return status;
    }
    size_t scratchBytes() const override { return bytes; }
    void countRepeat() override {
      if (!collective.isAlone())
        collective.count();
    }
    CudaDevice &device;
    Collective collective;
    Body body;
    size_t bytes;
  };
  return std::make_unique<CollectiveStep>(site.device, collective, std::move(body), scratchBytes);
}

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_COLLECTIVE_STEP_H
