// Resolves factor rules, and carries axes from dims to factors and back.
#include "passes/sharding/op_rule.h"

#include "dialects/interfaces/graph_interfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace sheaf::dist;

namespace sheaf::sharding {

OpRule OpRule::identity(ArrayRef<int64_t> shape, unsigned numOperands, unsigned numResults) {
  OpRule rule;
  rule.numOperands = numOperands;
  TensorFactors tensor;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    rule.factors.push_back({extent, FactorKind::passThrough, FactorRule::nameOf(dim % 52)});
    tensor.push_back({unsigned(dim)});
  }
  rule.tensors.assign(numOperands + numResults, tensor);
  return rule;
}

static SmallVector<ArrayRef<int64_t>> shapesOf(ValueRange values) {
  return llvm::map_to_vector(
      values, [](Value value) { return cast<ShapedType>(value.getType()).getShape(); });
}

OpRule OpRule::of(Operation *op) {
  OpRule result;
  result.numOperands = op->getNumOperands();
  auto interface = dyn_cast<ShardingRuleOpInterface>(op);
  if (!interface) {
    for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
      for (ArrayRef<int64_t> shape : shapesOf(values))
        result.tensors.emplace_back(shape.size());
    return result;
  }
  FactorRule rule = interface.getShardingRule();
  SmallVector<ArrayRef<int64_t>> operandShapes = shapesOf(op->getOperands()),
                                 resultShapes = shapesOf(op->getResults());
  SmallVector<int, 128> indexOf(128, -1);
  auto add = [&](ArrayRef<FactorRule::Tensor> tensors) {
    for (const FactorRule::Tensor &tensor : tensors) {
      TensorFactors &dims = result.tensors.emplace_back();
      for (const FactorRule::Dim &dim : tensor) {
        dims.emplace_back();
        for (char name : dim) {
          if (indexOf[name] < 0) {
            indexOf[name] = result.factors.size();
            result.factors.push_back(
                {rule.sizeOf(name, operandShapes, resultShapes), rule.kindOf(name), name});
          }
          dims.back().push_back(indexOf[name]);
        }
      }
    }
  };
  add(rule.operands);
  add(rule.results);
  if (auto reader = dyn_cast<WindowOpInterface>(op))
    llvm::append_range(result.windows, reader.getOperandWindows());
  return result;
}

bool OpRule::isElementwise() const {
  return llvm::all_of(llvm::seq<unsigned>(factors.size()), [&](unsigned factor) {
    return factors[factor].kind == FactorKind::passThrough &&
           llvm::all_of(llvm::seq<unsigned>(tensors.size()),
                        [&](unsigned tensor) { return holds(tensor, factor); });
  });
}

bool OpRule::canCut(unsigned factor, AxisListRef axes) const {
  FactorKind kind = factors[factor].kind;
  if (axes.empty() || kind == FactorKind::needReplication)
    return axes.empty();
  SmallVector<bool> isSeen(numOperands, false);
  for (const OperandWindow &read : windows) {
    if (ArrayRef<unsigned>(tensors[read.operand][read.dim]) != ArrayRef(factor))
      continue;
    isSeen[read.operand] = true;
    for (DimPart part : partsOf(read.window.numPlaces, axes))
      if (part.extent > 0 && !read.window.isAligned(part.begin))
        return false;
  }
  return kind != FactorKind::permutation ||
         llvm::all_of(llvm::seq(numOperands),
                      [&](unsigned operand) { return isSeen[operand] || !holds(operand, factor); });
}

bool OpRule::holds(unsigned tensor, unsigned factor) const {
  return llvm::any_of(tensors[tensor],
                      [&](ArrayRef<unsigned> dim) { return llvm::is_contained(dim, factor); });
}

FactorAxes projectToFactors(const OpRule &rule, unsigned tensor, const TensorSharding &sharding) {
  FactorAxes result;
  result.axes.resize(rule.factors.size());
  for (auto [factors, dim] : llvm::zip_equal(rule.tensors[tensor], sharding.dims)) {
    AxisList rest = dim.axes;
    for (unsigned factor : factors) {
      AxisList &taken = result.axes[factor];
      // Alone in its dim, a factor need not divide: the last parts are short or empty.
      taken = factors.size() == 1 ? rest : prefixDividing(rest, rule.factors[factor].size);
      rest = *dropPrefix(rest, taken);
      if (sizeOf(taken) != rule.factors[factor].size)
        break;
    }
    llvm::append_range(result.overflow, rest);
  }
  return result;
}

AxisList dimAxes(const OpRule &rule, ArrayRef<unsigned> dimFactors, ArrayRef<AxisList> axes) {
  AxisList result;
  for (unsigned factor : dimFactors) {
    int64_t size = rule.factors[factor].size;
    AxisList own = dimFactors.size() == 1 ? axes[factor] : prefixDividing(axes[factor], size);
    result = concat(result, own);
    if (sizeOf(own) != size)
      break;
  }
  return result;
}

} // namespace sheaf::sharding
