// Constants as folds see them: elements read in place, and new constants made from elements.
#ifndef SHEAF_DIALECTS_GRAPH_FOLD_CONSTANT_H
#define SHEAF_DIALECTS_GRAPH_FOLD_CONSTANT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace sheaf::graph {

/// The bits of one element in the low bits; the others are zero.
using Bits = uint64_t;

/// Folds neither read nor make more bytes than this, but splats may have any size.
inline constexpr int64_t kMaxFoldedBytes = 64 << 10;
/// Whether a constant of this type, other than a splat, is small enough for folds.
bool isSmall(mlir::ShapedType type);

/// The elements of a constant tensor, in row-major order, read where they are.
class Constant {
public:
  /// None for null, for values in files (`#graph.external`), and for resources without their data.
  static std::optional<Constant> of(mlir::Attribute value);

  mlir::RankedTensorType getType() const { return type; }
  int64_t size() const { return numElements; }
  /// Whether all elements are stored as one. A constant without elements is none.
  bool isSplat() const { return hasOneElement; }
  /// Whether folds may read every element.
  bool isReadable() const { return hasOneElement || isSmall(type); }
  Bits operator[](int64_t index) const;

private:
  Constant(mlir::RankedTensorType type, llvm::ArrayRef<char> data, bool hasOneElement,
           bool isPacked);

  mlir::RankedTensorType type;
  llvm::ArrayRef<char> data;
  int64_t numElements;
  unsigned elementBytes;
  Bits mask;
  bool hasOneElement;
  bool isPacked; ///< eight booleans to a byte, lowest bit first
};

/// A constant of these elements in row-major order, or of one element everywhere.
mlir::DenseElementsAttr makeConstant(mlir::RankedTensorType type, llvm::ArrayRef<Bits> elements);

/// Computes each element of `result` from those of `operands`, which have its shape, by `function`.
/// Null when it is too large or `function` has no answer for an element.
mlir::Attribute mapElements(mlir::RankedTensorType result, llvm::ArrayRef<Constant> operands,
                            llvm::function_ref<std::optional<Bits>(llvm::ArrayRef<Bits>)> function);

/// The same elements under another shape. Resources and values in files keep their bytes where they
/// are. Null when a copy would be too large.
mlir::Attribute reshapeConstant(mlir::Attribute value, mlir::RankedTensorType type);

} // namespace sheaf::graph

#endif
