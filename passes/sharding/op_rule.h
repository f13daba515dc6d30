// The factor rule of an op, resolved against its shapes: what engines of sharding walk.
#ifndef SHEAF_PASSES_SHARDING_OP_RULE_H
#define SHEAF_PASSES_SHARDING_OP_RULE_H

#include "dialects/dist/tensor_sharding.h"
#include "dialects/support/factor_rule.h"
#include "dialects/support/operand_window.h"
#include "mlir/IR/Operation.h"

namespace sheaf::sharding {

/// Dims that move together under sharding.
struct Factor {
  int64_t size = 1;
  FactorKind kind = FactorKind::passThrough;
  char name = '?';
};

/// The factors of a tensor's dims, major first, by their index.
using TensorFactors = llvm::SmallVector<llvm::SmallVector<unsigned, 2>, 4>;

/// Which factors make which dims of the tensors of an op: its operands, then its results.
struct OpRule {
  llvm::SmallVector<Factor, 8> factors;
  llvm::SmallVector<TensorFactors, 4> tensors;
  /// Dims of operands that are read through windows; each has one factor.
  llvm::SmallVector<OperandWindow, 2> windows;
  unsigned numOperands = 0;

  /// Every tensor has the same shape, of one factor per dim.
  static OpRule identity(llvm::ArrayRef<int64_t> shape, unsigned numOperands, unsigned numResults);
  /// The rule of `op`; without factors when it has none.
  static OpRule of(mlir::Operation *op);

  /// Whether the op touches every element once and in place: all factors pass through all tensors.
  bool isElementwise() const;
  /// Whether the op can be computed with the factor cut along `axes`: it is not needed whole, and where
  /// elements move along it, every operand that holds it is read through a window that allows it.
  bool canCut(unsigned factor, dist::AxisListRef axes) const;
  /// Whether some dim of the tensor is made of this factor.
  bool holds(unsigned tensor, unsigned factor) const;
};

/// The axes of each factor in one tensor.
struct FactorAxes {
  llvm::SmallVector<dist::AxisList, 8> axes;
  /// Axes of dims that no factor could take.
  dist::AxisList overflow;
};

/// Hands the axes of the dims to their factors, major first. A factor that shares its dim takes axes
/// that divide it, and the next one's turn comes only when it is cut to single elements.
FactorAxes projectToFactors(const OpRule &rule, unsigned tensor,
                            const dist::TensorSharding &sharding);
/// The axes of a dim whose factors have `axes`; those of a factor that can't be cut because one before
/// it in the dim is not cut to single elements are left out.
dist::AxisList dimAxes(const OpRule &rule, llvm::ArrayRef<unsigned> dimFactors,
                       llvm::ArrayRef<dist::AxisList> axes);

} // namespace sheaf::sharding

#endif
