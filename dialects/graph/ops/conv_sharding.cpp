// Factor rules of convolutions, pooling and resizing.
#include "dialects/graph/graph.h"
#include "dialects/graph/ops/factor_letters.h"
#include "dialects/graph/ops/window.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

namespace {

template <typename Op> Window windowOf(Op op, RankedTensorType filterType) {
  return {filterType.getShape().drop_front(2), op.getStrides(), op.getPaddingLow(),
          op.getPaddingHigh(), op.getDilations()};
}

Window windowOf(PoolOp op) {
  return {op.getWindow(), op.getStrides(), op.getPaddingLow(), op.getPaddingHigh(),
          op.getDilations()};
}

/// That the places of `places` see operand 0 through `window`.
SmallVector<OperandWindow> seenThrough(const Window &window, RankedTensorType places) {
  SmallVector<OperandWindow> windows;
  for (int64_t i = 0; i + 2 < places.getRank(); ++i)
    if (!window.isIdentity(i))
      windows.push_back({0, unsigned(i + 2), window.seen(i, places.getDimSize(i + 2))});
  return windows;
}

/// The dims of a convolution's tensors, from which the rules of conv and its gradients are made:
/// they are one contraction, seen from its three sides.
struct ConvolutionFactors {
  FactorRule::Tensor input, filter, output;
  FactorRule rule; ///< kinds and sizes

  template <typename Op>
  ConvolutionFactors(Op op, RankedTensorType inputType, RankedTensorType filterType,
                     RankedTensorType outputType) {
    FactorLetters letters;
    FactorRule::Dim batch = letters.next();
    input = output = {batch};
    addChannels(letters, op.getGroups(), inputType, filterType);
    Window window = windowOf(op, filterType);
    for (int64_t i = 0; i + 2 < inputType.getRank(); ++i) {
      FactorRule::Dim place = letters.next(), tap = letters.next();
      output.push_back(place);
      input.push_back(place);
      filter.push_back(tap);
      // A part of the window would meet an input that is moved by the part's place in the window.
      replicate(rule, tap);
      if (window.isIdentity(i))
        continue;
      if (!std::is_same_v<Op, ConvFilterGradOp>) // Else it is summed over.
        stateKind(rule, place, FactorKind::permutation);
      if (!std::is_same_v<Op, ConvOp>) // Else it is the extent of the result.
        stateSize(rule, place, outputType.getDimSize(i + 2));
    }
  }

private:
  /// Grouped channels are cut by group, then within the groups.
  void addChannels(FactorLetters &letters, int64_t groups, RankedTensorType inputType,
                   RankedTensorType filterType) {
    FactorRule::Dim in = letters.next(), out = letters.next();
    int64_t perGroupIn = filterType.getDimSize(1), perGroupOut = filterType.getDimSize(0) / groups;
    if (groups == 1) {
      input.push_back(in);
      output.push_back(out);
      filter = {out, in};
      return;
    }
    FactorRule::Dim group = letters.next();
    if (perGroupIn <= 1)
      in.clear();
    if (perGroupOut <= 1)
      out.clear();
    input.push_back(compound(group, in));
    output.push_back(compound(group, out));
    filter = {compound(group, out), in};
    if (!in.empty() && !out.empty())
      stateSize(rule, group, groups);
    stateSize(rule, out, perGroupOut);
  }
};

} // namespace

FactorRule ConvOp::getShardingRule() {
  ConvolutionFactors factors(*this, getInput().getType(), getFilter().getType(), getType());
  factors.rule.operands = {factors.input, factors.filter};
  factors.rule.results = {factors.output};
  return factors.rule;
}

FactorRule ConvInputGradOp::getShardingRule() {
  ConvolutionFactors factors(*this, getType(), getFilter().getType(), getOutputGrad().getType());
  factors.rule.operands = {factors.output, factors.filter};
  factors.rule.results = {factors.input};
  return factors.rule;
}

FactorRule ConvFilterGradOp::getShardingRule() {
  ConvolutionFactors factors(*this, getInput().getType(), getType(), getOutputGrad().getType());
  factors.rule.operands = {factors.input, factors.output};
  factors.rule.results = {factors.filter};
  return factors.rule;
}

SmallVector<OperandWindow> ConvOp::getOperandWindows() {
  return seenThrough(windowOf(*this, getFilter().getType()), getType());
}

/// A place of the input reads the places of the output that saw it.
SmallVector<OperandWindow> ConvInputGradOp::getOperandWindows() {
  Window window = windowOf(*this, getFilter().getType());
  SmallVector<OperandWindow> windows;
  for (int64_t i = 0; i + 2 < getType().getRank(); ++i)
    if (!window.isIdentity(i))
      windows.push_back({0, unsigned(i + 2), window.seeing(i, getType().getDimSize(i + 2))});
  return windows;
}

SmallVector<OperandWindow> ConvFilterGradOp::getOperandWindows() {
  return seenThrough(windowOf(*this, getType()), getOutputGrad().getType());
}

/// Batch and channels are independent.
FactorRule PoolOp::getShardingRule() {
  FactorRule::Tensor dims = FactorLetters().take(getType().getRank());
  FactorRule rule{{dims}, {dims}};
  Window window = windowOf(*this);
  for (int64_t dim = 2; dim < getType().getRank(); ++dim)
    if (!window.isIdentity(dim - 2))
      stateKind(rule, dims[dim], FactorKind::permutation);
  return rule;
}

/// The local form of a mean divides by counts of its own, which integers might not hold.
SmallVector<OperandWindow> PoolOp::getOperandWindows() {
  if (getKind() == PoolKind::avg_exclude && !isa<FloatType>(getType().getElementType()))
    return {};
  return seenThrough(windowOf(*this), getType());
}

/// As `pool`, but the planes are needed whole: the indices count in whole planes.
FactorRule PoolArgmaxOp::getShardingRule() {
  FactorRule::Tensor dims = FactorLetters().take(getOperand().getType().getRank());
  FactorRule rule{{dims}, {dims, dims}};
  for (const FactorRule::Dim &dim : ArrayRef(dims).drop_front(2))
    replicate(rule, dim);
  return rule;
}

FactorRule ResizeOp::getShardingRule() {
  FactorRule::Tensor dims = FactorLetters().take(getType().getRank());
  FactorRule rule{{dims}, {dims}};
  for (auto [index, dim] : llvm::enumerate(dims))
    if (!keepsPlaces(index))
      replicate(rule, dim);
  return rule;
}
