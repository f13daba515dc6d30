// Products and sums as exporters write them: in any order, with constants anywhere.
#ifndef SHEAF_PASSES_GRAPH_PRODUCT_H
#define SHEAF_PASSES_GRAPH_PRODUCT_H

#include "dialects/graph/graph.h"
#include <optional>

namespace sheaf::graph {

/// A value times a constant.
struct Scaled {
  mlir::Value x;
  double factor = 1;
};
/// `value` as `x * factor`, with all constant factors that are written right there (also as
/// divisors and as negation) taken off.
Scaled scaledOf(mlir::Value value);

/// The constant `c` for which `value` is `c` times the product of `factors`; none when it is not.
/// Factors may repeat; `pow` by a small constant counts as repetition.
std::optional<double> coefficientOf(mlir::Value value, llvm::ArrayRef<mlir::Value> factors);

/// All values that are multiplied to give `value`, with the products between.
llvm::SmallVector<mlir::Value> factorsOf(mlir::Value value);

/// The operands of a sum or product in both orders.
llvm::SmallVector<std::pair<mlir::Value, mlir::Value>, 2> bothOrders(mlir::Value value,
                                                                     BinaryKind kind);

/// `x` where `value` is `x + addend`, in any order.
mlir::Value withoutAddend(mlir::Value value, double addend);

/// The operand of a unary op of this kind, or null.
mlir::Value operandOf(mlir::Value value, UnaryKind kind);

} // namespace sheaf::graph

#endif
