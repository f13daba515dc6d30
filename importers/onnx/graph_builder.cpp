// Makes, verifies and folds graph ops; constants and elementwise ops.
#include "importers/onnx/graph_builder.h"

#include "importers/onnx/tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"

using namespace llvm;
using namespace mlir;
using namespace sheaf::graph;

namespace sheaf::onnx {

BuildState::BuildState(MLIRContext *context)
    : handler(context, [this](Diagnostic &diag) {
        if (diag.getSeverity() != DiagnosticSeverity::Error)
          return failure(); // Warnings go their way.
        diagnostic = diag.str();
        return success();
      }) {}

std::optional<SmallVector<int64_t>> broadcastShapes(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  SmallVector<int64_t> shape(std::max(lhs.size(), rhs.size()));
  for (size_t fromEnd = 1; fromEnd <= shape.size(); ++fromEnd) {
    int64_t a = fromEnd <= lhs.size() ? lhs[lhs.size() - fromEnd] : 1;
    int64_t b = fromEnd <= rhs.size() ? rhs[rhs.size() - fromEnd] : 1;
    if (a != b && a != 1 && b != 1)
      return std::nullopt;
    shape[shape.size() - fromEnd] = a == 1 ? b : a;
  }
  return shape;
}

std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  raw_string_ostream stream(text);
  interleave(shape, stream, "x");
  return shape.empty() ? "scalar" : text;
}

SmallVector<Value, 2> GraphBuilder::finish(OperationState &opState, unsigned numResults) {
  SmallVector<Value, 2> none(numResults);
  for (Type type : opState.types)
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && (tensor.getRank() > kMaxRank || !storedBytes(tensor))) {
      fail("its result has more elements than 64 bits can count");
      return none;
    }
  if (--state.opsLeft < 0) {
    fail("the model expands to more than 2000000 ops");
    return none;
  }
  state.diagnostic.clear();
  Operation *op = builder.create(opState);
  if (mlir::failed(verify(op, /*verifyRecursively=*/false))) {
    // "'graph.conv' op ..." without the quotes' part, which users did not write.
    StringRef text = state.diagnostic;
    size_t prefix = text.find("' op ");
    fail(prefix == StringRef::npos ? text : text.drop_front(prefix + 5));
    op->erase();
    return none;
  }
  SmallVector<Value> folded;
  if (succeeded(builder.tryFold(op, folded)) && folded.size() == numResults) {
    op->erase();
    return SmallVector<Value, 2>(folded.begin(), folded.end());
  }
  auto results = op->getResults();
  return SmallVector<Value, 2>(results.begin(), results.end());
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

RankedTensorType GraphBuilder::type(Value value) {
  return value ? cast<RankedTensorType>(value.getType()) : RankedTensorType();
}

Type GraphBuilder::element(Value value) { return value ? type(value).getElementType() : Type(); }

ArrayRef<int64_t> GraphBuilder::shape(Value value) {
  return value ? type(value).getShape() : ArrayRef<int64_t>();
}

int64_t GraphBuilder::dim(Value value, int64_t index) {
  return index >= 0 && index < rank(value) ? shape(value)[index] : 1;
}

bool GraphBuilder::isFloat(Value value) { return value && isa<FloatType>(element(value)); }

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value GraphBuilder::constant(TypedAttr value) { return make<ConstantOp>(value); }

Value GraphBuilder::splat(ArrayRef<int64_t> shape, Type element, double value) {
  if (failed() || !element)
    return {};
  auto type = RankedTensorType::get(shape, element);
  if (auto floatType = dyn_cast<FloatType>(element)) {
    APFloat number(value);
    bool losesInfo;
    number.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
    return constant(DenseElementsAttr::get(type, FloatAttr::get(floatType, number)));
  }
  // In range, so that infinities become the extreme of the type.
  APSInt integer(element.getIntOrFloatBitWidth(),
                 element.isUnsignedInteger() || element.isInteger(1));
  bool isExact;
  APFloat(value).convertToInteger(integer, APFloat::rmTowardZero, &isExact);
  return constant(DenseElementsAttr::get(type, static_cast<const APInt &>(integer)));
}

Value GraphBuilder::ints(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get(static_cast<int64_t>(values.size()), builder.getI64Type());
  return constant(DenseElementsAttr::get(type, values));
}

Value GraphBuilder::floats(ArrayRef<double> values, ArrayRef<int64_t> shape, Type element) {
  auto floatType = dyn_cast_or_null<FloatType>(element);
  if (failed() || !floatType)
    return {};
  SmallVector<APFloat> numbers;
  for (double value : values) {
    bool losesInfo;
    numbers.emplace_back(value).convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                                        &losesInfo);
  }
  return constant(DenseElementsAttr::get(RankedTensorType::get(shape, element), numbers));
}

Value GraphBuilder::iota(ArrayRef<int64_t> shape, Type element, int64_t dim) {
  return make<IotaOp>(RankedTensorType::get(shape, element), dim);
}

std::optional<DenseElementsAttr> GraphBuilder::constantOf(Value value) {
  DenseElementsAttr attribute;
  if (value && matchPattern(value, m_Constant(&attribute)))
    return attribute;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

Value GraphBuilder::unary(UnaryKind kind, Value operand) { return make<UnaryOp>(kind, operand); }

bool GraphBuilder::broadcastTogether(Value &lhs, Value &rhs) {
  auto common = broadcastShapes(shape(lhs), shape(rhs));
  if (!common)
    fail("shapes " + shapeText(shape(lhs)) + " and " + shapeText(shape(rhs)) + " don't broadcast");
  if (failed())
    return false;
  lhs = broadcast(lhs, *common);
  rhs = broadcast(rhs, *common);
  return true;
}

Value GraphBuilder::binary(BinaryKind kind, Value lhs, Value rhs) {
  return broadcastTogether(lhs, rhs) ? make<BinaryOp>(kind, lhs, rhs) : Value();
}

Value GraphBuilder::compare(CompareKind kind, Value lhs, Value rhs) {
  return broadcastTogether(lhs, rhs) ? make<CompareOp>(kind, lhs, rhs) : Value();
}

Value GraphBuilder::select(Value predicate, Value onTrue, Value onFalse) {
  auto branches = broadcastShapes(shape(onTrue), shape(onFalse));
  auto all = branches ? broadcastShapes(*branches, shape(predicate)) : std::nullopt;
  if (!all)
    fail("shapes " + shapeText(shape(predicate)) + ", " + shapeText(shape(onTrue)) + " and " +
         shapeText(shape(onFalse)) + " don't broadcast");
  if (failed())
    return {};
  return make<SelectOp>(broadcast(predicate, *all), broadcast(onTrue, *all),
                        broadcast(onFalse, *all));
}

Value GraphBuilder::cast(Value value, Type element, bool saturate) {
  if (failed() || !value || !element)
    return {};
  if (GraphBuilder::element(value) == element)
    return value;
  return make<CastOp>(type(value).clone(element), value, saturate);
}

} // namespace sheaf::onnx
