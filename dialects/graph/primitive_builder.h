// Builds primitive graph ops tersely: what decompositions and rewrites are written in.
#ifndef SHEAF_DIALECTS_GRAPH_PRIMITIVE_BUILDER_H
#define SHEAF_DIALECTS_GRAPH_PRIMITIVE_BUILDER_H

#include "dialects/graph/graph.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace sheaf::graph {

/// The type and the shape of a tensor.
inline mlir::RankedTensorType typeOf(mlir::Value tensor) {
  return mlir::cast<mlir::RankedTensorType>(tensor.getType());
}
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value tensor) { return typeOf(tensor).getShape(); }

/// The type in which values of a float type are computed: f32 for narrower ones.
mlir::FloatType computeTypeOf(mlir::Type elementType);

/// Names the ops of a formula one after another. Shapes follow from the operands.
class PrimitiveBuilder : public mlir::ImplicitLocOpBuilder {
public:
  /// Builds at the place of `builder`, for `location`.
  PrimitiveBuilder(mlir::Location location, mlir::OpBuilder &builder)
      : ImplicitLocOpBuilder(location, builder) {}

  /// The same value at every place of `type`, rounded to its element type; an infinity is the lowest
  /// or highest value of an integer type.
  mlir::Value splat(mlir::RankedTensorType type, double value);
  /// `splat` of the type of `like`.
  mlir::Value splatLike(mlir::Value like, double value);

  mlir::Value unary(UnaryKind kind, mlir::Value x);
  mlir::Value binary(BinaryKind kind, mlir::Value lhs, mlir::Value rhs);
  /// With a constant right operand.
  mlir::Value binary(BinaryKind kind, mlir::Value lhs, double rhs);
  mlir::Value compare(CompareKind kind, mlir::Value lhs, mlir::Value rhs);
  mlir::Value select(mlir::Value predicate, mlir::Value onTrue, mlir::Value onFalse);
  /// `x` itself when it has the element type already.
  mlir::Value cast(mlir::Value x, mlir::Type elementType);

  mlir::Value reduce(ReduceKind kind, mlir::Value x, llvm::ArrayRef<int64_t> dims);
  /// The sum over `dims` divided by the number of elements.
  mlir::Value mean(mlir::Value x, llvm::ArrayRef<int64_t> dims);

  /// `x` itself when it has the shape already.
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  /// Repeats `x`, whose dim `i` is dim `dims[i]` of `shape`; `x` itself when nothing is to do.
  mlir::Value broadcast(mlir::Value x, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dims);
  /// The adjoint of `broadcast`: sums `x` to `shape`, whose dim `i` is dim `dims[i]` of `x`, over all
  /// dims that it lacks or has one element of.
  mlir::Value sumTo(mlir::Value x, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dims);
  /// Brings what was reduced over `dims` of a tensor of `shape` back to `shape`.
  mlir::Value spread(mlir::Value reduced, llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<int64_t> dims);
  /// Elements `[start, limit)` along `dim`.
  mlir::Value slice(mlir::Value x, int64_t dim, int64_t start, int64_t limit);
};

} // namespace sheaf::graph

#endif
