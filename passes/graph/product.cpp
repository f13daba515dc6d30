// Products and sums as exporters write them: in any order, with constants anywhere.
#include "passes/graph/product.h"

#include "passes/graph/view.h"

using namespace mlir;
using namespace sheaf::graph;

/// Longer products are no spelling of a composite; this also bounds the search.
static constexpr int kMaxFactors = 16;

/// One step of `scaledOf`.
static std::optional<Scaled> takeConstant(Value value) {
  if (Value x = operandOf(value, UnaryKind::neg))
    return Scaled{x, -1};
  auto op = value.getDefiningOp<BinaryOp>();
  if (!op || !isa<FloatType>(op.getType().getElementType()))
    return std::nullopt;
  std::optional<double> lhs = splatOf(op.getLhs()), rhs = splatOf(op.getRhs());
  if (op.getKind() == BinaryKind::mul && rhs)
    return Scaled{op.getLhs(), *rhs};
  if (op.getKind() == BinaryKind::mul && lhs)
    return Scaled{op.getRhs(), *lhs};
  if (op.getKind() == BinaryKind::div && rhs)
    return Scaled{op.getLhs(), 1 / *rhs};
  return std::nullopt;
}

Scaled sheaf::graph::scaledOf(Value value) {
  Scaled result{value};
  for (int i = 0; i < kMaxFactors; ++i)
    if (std::optional<Scaled> step = takeConstant(result.x))
      result = {step->x, result.factor * step->factor};
  return result;
}

/// Takes the factors of `value` out of `wanted`; the constant factor that is left.
static std::optional<double> takeFactors(Value value, SmallVectorImpl<Value> &wanted,
                                         int depth = 0) {
  if (depth == kMaxFactors)
    return std::nullopt;
  if (auto *it = llvm::find(wanted, value); it != wanted.end()) {
    wanted.erase(it);
    return 1.0;
  }
  if (std::optional<double> splat = splatOf(value))
    return splat;
  if (std::optional<Scaled> scaled = takeConstant(value)) {
    std::optional<double> rest = takeFactors(scaled->x, wanted, depth + 1);
    return rest ? std::optional(*rest * scaled->factor) : std::nullopt;
  }
  auto op = value.getDefiningOp<BinaryOp>();
  if (!op || wanted.empty())
    return std::nullopt;
  if (op.getKind() == BinaryKind::mul) {
    std::optional<double> lhs = takeFactors(op.getLhs(), wanted, depth + 1);
    std::optional<double> rhs = lhs ? takeFactors(op.getRhs(), wanted, depth + 1) : std::nullopt;
    return rhs ? std::optional(*lhs * *rhs) : std::nullopt;
  }
  std::optional<double> power =
      op.getKind() == BinaryKind::pow ? splatOf(op.getRhs()) : std::nullopt;
  if (!power || *power < 1 || *power > double(wanted.size()) || *power != std::floor(*power))
    return std::nullopt;
  double result = 1;
  for (int i = 0; i < int(*power); ++i) {
    std::optional<double> factor = takeFactors(op.getLhs(), wanted, depth + 1);
    if (!factor)
      return std::nullopt;
    result *= *factor;
  }
  return result;
}

std::optional<double> sheaf::graph::coefficientOf(Value value, ArrayRef<Value> factors) {
  SmallVector<Value> wanted(factors);
  std::optional<double> coefficient = takeFactors(value, wanted);
  return wanted.empty() ? coefficient : std::nullopt;
}

SmallVector<Value> sheaf::graph::factorsOf(Value value) {
  SmallVector<Value> factors{value};
  for (size_t i = 0; i < factors.size() && i < kMaxFactors; ++i) {
    if (std::optional<Scaled> scaled = takeConstant(factors[i])) {
      factors.push_back(scaled->x);
    } else if (auto op = factors[i].getDefiningOp<BinaryOp>();
               op && op.getKind() == BinaryKind::mul) {
      factors.push_back(op.getLhs());
      factors.push_back(op.getRhs());
    }
  }
  return factors;
}

SmallVector<std::pair<Value, Value>, 2> sheaf::graph::bothOrders(Value value, BinaryKind kind) {
  auto op = value.getDefiningOp<BinaryOp>();
  if (!op || op.getKind() != kind)
    return {};
  return {{op.getLhs(), op.getRhs()}, {op.getRhs(), op.getLhs()}};
}

Value sheaf::graph::withoutAddend(Value value, double addend) {
  for (auto [x, constant] : bothOrders(value, BinaryKind::add))
    if (isSplat(constant, addend))
      return x;
  return {};
}

Value sheaf::graph::operandOf(Value value, UnaryKind kind) {
  auto op = value.getDefiningOp<UnaryOp>();
  return op && op.getKind() == kind ? op.getOperand() : Value();
}
