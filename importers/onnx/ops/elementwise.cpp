// Elementwise operators that are one graph op each.
#include "importers/onnx/node.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

template <UnaryKind kind> void importUnary(Node &n) {
  n.expectInputs(1, 1);
  n.output(0, n.unary(kind, n.input(0)));
}

/// The right operand. Before opset 7 it broadcasts only when told to, with its first dim at `axis`.
Value rightOperand(Node &n) {
  Value rhs = n.input(1);
  if (n.opset() >= 7)
    return rhs;
  n.ignore("broadcast"); // Without it the shapes are equal.
  auto axis = n.maybeInteger("axis");
  if (!axis || n.failed())
    return rhs;
  SmallVector<int64_t> after;
  for (int64_t dim = n.axis(*axis, n.rank(n.input(0))) + n.rank(rhs); dim < n.rank(n.input(0));
       ++dim)
    after.push_back(n.rank(rhs) + static_cast<int64_t>(after.size()));
  return n.unsqueeze(rhs, after);
}

template <BinaryKind kind> void importBinary(Node &n) {
  n.expectInputs(2, 2);
  n.output(0, n.binary(kind, n.input(0), rightOperand(n)));
}

template <CompareKind kind> void importCompare(Node &n) {
  n.expectInputs(2, 2);
  n.output(0, n.compare(kind, n.input(0), rightOperand(n)));
}

/// And, Or, Xor.
template <BinaryKind kind> void importLogical(Node &n) {
  n.expectInputs(2, 2);
  for (size_t index : {0, 1})
    if (Value value = n.input(index); value && !n.element(value).isInteger(1))
      return n.fail("input " + llvm::Twine(index) + " is not boolean");
  importBinary<kind>(n);
}

/// Sum, Max, Min, Mean of any number of tensors.
template <BinaryKind kind> void importFoldedBinary(Node &n) {
  SmallVector<Value> values = n.variadic();
  Value total = values.front();
  for (Value value : llvm::drop_begin(values))
    total = n.binary(kind, total, value);
  if (n.opType() == "Mean")
    total = n.div(total, n.number(static_cast<double>(values.size()), total));
  n.output(0, total);
}

/// The exponent may have a type of its own; the result has the base's.
void importPow(Node &n) {
  n.expectInputs(2, 2);
  Value base = n.input(0), exponent = rightOperand(n);
  if (!n.isFloat(base) && n.isFloat(exponent)) {
    Type wide = n.element(exponent);
    return n.output(0, n.cast(n.pow(n.cast(base, wide), exponent), n.element(base)));
  }
  n.output(0, n.pow(base, n.cast(exponent, n.element(base))));
}

/// Integers: the sign of the divisor; `fmod` and floats: that of the dividend. From opset 28 on a
/// remainder of floats without `fmod` has the sign of the divisor.
void importMod(Node &n) {
  n.expectInputs(2, 2);
  bool isFmod = n.integer("fmod", 0) != 0;
  if (!isFmod && n.isFloat(n.input(0)) && n.opset() < 28)
    return n.fail("floating-point operands need fmod = 1");
  n.output(0, n.binary(isFmod ? BinaryKind::rem : BinaryKind::mod, n.input(0), n.input(1)));
}

void importBitShift(Node &n) {
  n.expectInputs(2, 2);
  std::string direction = n.string("direction", "");
  if (n.expectChoice("direction", direction, {"LEFT", "RIGHT"}))
    n.output(0, n.binary(direction == "LEFT" ? BinaryKind::shift_left : BinaryKind::shift_right,
                         n.input(0), n.input(1)));
}

void importWhere(Node &n) {
  n.expectInputs(3, 3);
  n.output(0, n.select(n.input(0), n.input(1), n.input(2)));
}

void importIsNaN(Node &n) {
  n.expectInputs(1, 1);
  n.output(0, n.compare(CompareKind::ne, n.input(0), n.input(0)));
}

void importIsInf(Node &n) {
  n.expectInputs(1, 1);
  bool positive = n.integer("detect_positive", 1) != 0;
  bool negative = n.integer("detect_negative", 1) != 0;
  Value x = n.input(0);
  if (!positive && !negative)
    return n.output(0, n.splat(n.shape(x), IntegerType::get(n.context(), 1), 0));
  if (positive && negative)
    x = n.unary(UnaryKind::abs, x);
  double infinity = std::numeric_limits<double>::infinity();
  n.output(0, n.compare(CompareKind::eq, x, n.number(positive ? infinity : -infinity, x)));
}

} // namespace

void registerElementwise(OpTable &table) {
  table.add("Abs", importUnary<UnaryKind::abs>);
  table.add("Acos", importUnary<UnaryKind::acos>, 7);
  table.add("Acosh", importUnary<UnaryKind::acosh>, 9);
  table.add("Asin", importUnary<UnaryKind::asin>, 7);
  table.add("Asinh", importUnary<UnaryKind::asinh>, 9);
  table.add("Atan", importUnary<UnaryKind::atan>, 7);
  table.add("Atanh", importUnary<UnaryKind::atanh>, 9);
  table.add("BitwiseNot", importUnary<UnaryKind::bitwise_not>, 18);
  table.add("Ceil", importUnary<UnaryKind::ceil>);
  table.add("Cos", importUnary<UnaryKind::cos>, 7);
  table.add("Cosh", importUnary<UnaryKind::cosh>, 9);
  table.add("Erf", importUnary<UnaryKind::erf>, 9);
  table.add("Exp", importUnary<UnaryKind::exp>);
  table.add("Floor", importUnary<UnaryKind::floor>);
  table.add("Log", importUnary<UnaryKind::log>);
  table.add("Neg", importUnary<UnaryKind::neg>);
  table.add("Not", importUnary<UnaryKind::bitwise_not>);
  table.add("Reciprocal", importUnary<UnaryKind::reciprocal>);
  table.add("Round", importUnary<UnaryKind::round>, 11);
  table.add("Sign", importUnary<UnaryKind::sign>, 9);
  table.add("Sin", importUnary<UnaryKind::sin>, 7);
  table.add("Sinh", importUnary<UnaryKind::sinh>, 9);
  table.add("Sqrt", importUnary<UnaryKind::sqrt>);
  table.add("Tan", importUnary<UnaryKind::tan>, 7);
  table.add("Tanh", importUnary<UnaryKind::tanh>);

  table.add("Add", importBinary<BinaryKind::add>);
  table.add("BitwiseAnd", importBinary<BinaryKind::bitwise_and>, 18);
  table.add("BitwiseOr", importBinary<BinaryKind::bitwise_or>, 18);
  table.add("BitwiseXor", importBinary<BinaryKind::bitwise_xor>, 18);
  table.add("Div", importBinary<BinaryKind::div>);
  table.add("Mul", importBinary<BinaryKind::mul>);
  table.add("Sub", importBinary<BinaryKind::sub>);
  table.add("And", importLogical<BinaryKind::bitwise_and>);
  table.add("Or", importLogical<BinaryKind::bitwise_or>);
  table.add("Xor", importLogical<BinaryKind::bitwise_xor>);
  table.add("BitShift", importBitShift, 11);
  table.add("Mod", importMod, 10);
  table.add("Pow", importPow);

  table.add("Max", importFoldedBinary<BinaryKind::max>);
  table.add("Mean", importFoldedBinary<BinaryKind::add>);
  table.add("Min", importFoldedBinary<BinaryKind::min>);
  table.add("Sum", importFoldedBinary<BinaryKind::add>);

  table.add("Equal", importCompare<CompareKind::eq>);
  table.add("Greater", importCompare<CompareKind::gt>);
  table.add("GreaterOrEqual", importCompare<CompareKind::ge>, 12);
  table.add("Less", importCompare<CompareKind::lt>);
  table.add("LessOrEqual", importCompare<CompareKind::le>, 12);
  table.add("IsInf", importIsInf, 10);
  table.add("IsNaN", importIsNaN, 9);
  table.add("Where", importWhere, 9);
}

} // namespace sheaf::onnx
