// Steps whose kernels may find an index out of range.
#ifndef SHEAF_RUNTIME_CUDA_INDEX_STEP_H
#define SHEAF_RUNTIME_CUDA_INDEX_STEP_H

#include "runtime/cuda/kernels/parameters.h"
#include "runtime/cuda/registry.h"

namespace sheaf::rt::cuda {

/// A step that calls `body(buffers, scratch)`, which returns a Status. When its run is done it fails if its kernel has
/// noted something at `fault`, which is CudaDevice::makeFault's.
template <typename Body>
std::unique_ptr<Step> makeIndexStep(Body body, IndexFault *fault, size_t scratchBytes = 0) {
  struct IndexStep final : Step {
    IndexStep(Body body, IndexFault *fault, size_t bytes)
        : body(std::move(body)), fault(fault), bytes(bytes) {}
    Status run(void *const *buffers, std::byte *scratch) override { return body(buffers, scratch); }
    size_t scratchBytes() const override { return bytes; }
    Status finish() override {
      if (!fault->isSet)
        return {};
      fault->isSet = 0;
      return Status::failed("index ", fault->index, " is out of range for an extent of ",
                            fault->bound);
    }
    Body body;
    IndexFault *fault;
    size_t bytes;
  };
  return std::make_unique<IndexStep>(std::move(body), fault, scratchBytes);
}

/// The type of indices. Errors: it is none of theirs.
inline Result<IntegerType> indexType(const BufferShape &indices) {
  if (indices.type == abi::ElementType::i32)
    return IntegerType{4, true};
  if (indices.type == abi::ElementType::i64)
    return IntegerType{8, true};
  return Status::invalid("indices must be i32 or i64, not ", abi::nameOf(indices.type));
}

/// How a kernel reads indices, and where it notes one that is out of range.
struct IndexReader {
  IntegerType type;
  IndexFault *fault;

  /// Errors: `indices` are none.
  static Result<IndexReader> make(CudaCallSite &site, const BufferShape &indices) {
    Result<IntegerType> type = indexType(indices);
    if (!type.isOk())
      return type.takeStatus();
    Result<IndexFault *> fault = site.device.makeFault();
    if (!fault.isOk())
      return fault.takeStatus();
    return IndexReader{*type, *fault};
  }
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_INDEX_STEP_H
