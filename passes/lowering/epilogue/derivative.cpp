// Recognizes the derivative of a function among the ops that compute it.
//
// A gradient is built of primitive ops, which every pass between may simplify, merge or move. So its form is nothing to
// rely on: the ops are evaluated instead, at places all over the range in which the derivative varies. What is made of
// one tensor by sums, products and tanh, and agrees with the derivative everywhere, is the derivative; the exact gelu's
// differs by a thousand times the bound.
#include "passes/lowering/epilogue/derivative.h"

#include "dialects/graph/graph.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace sheaf::lowering {
namespace {

/// Ops that compute one tensor, element by element, from one other.
class Formula {
public:
  /// Errors: ops that are not evaluated, more of them than a derivative has, or several tensors.
  static std::optional<Formula> of(Value value) {
    Formula formula;
    if (!formula.add(value) || !formula.leaf)
      return std::nullopt;
    return formula;
  }

  Value operand() const { return leaf; }

  double at(double x) const {
    SmallVector<double> values;
    for (const Term &term : terms)
      values.push_back(term.evaluate(values, x));
    return values.back();
  }

private:
  static constexpr size_t maxTerms = 64; // gelu_tanh's has some 20

  struct Term {
    Operation *op = nullptr; ///< null: the operand
    double constant = 0;
    unsigned lhs = 0, rhs = 0;

    double evaluate(ArrayRef<double> values, double x) const {
      if (!op)
        return x;
      if (auto binary = dyn_cast<graph::BinaryOp>(op)) {
        double a = values[lhs], b = values[rhs];
        graph::BinaryKind kind = binary.getKind();
        return kind == graph::BinaryKind::add   ? a + b
               : kind == graph::BinaryKind::sub ? a - b
                                                : a * b;
      }
      return isa<graph::UnaryOp>(op) ? std::tanh(values[lhs]) : constant;
    }
  };

  /// Makes the value, and what it is made of, terms; `places` tells where it is.
  bool add(Value value) {
    if (places.contains(value))
      return true;
    if (++numVisited > maxTerms) // On the way down: chains of ops can be long.
      return false;
    Term term;
    DenseFPElementsAttr elements;
    auto binary = value.getDefiningOp<graph::BinaryOp>();
    auto unary = value.getDefiningOp<graph::UnaryOp>();
    if (matchPattern(value, m_Constant(&elements)) && elements.isSplat()) {
      term.op = value.getDefiningOp();
      APFloat number = elements.getSplatValue<APFloat>();
      bool losesInfo;
      number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
      term.constant = number.convertToDouble();
    } else if (binary && llvm::is_contained({graph::BinaryKind::add, graph::BinaryKind::sub,
                                             graph::BinaryKind::mul},
                                            binary.getKind())) {
      if (!add(binary.getLhs()) || !add(binary.getRhs()))
        return false;
      term = {binary, 0, places.lookup(binary.getLhs()), places.lookup(binary.getRhs())};
    } else if (unary && unary.getKind() == graph::UnaryKind::tanh) {
      if (!add(unary.getOperand()))
        return false;
      term = {unary, 0, places.lookup(unary.getOperand()), 0};
    } else if (!leaf) {
      leaf = value;
    } else {
      return false;
    }
    places[value] = terms.size();
    terms.push_back(term);
    return true;
  }

  Value leaf;
  size_t numVisited = 0;
  SmallVector<Term> terms; ///< each after those it is made of
  DenseMap<Value, unsigned> places;
};

double geluTanhDerivative(double x) {
  constexpr double a = 0.044715;
  constexpr double c = std::numbers::sqrt2 * std::numbers::inv_sqrtpi; // sqrt(2/pi)
  double tanh = std::tanh(c * (x + a * x * x * x));
  return (1 + tanh + x * (1 - tanh * tanh) * c * (1 + 3 * a * x * x)) / 2;
}

} // namespace

Value geluTanhDerivativeOperand(Value value) {
  std::optional<Formula> formula = Formula::of(value);
  if (!formula)
    return {};
  // Constants are rounded to the compute type.
  constexpr double bound = 1e-5;
  for (int place = -48; place <= 48; ++place) {
    double x = place * 0.127;
    if (!(std::abs(formula->at(x) - geluTanhDerivative(x)) <= bound))
      return {};
  }
  return formula->operand();
}

} // namespace sheaf::lowering
