// What an op may use to build itself on the parts of tensors that one rank holds.
#ifndef SHEAF_DIALECTS_INTERFACES_LOCAL_SHARDS_H
#define SHEAF_DIALECTS_INTERFACES_LOCAL_SHARDS_H

#include "mlir/IR/Builders.h"

namespace sheaf {

/// The local shards of one op: its operands as a rank holds them and its results as the rank shall
/// make them. A dim that is cut gives each rank a block of the same size (`runtime/abi/shard.h`).
/// Where the parts of an uneven cut hold fewer elements, or none, the block ends with padding: of no
/// defined value in operands, of any value in results.
///
/// The factors of the op's rule are cut the same way in all tensors. A dim that holds factors that
/// are needed whole is cut along the others only, and a result is partial over what cuts reductions.
class LocalShards {
public:
  virtual ~LocalShards() = default;

  /// Where the local op is built.
  virtual mlir::OpBuilder &builder() = 0;
  /// The local operands; their types are blocks.
  virtual mlir::ValueRange operands() = 0;
  /// The types of the local results, blocks.
  virtual mlir::TypeRange resultTypes() = 0;

  /// Into how many parts a dim is cut: 1 when it is whole.
  virtual int64_t numParts(unsigned operand, unsigned dim) = 0;
  virtual int64_t numResultParts(unsigned result, unsigned dim) = 0;
  /// Whether some ranks hold padding along a dim.
  virtual bool isUneven(unsigned operand, unsigned dim) = 0;
  virtual bool isResultUneven(unsigned result, unsigned dim) = 0;

  /// The place in the whole tensor of this rank's first element along a dim: an i64 tensor of rank 0.
  /// A part that holds nothing has some place past 0 up to the extent, but 0 when there are no elements.
  virtual mlir::Value operandBegin(unsigned operand, unsigned dim) = 0;
  virtual mlir::Value resultBegin(unsigned result, unsigned dim) = 0;
  /// How many elements of the whole tensor this rank's block holds along a dim, the rest is padding:
  /// an i64 tensor of rank 0.
  virtual mlir::Value operandExtent(unsigned operand, unsigned dim) = 0;
  virtual mlir::Value resultExtent(unsigned result, unsigned dim) = 0;

  /// The local operand with all padding along `dims` set to `value`; an infinity is the highest or
  /// lowest value of an element type that has none. The operand itself when there is no padding.
  virtual mlir::Value operandMasked(unsigned operand, llvm::ArrayRef<int64_t> dims,
                                    double value) = 0;

  /// Whether a dim that the op reads through a window is cut.
  virtual bool isWindowed(unsigned operand, unsigned dim) = 0;
  /// `block`, made of the local operand, with each windowed dim replaced by what this rank's places
  /// need of the whole dim (`DimWindow`): room for what a full block of them needs, in order. Elements
  /// outside the operand are `fill`, a tensor of rank 0; what only padding needs has no defined value.
  virtual mlir::Value windowOf(unsigned operand, mlir::Value block, mlir::Value fill) = 0;
};

} // namespace sheaf

#endif
