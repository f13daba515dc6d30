// The strategy "tp": ranks share heads, hidden dims and the vocabulary (Shoeybi et al. 2019).
#include "passes/sharding/attention_heads.h"
#include "passes/sharding/strategies.h"

#include "passes/sharding/op_rule.h"

using namespace mlir;
using namespace sheaf::dist;

namespace sheaf::sharding {
namespace {

class TensorCuts {
public:
  explicit TensorCuts(const StrategyTarget &target)
      : function(target.function), annotator(target.annotator), weights(target.weights),
        axis(target.axis) {}

  unsigned run() {
    // Collected first: annotations add ops.
    SmallVector<Operation *> ops;
    for (Operation &op : function.getOps())
      ops.push_back(&op);
    for (Operation *op : ops) {
      if (auto heads = AttentionHeads::of(op, weights))
        cutHeads(*heads);
      else if (auto lookup = dyn_cast<graph::GatherOp>(op))
        cutVocabulary(lookup);
      else if (auto product = dyn_cast<graph::ContractOp>(op))
        cutProduct(product);
    }
    keepSlicedWhole(function, annotator);
    return count;
  }

private:
  void cutHeads(const AttentionHeads &attention) {
    int64_t heads = extentOf(attention.query), groups = extentOf(attention.key);
    // Grouped heads are cut as groups, then as members of groups: all parts are equal.
    bool isGrouped = groups != heads && groups > 1;
    if (isGrouped && groups % axis.size != 0 && heads % axis.size != 0) {
      attention.op->emitWarning() << heads << " heads in " << groups << " groups can't be cut into "
                                  << axis.size << " parts; every rank computes all of them";
      return;
    }
    if (heads % axis.size != 0)
      attention.op->emitWarning() << heads << " heads are cut into " << axis.size
                                  << " parts: some ranks have more than others";
    SmallVector<AttentionHeads::Place> operands = {attention.query};
    if (groups > 1 && (groups % axis.size == 0 || !isGrouped))
      llvm::append_values(operands, attention.key, attention.value);
    for (auto [value, dim] : operands) {
      // Parts of heads are no blocks of columns.
      if (heads % axis.size == 0)
        for (WeightProduct before : productsBefore(value, dim, weights))
          cutColumns(annotator, before, axis);
      annotator.cut(value, dim, axis);
    }
    for (WeightProduct after : productsOver(attention.result.value, attention.result.dim))
      cutRows(annotator, after, axis);
    ++count;
  }

  static int64_t extentOf(AttentionHeads::Place place) {
    return cast<RankedTensorType>(place.value.getType()).getDimSize(place.dim);
  }

  bool isLarge(int64_t extent) const { return extent >= 8 * axis.size; }

  /// Of a table that an input selects from: tokens, not positions or types.
  void cutVocabulary(graph::GatherOp lookup) {
    Value table = lookup->getOperand(0);
    if (!weights.contains(table) || !comesFromInput(lookup->getOperand(1)) ||
        !isLarge(cast<RankedTensorType>(table.getType()).getDimSize(lookup.getDim())))
      return;
    annotator.cut(table, lookup.getDim(), axis);
    ++count;
  }

  /// Whether `value` is an input, element by element.
  bool comesFromInput(Value value) {
    while (Operation *op = value.getDefiningOp()) {
      bool isSame = isa<ConstraintOp, BarrierOp>(op);
      if (!isSame && !OpRule::of(op).isElementwise())
        return false;
      // Constants and the like take part in correcting indices.
      Value next;
      for (Value operand : op->getOperands())
        if (!weights.contains(operand))
          next = operand;
      if (!next)
        return false;
      value = next;
    }
    auto argument = cast<BlockArgument>(value);
    return argument.getOwner()->getParentOp() == function &&
           function.getArgAttr(argument.getArgNumber(), graph::kInput);
  }

  /// Products with weights that sum over what dim `dim` of `value` becomes.
  SmallVector<WeightProduct> productsOver(Value value, unsigned dim) {
    SmallVector<WeightProduct> products;
    followDim(value, dim, [&](OpOperand &use, unsigned dim) {
      auto op = dyn_cast<graph::ContractOp>(use.getOwner());
      auto product = op ? WeightProduct::of(op, weights) : std::nullopt;
      if (product && &product->activation() == &use && product->rowOf(dim))
        products.push_back(*product);
    });
    return products;
  }

  static bool isOutput(Value value, unsigned dim) {
    bool found = false;
    followDim(value, dim, [&](OpOperand &use, unsigned) {
      found |= use.getOwner()->hasTrait<OpTrait::IsTerminator>();
    });
    return found;
  }

  void cutProduct(graph::ContractOp op) {
    std::optional<WeightProduct> product = WeightProduct::of(op, weights);
    if (!product)
      return;
    for (unsigned column : product->columns()) {
      if (op.getType().getDimSize(column) < axis.size)
        continue;
      SmallVector<WeightProduct> next = productsOver(op.getResult(), column);
      if (next.empty() &&
          !(isLarge(op.getType().getDimSize(column)) && isOutput(op.getResult(), column)))
        continue;
      annotator.cut(op.getResult(), column, axis);
      for (WeightProduct second : next)
        cutRows(annotator, second, axis);
      ++count;
      return;
    }
  }

  func::FuncOp function;
  Annotator &annotator;
  const Weights &weights;
  Axis axis;
  unsigned count = 0;
};

} // namespace

unsigned cutTensors(const StrategyTarget &target) { return TensorCuts(target).run(); }

} // namespace sheaf::sharding
