// Merges annotations with those that are given.
#include "passes/sharding/annotator.h"

using namespace mlir;
using namespace sheaf::dist;

namespace sheaf::sharding {

FailureOr<Annotator> Annotator::of(func::FuncOp function) {
  auto meshes = function->getParentOfType<ModuleOp>().getOps<MeshOp>();
  if (llvm::hasSingleElement(meshes)) {
    MeshOp mesh = *meshes.begin();
    return Annotator(function, FlatSymbolRefAttr::get(mesh.getSymNameAttr()), mesh.getMesh());
  }
  if (meshes.empty())
    return function.emitError("there is no mesh to shard over; give one: --mesh data=2,tensor=2"),
           failure();
  return function.emitError("several meshes are given; rules and strategies need one"), failure();
}

static bool isFree(const DimSharding &dim) { return dim.isOpen && dim.axes.empty(); }

ShardingAttr Annotator::merge(ShardingAttr given, const TensorSharding &wanted) const {
  TensorSharding result = given ? TensorSharding::from(given, mesh)
                                : TensorSharding::open(static_cast<int64_t>(wanted.dims.size()));
  AxisList used = result.usedAxes();
  for (auto [dim, asked] : llvm::zip_equal(result.dims, wanted.dims)) {
    if (!isFree(dim))
      continue;
    dim = asked;
    dim.axes = prefixWithout(asked.axes, used);
    llvm::append_range(used, dim.axes);
  }
  return result.toAttr(meshName, mesh);
}

void Annotator::give(Value value, const TensorSharding &wanted) {
  if (llvm::all_of(wanted.dims, isFree))
    return;
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner()->getParentOp() == function) {
    unsigned number = argument.getArgNumber();
    auto given = function.getArgAttrOfType<ShardingAttr>(number, kSharding);
    function.setArgAttr(number, kSharding, merge(given, wanted));
    return;
  }
  if (auto constraint = value.getDefiningOp<ConstraintOp>()) {
    constraint.setShardingAttr(merge(constraint.getSharding(), wanted));
    return;
  }
  if (value.hasOneUse())
    if (auto constraint = dyn_cast<ConstraintOp>(*value.user_begin()))
      return give(constraint.getResult(), wanted);
  auto result = dyn_cast<OpResult>(value);
  if (auto given = result ? result.getOwner()->getAttrOfType<ArrayAttr>(kShardings) : nullptr) {
    SmallVector<Attribute> all(given.getValue());
    Attribute &own = all[result.getResultNumber()];
    own = merge(cast<ShardingAttr>(own), wanted);
    result.getOwner()->setAttr(kShardings, ArrayAttr::get(given.getContext(), all));
    return;
  }
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  auto constraint = ConstraintOp::create(builder, value.getLoc(), value, merge(nullptr, wanted));
  value.replaceAllUsesExcept(constraint.getResult(), constraint);
}

void Annotator::giveUse(OpOperand &use, const TensorSharding &wanted) {
  Value value = use.get();
  ShardingAttr sharding = wanted.toAttr(meshName, mesh);
  Value &constraint = atUses[{value, sharding}];
  if (!constraint) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    constraint = ConstraintOp::create(builder, value.getLoc(), value, sharding);
  }
  use.set(constraint);
}

void Annotator::giveResult(unsigned index, const TensorSharding &wanted) {
  auto given = function.getResultAttrOfType<ShardingAttr>(index, kSharding);
  function.setResultAttr(index, kSharding, merge(given, wanted));
}

void Annotator::cut(Value value, unsigned dim, AxisListRef axes) {
  auto wanted = TensorSharding::open(cast<RankedTensorType>(value.getType()).getRank());
  wanted.dims[dim].axes = AxisList(axes);
  give(value, wanted);
}

void Annotator::keepWhole(Value value, unsigned dim) {
  auto wanted = TensorSharding::open(cast<RankedTensorType>(value.getType()).getRank());
  wanted.dims[dim].isOpen = false;
  give(value, wanted);
}

} // namespace sheaf::sharding
