// Attention by a library: described once, run often.
#ifndef SHEAF_RUNTIME_CUDA_LIBRARY_ATTENTION_H
#define SHEAF_RUNTIME_CUDA_LIBRARY_ATTENTION_H

#include "runtime/abi/element_type.h"
#include "runtime/cuda/cudart.h"

#include <array>
#include <compare>
#include <memory>
#include <optional>

namespace sheaf::rt::cuda {

/// softmax(scale * q k^T) v, or its gradients, as `attention` and `attention_gradient` of runtime/abi/calls.h have
/// them: without a mask or a softcap. Strides are in elements, of batch, head, place and column, which is 1.
struct AttentionProblem {
  using Four = std::array<int64_t, 4>;
  struct Gradients {
    Four query, key, value;
    auto operator<=>(const Gradients &) const = default;
  };

  abi::ElementType type = abi::ElementType::f16; ///< of all tensors; sums are f32
  int64_t batch = 0, heads = 0, groups = 0, queries = 0, keys = 0, depth = 0, valueDepth = 0;
  Four query{}, key{}, value{}, result{};
  bool isCausal = false; ///< The last query sees the last key. No more queries than keys.
  double scale = 1;
  std::optional<Gradients>
      gradients; ///< wanted in place of the result, where `result` says how its gradient lies

  auto operator<=>(const AttentionProblem &) const = default;
};

/// Attention that is ready to run. Each run gives the same bits.
class LibraryAttention {
public:
  virtual ~LibraryAttention() = default;

  /// Puts it into the stream that it was bound for. `buffers` are those of the call: ins, then outs; `scratch` has
  /// `scratchBytes()` bytes.
  virtual Status run(void *const *buffers, std::byte *scratch) const = 0;

  virtual size_t scratchBytes() const = 0;
};

/// The attention of one stream.
class LibraryAttentions {
public:
  virtual ~LibraryAttentions() = default;

  /// Errors: the library is missing.
  static Result<std::unique_ptr<LibraryAttentions>> create(cudaStream_t queue);

  /// Null when the library has no way to compute it. What it chose for a problem is remembered.
  virtual Result<std::shared_ptr<const LibraryAttention>> bind(const AttentionProblem &problem) = 0;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_LIBRARY_ATTENTION_H
