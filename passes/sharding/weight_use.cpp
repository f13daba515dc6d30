// Tells weights from activations and follows dims through a graph.
#include "passes/sharding/weight_use.h"

#include "passes/sharding/op_rule.h"

using namespace mlir;
using namespace sheaf::dist;

namespace sheaf::sharding {

Weights::Weights(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (function.getArgAttr(argument.getArgNumber(), graph::kParameter))
      values.insert(argument);
  for (Operation &op : function.getOps())
    if (op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
        llvm::all_of(op.getOperands(), [&](Value v) { return values.contains(v); }))
      values.insert_range(op.getResults());
}

bool Weights::contains(Value value) const {
  // Constraints may be younger than this.
  while (auto constraint = value.getDefiningOp<ConstraintOp>())
    value = constraint.getOperand();
  return values.contains(value);
}

std::optional<WeightProduct> WeightProduct::of(graph::ContractOp op, const Weights &weights) {
  bool isLhs = weights.contains(op.getLhs());
  if (isLhs == weights.contains(op.getRhs()))
    return std::nullopt;
  return WeightProduct{op, isLhs};
}

SmallVector<unsigned> WeightProduct::columns() {
  size_t numBatch = op.getLhsBatch().size(), numLhs = op.getLhsFree().size();
  size_t first = isWeightLhs ? numBatch : numBatch + numLhs;
  size_t count = isWeightLhs ? numLhs : op.getRhsFree().size();
  return llvm::to_vector(llvm::seq<unsigned>(first, first + count));
}

ArrayRef<int64_t> WeightProduct::rows() {
  return isWeightLhs ? op.getLhsContract() : op.getRhsContract();
}

std::optional<unsigned> WeightProduct::rowOf(unsigned activationDim) {
  ArrayRef<int64_t> summed = isWeightLhs ? op.getRhsContract() : op.getLhsContract();
  for (auto [dim, row] : llvm::zip_equal(summed, rows()))
    if (dim == activationDim)
      return row;
  return std::nullopt;
}

void cutColumns(Annotator &annotator, WeightProduct product, AxisListRef axes) {
  SmallVector<unsigned> columns = product.columns();
  if (!columns.empty())
    annotator.cut(product.op.getResult(), columns[0], axes);
}

void cutRows(Annotator &annotator, WeightProduct product, AxisListRef axes) {
  if (!product.rows().empty())
    annotator.cut(product.weight(), product.rows()[0], axes);
}

void keepSlicedWhole(func::FuncOp function, Annotator &annotator) {
  for (BlockArgument argument : function.getArguments()) {
    if (!function.getArgAttr(argument.getArgNumber(), graph::kParameter))
      continue;
    for (Operation *user : argument.getUsers())
      if (auto slice = dyn_cast<graph::SliceOp>(user))
        for (int64_t dim : llvm::seq(slice.getType().getRank()))
          if (slice.getType().getDimSize(dim) !=
              cast<RankedTensorType>(argument.getType()).getDimSize(dim))
            annotator.keepWhole(argument, dim);
  }
}

/// The dim of result 0 whose major part is the factor that alone makes dim `dim` of `operand`; none where
/// the op does more than touch each element of that factor in place.
static std::optional<unsigned> passThrough(const OpRule &rule, unsigned operand, unsigned dim) {
  ArrayRef<unsigned> factors = rule.tensors[operand][dim];
  if (factors.size() != 1 || rule.factors[factors[0]].kind != FactorKind::passThrough)
    return std::nullopt;
  for (auto [index, others] : llvm::enumerate(rule.tensors[rule.numOperands]))
    if (!others.empty() && others[0] == factors[0])
      return index;
  return std::nullopt;
}

void followDim(Value value, unsigned dim,
               llvm::function_ref<void(OpOperand &use, unsigned dim)> visit) {
  llvm::DenseSet<std::pair<Value, unsigned>> seen;
  SmallVector<std::pair<Value, unsigned>> open = {{value, dim}};
  while (!open.empty()) {
    auto next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    for (OpOperand &use : next.first.getUses()) {
      visit(use, next.second);
      Operation *user = use.getOwner();
      if (user->getNumResults() != 1 || user->getNumRegions() != 0)
        continue;
      bool isSame = isa<ConstraintOp, BarrierOp>(user);
      OpRule rule = isSame ? OpRule() : OpRule::of(user);
      if (isSame)
        open.push_back({user->getResult(0), next.second});
      else if (rule.isElementwise())
        if (auto to = passThrough(rule, use.getOperandNumber(), next.second))
          open.push_back({user->getResult(0), *to});
    }
  }
}

void visitBefore(Value value, unsigned dim, const Weights &weights,
                 llvm::function_ref<bool(Operation *op, unsigned dim)> visit) {
  llvm::DenseSet<std::pair<Value, unsigned>> seen;
  SmallVector<std::pair<Value, unsigned>> open = {{value, dim}};
  while (!open.empty()) {
    auto next = open.pop_back_val();
    Operation *op = next.first.getDefiningOp();
    if (!op || op->getNumResults() != 1 || op->getNumRegions() != 0 || !seen.insert(next).second)
      continue;
    if (isa<ConstraintOp, BarrierOp>(op)) {
      open.push_back({op->getOperand(0), next.second});
      continue;
    }
    if (!visit(op, next.second))
      continue;
    OpRule rule = OpRule::of(op);
    ArrayRef<unsigned> factors = rule.tensors[rule.numOperands][next.second];
    if (factors.size() != 1 || rule.factors[factors[0]].kind != FactorKind::passThrough)
      continue;
    for (OpOperand &operand : op->getOpOperands())
      for (auto [index, others] : llvm::enumerate(rule.tensors[operand.getOperandNumber()]))
        if (!others.empty() && others[0] == factors[0] && !weights.contains(operand.get()))
          open.push_back({operand.get(), unsigned(index)});
  }
}

SmallVector<WeightProduct> productsBefore(Value value, unsigned dim, const Weights &weights) {
  SmallVector<WeightProduct> products;
  visitBefore(value, dim, weights, [&](Operation *op, unsigned dim) {
    auto contract = dyn_cast<graph::ContractOp>(op);
    if (!contract)
      return true;
    std::optional<WeightProduct> product = WeightProduct::of(contract, weights);
    if (product && llvm::is_contained(product->columns(), dim))
      products.push_back(*product);
    return false;
  });
  return products;
}

} // namespace sheaf::sharding
