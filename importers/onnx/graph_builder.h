// Builds graph ops for one node of a model, folding what is constant.
#ifndef SHEAF_IMPORTERS_ONNX_GRAPH_BUILDER_H
#define SHEAF_IMPORTERS_ONNX_GRAPH_BUILDER_H

#include "dialects/graph/graph.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include <optional>

namespace sheaf::onnx {

/// What all builders of one import share.
struct BuildState {
  explicit BuildState(mlir::MLIRContext *context);

  /// Ops that may still be created: hostile models expand without bound.
  int64_t opsLeft = 2'000'000;
  /// The text of the last diagnostic, by a verifier or shape function.
  std::string diagnostic;

private:
  mlir::ScopedDiagnosticHandler handler;
};

/// The shape of two operands under ONNX's (numpy's) broadcasting; none when they don't fit.
std::optional<llvm::SmallVector<int64_t>> broadcastShapes(llvm::ArrayRef<int64_t> lhs,
                                                          llvm::ArrayRef<int64_t> rhs);

/// "2x3".
std::string shapeText(llvm::ArrayRef<int64_t> shape);

/// Builds graph ops at one place. Ops are verified and folded as they are made. The first failure stays;
/// from then on every function returns a null value and takes null values, so that code can be
/// written straight on and the failure looked at once.
class GraphBuilder {
public:
  using Value = mlir::Value;
  using Shape = llvm::ArrayRef<int64_t>;

  GraphBuilder(mlir::OpBuilder &builder, mlir::Location loc, BuildState &state)
      : builder(builder), loc(loc), state(state) {}

  // Failure.
  bool failed() const { return failure.has_value(); }
  /// Empty when the failure has been reported elsewhere.
  llvm::StringRef reason() const { return failure ? llvm::StringRef(*failure) : ""; }
  void fail(const llvm::Twine &reason) {
    if (!failure)
      failure = reason.str();
  }
  mlir::MLIRContext *context() const { return builder.getContext(); }
  mlir::Location location() const { return loc; }

  // Types. Null values have no dims.
  static mlir::RankedTensorType type(Value value);
  static mlir::Type element(Value value);
  static Shape shape(Value value);
  static int64_t rank(Value value) { return shape(value).size(); }
  /// 1 when there is no such dim.
  static int64_t dim(Value value, int64_t index);
  static bool isFloat(Value value);

  /// Any op of one result.
  template <typename OpTy, typename... Args> Value make(Args &&...args) {
    return makeAll<OpTy>(std::forward<Args>(args)...).front();
  }
  /// Any op; null values on failure.
  template <typename OpTy, typename... Args> llvm::SmallVector<Value, 2> makeAll(Args &&...args);

  // Constants.
  Value constant(mlir::TypedAttr value);
  Value splat(Shape shape, mlir::Type element, double value);
  Value scalar(mlir::Type element, double value) { return splat({}, element, value); }
  Value ints(Shape values);
  Value floats(llvm::ArrayRef<double> values, Shape shape, mlir::Type element);
  /// A constant with the element type of `like`, of rank 0.
  Value number(double value, Value like) { return scalar(element(like), value); }
  Value iota(Shape shape, mlir::Type element, int64_t dim);
  /// The dense value of a constant.
  static std::optional<mlir::DenseElementsAttr> constantOf(Value value);

  // Elementwise; operands broadcast as in ONNX.
  Value unary(graph::UnaryKind kind, Value operand);
  Value binary(graph::BinaryKind kind, Value lhs, Value rhs);
  Value compare(graph::CompareKind kind, Value lhs, Value rhs);
  Value select(Value predicate, Value onTrue, Value onFalse);
  Value cast(Value value, mlir::Type element, bool saturate = true);
  Value add(Value lhs, Value rhs) { return binary(graph::BinaryKind::add, lhs, rhs); }
  Value sub(Value lhs, Value rhs) { return binary(graph::BinaryKind::sub, lhs, rhs); }
  Value mul(Value lhs, Value rhs) { return binary(graph::BinaryKind::mul, lhs, rhs); }
  Value div(Value lhs, Value rhs) { return binary(graph::BinaryKind::div, lhs, rhs); }
  Value max(Value lhs, Value rhs) { return binary(graph::BinaryKind::max, lhs, rhs); }
  Value min(Value lhs, Value rhs) { return binary(graph::BinaryKind::min, lhs, rhs); }
  Value pow(Value lhs, Value rhs) { return binary(graph::BinaryKind::pow, lhs, rhs); }
  Value neg(Value operand) { return unary(graph::UnaryKind::neg, operand); }
  Value logicalNot(Value operand) { return unary(graph::UnaryKind::bitwise_not, operand); }

  // Movement.
  Value reshape(Value value, Shape shape);
  Value transpose(Value value, Shape permutation);
  /// Swaps two dims.
  Value swap(Value value, int64_t a, int64_t b);
  /// Right-aligned, as numpy's broadcast_to.
  Value broadcast(Value value, Shape shape);
  /// Operand dim `i` becomes dim `dims[i]`.
  Value broadcastDims(Value value, Shape shape, Shape dims);
  Value unsqueeze(Value value, Shape dims);
  Value squeeze(Value value, Shape dims);
  Value slice(Value value, Shape starts, Shape limits, Shape strides);
  Value sliceDim(Value value, int64_t dim, int64_t start, int64_t limit, int64_t stride = 1);
  Value concat(mlir::ValueRange values, int64_t dim);
  Value pad(Value value, Value fill, Shape low, Shape high);
  Value gather(Value value, Value indices, int64_t dim, int64_t batchDims = 0);

  // Reductions and contractions.
  Value reduce(graph::ReduceKind kind, Value value, Shape dims, bool keepDims = false);
  Value sum(Value value, Shape dims, bool keepDims = false) {
    return reduce(graph::ReduceKind::sum, value, dims, keepDims);
  }
  Value mean(Value value, Shape dims, bool keepDims = false);
  /// numpy's matmul; `result` is the element type of the result, by default the operands'.
  Value matmul(Value lhs, Value rhs, mlir::Type result = {});
  Value contract(Value lhs, Value rhs, Shape lhsBatch, Shape rhsBatch, Shape lhsContract,
                 Shape rhsContract, mlir::Type result = {});

private:
  bool lacksOperand(const mlir::OperationState &opState) {
    if (llvm::all_of(opState.operands, [](Value operand) { return operand; }))
      return false;
    fail("an operand is missing");
    return true;
  }
  /// Brings both to their common shape; fails when there is none.
  bool broadcastTogether(Value &lhs, Value &rhs);
  llvm::SmallVector<Value, 2> finish(mlir::OperationState &opState, unsigned numResults);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  BuildState &state;
  std::optional<std::string> failure;
};

template <typename OpTy, typename... Args>
llvm::SmallVector<mlir::Value, 2> GraphBuilder::makeAll(Args &&...args) {
  constexpr unsigned numResults = OpTy::template hasTrait<mlir::OpTrait::OneResult>() ? 1 : 2;
  if (failed())
    return llvm::SmallVector<Value, 2>(numResults);
  mlir::OperationState opState(loc, OpTy::getOperationName());
  if constexpr (OpTy::template hasTrait<mlir::InferTypeOpInterface::Trait>()) {
    // Builders that infer types abort on failure, so infer here.
    llvm::SmallVector<mlir::Type> types(numResults, builder.getNoneType());
    OpTy::build(builder, opState, mlir::TypeRange(types), std::forward<Args>(args)...);
    types.clear();
    state.diagnostic.clear();
    if (lacksOperand(opState))
      return llvm::SmallVector<Value, 2>(numResults);
    if (mlir::failed(OpTy::inferReturnTypes(context(), loc, opState.operands,
                                            opState.attributes.getDictionary(context()),
                                            opState.getRawProperties(), opState.regions, types))) {
      fail(state.diagnostic.empty() ? "the types of its operands don't fit" : state.diagnostic);
      return llvm::SmallVector<Value, 2>(numResults);
    }
    opState.types.assign(types.begin(), types.end());
  } else {
    OpTy::build(builder, opState, std::forward<Args>(args)...);
    if (lacksOperand(opState))
      return llvm::SmallVector<Value, 2>(numResults);
  }
  return finish(opState, numResults);
}

} // namespace sheaf::onnx

#endif
