// A oneDNN primitive as a step.
#ifndef SHEAF_RUNTIME_HOST_ONEDNN_PRIMITIVE_STEP_H
#define SHEAF_RUNTIME_HOST_ONEDNN_PRIMITIVE_STEP_H

#include "runtime/core/device.h"

#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

namespace sheaf::rt::host::onednn {

/// Runs a primitive whose arguments are an instruction's buffers.
class PrimitiveStep final : public Step {
public:
  /// Argument `argument` (DNNL_ARG_...) is buffer `buffer` of the instruction, or scratch memory.
  struct Binding {
    int argument;
    dnnl::memory::desc desc;
    size_t buffer;
    int64_t offsetBytes = 0;
  };

  /// `scratchpad` is the primitive's own (user mode), of size 0 when it has none. A primitive runs with the number of
  /// threads that it was built for, so `isForOneThread` must be what it was built under.
  PrimitiveStep(dnnl::primitive primitive, std::vector<Binding> bindings,
                const dnnl::memory::desc &scratchpad, bool isForOneThread = false);

  Status run(void *const *buffers, std::byte *scratch) override;
  size_t scratchBytes() const override { return scratchpadBytes; }

private:
  dnnl::primitive primitive;
  dnnl::stream stream;
  std::vector<dnnl::memory> memories; ///< those of `bindings`, then the scratchpad
  std::vector<Binding> bindings;
  std::vector<dnnl_exec_arg_t> arguments;
  size_t scratchpadBytes;
  bool isForOneThread;
};

/// Attributes with a scratchpad of the caller's.
inline dnnl::primitive_attr userScratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

} // namespace sheaf::rt::host::onednn

#endif // SHEAF_RUNTIME_HOST_ONEDNN_PRIMITIVE_STEP_H
