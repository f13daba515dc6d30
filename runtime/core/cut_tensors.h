// The tensors of a collective that gathers or scatters a dim of each: their blocks, and room to put these in a row.
#ifndef SHEAF_RUNTIME_CORE_CUT_TENSORS_H
#define SHEAF_RUNTIME_CORE_CUT_TENSORS_H

#include "runtime/core/block_layout.h"
#include "runtime/core/collective.h"

#include <functional>

namespace sheaf::rt {

/// A tensor and the list of its blocks. Communicators want the list; often it is the memory of the tensor, else it is
/// made in scratch.
struct CutTensor {
  BlockLayout blocks;
  size_t blockCount; ///< elements
  size_t scratchOffset;

  std::byte *list(void *tensor, std::byte *scratch) const {
    return blocks.isTensor ? static_cast<std::byte *>(tensor) : scratch + scratchOffset;
  }
};

/// All of a call.
class CutTensors {
public:
  /// The part of a dim of `extent` elements that each rank has, with room for `block` elements.
  using ShardsOf = std::function<Result<std::vector<abi::Shard>>(int64_t extent, int64_t block)>;

  /// Reads the parameter "dims" of a call: along its dim each of `wholes` is cut into blocks like that in the same
  /// place of `blocks`. Errors: name the tensor where there are several.
  static Result<CutTensors> read(CallSite &site, const std::vector<Operand> &wholes,
                                 const std::vector<Operand> &blocks, const ShardsOf &shardsOf);

  /// One block of each tensor.
  int64_t blockBytes() const { return bytesOfBlocks; }
  /// Of the lists that are no tensors.
  size_t scratchBytes() const { return bytesOfScratch; }

  size_t size() const { return tensors.size(); }
  const CutTensor &operator[](size_t index) const { return tensors[index]; }
  auto begin() const { return tensors.begin(); }
  auto end() const { return tensors.end(); }

private:
  Status add(const BufferShape &whole, const BufferShape &block, int64_t dim,
             const ShardsOf &shardsOf);

  std::vector<CutTensor> tensors;
  int64_t bytesOfBlocks = 0;
  size_t bytesOfScratch = 0;
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_CUT_TENSORS_H
