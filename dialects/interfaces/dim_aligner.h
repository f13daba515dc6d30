// How an op says which dims of its operands and results are walked together.
#ifndef SHEAF_DIALECTS_INTERFACES_DIM_ALIGNER_H
#define SHEAF_DIALECTS_INTERFACES_DIM_ALIGNER_H

#include "mlir/IR/Value.h"

namespace sheaf {

/// Collects, op by op, the dims of tensors that are one dim of an iteration space.
class DimAligner {
public:
  virtual ~DimAligner() = default;

  /// States that dims `dimsOfA` of `a`, walked row-major, are dims `dimsOfB` of `b`. Both lists hold
  /// equally many places, but may split them differently: a reshape.
  virtual void align(mlir::Value a, llvm::ArrayRef<int64_t> dimsOfA, mlir::Value b,
                     llvm::ArrayRef<int64_t> dimsOfB) = 0;

  /// Aligns dim by dim the operands and results of `op`, which have one shape.
  void alignSameShape(mlir::Operation *op);
};

} // namespace sheaf

#endif
