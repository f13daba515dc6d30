// Decides where parameters, their gradients and optimizer states are stored: DDP, ZeRO, HSDP.
#include "passes/sharding/passes.h"

#include "dialects/dist/dist.h"
#include "dialects/dist/tensor_sharding.h"
#include "dialects/graph/graph.h"
#include "passes/sharding/store_layout.h"
#include "llvm/ADT/SetVector.h"

namespace sheaf::sharding {
#define GEN_PASS_DEF_SHARDINGSTOREPASS
#include "passes/sharding/passes.h.inc"
} // namespace sheaf::sharding

using namespace mlir;
using namespace sheaf;
using namespace sheaf::dist;
using namespace sheaf::sharding;

namespace {

/// The value that `mark` marks stands in its place.
void dropMark(MarkOp mark) {
  mark.getResult().replaceAllUsesWith(mark.getOperand());
  mark.erase();
}

/// One function of a training module at work.
class FunctionStore {
public:
  FunctionStore(func::FuncOp function, const StoreLayout &layout, FlatSymbolRefAttr meshName,
                MeshAttr mesh)
      : function(function), layout(layout), meshName(meshName), mesh(mesh) {}

  /// Errors: a mark of what is no parameter of the function.
  LogicalResult run() {
    function->setAttr(kSharedAxes, AxesAttr::get(function.getContext(), meshName,
                                                 refsOf(layout.sharedAxes(), mesh)));
    for (BlockArgument argument : function.getArguments())
      placeArgument(argument);
    // Losses go last: they tell forward from backward.
    SmallVector<MarkOp> losses, others;
    function.walk(
        [&](MarkOp mark) { (mark.getKind() == MarkKind::loss ? losses : others).push_back(mark); });
    for (MarkOp mark : others)
      if (!computed.contains(*mark.getParameter()))
        return mark.emitOpError("is of \"") << *mark.getParameter() << "\", which is no parameter";
    llvm::for_each(others, [&](MarkOp mark) { place(mark); });
    llvm::for_each(losses, dropMark);
    return success();
  }

private:
  void placeArgument(BlockArgument argument);
  void place(MarkOp mark);
  void placeWeight(MarkOp mark);

  TensorSharding given(unsigned argument) {
    return TensorSharding::from(function.getArgAttrOfType<ShardingAttr>(argument, kSharding), mesh);
  }

  /// Constrains what `mark` marks, and keeps of which parameter it is.
  ConstraintOp constrain(OpBuilder &builder, Value value, const TensorSharding &sharding,
                         MarkOp mark) {
    auto constraint =
        ConstraintOp::create(builder, value.getLoc(), value, sharding.toAttr(meshName, mesh));
    constraint->setAttr(kParameters, builder.getArrayAttr(mark.getParameterAttr()));
    return constraint;
  }

  func::FuncOp function;
  const StoreLayout &layout;
  FlatSymbolRefAttr meshName;
  MeshAttr mesh;
  llvm::StringMap<TensorSharding> computed; ///< of each parameter, where the model computes with it
};

void FunctionStore::placeArgument(BlockArgument argument) {
  unsigned index = argument.getArgNumber();
  auto type = cast<RankedTensorType>(argument.getType());
  auto set = [&](const TensorSharding &sharding) {
    function.setArgAttr(index, kSharding, sharding.toAttr(meshName, mesh));
  };
  if (auto name = function.getArgAttrOfType<StringAttr>(index, graph::kParameter)) {
    TensorSharding own = layout.computedAt(given(index));
    computed[name] = own;
    return set(layout.storesParameters() ? layout.storedAt(type, own) : own);
  }
  auto of = function.getArgAttrOfType<StringAttr>(index, graph::kStateOf);
  if (!function.getArgAttr(index, graph::kState))
    return;
  // States that are no element for element of their parameter are cut by themselves.
  TensorSharding own = TensorSharding::whole(type.getRank());
  if (auto found = of ? computed.find(of) : computed.end();
      found != computed.end() && found->second.dims.size() == size_t(type.getRank()))
    own = found->second;
  set(of && layout.storesStates() ? layout.storedAt(type, own) : layout.computedAt(own));
}

void FunctionStore::place(MarkOp mark) {
  if (mark.getKind() == MarkKind::weight)
    return placeWeight(mark);
  bool isPart = mark.getKind() == MarkKind::gradientPart;
  if (isPart && !layout.combinesParts())
    return dropMark(mark);
  const TensorSharding &own = computed.at(*mark.getParameter());
  OpBuilder builder(mark);
  // Where a gradient is kept says nothing of where it is computed.
  Value free = BarrierOp::create(builder, mark.getLoc(), mark.getOperand(), Direction::none);
  TensorSharding stored =
      layout.storesStates() ? layout.storedAt(mark.getType(), own) : TensorSharding(own);
  if (isPart)
    stored = layout.partsAt(stored);
  mark.getResult().replaceAllUsesWith(constrain(builder, free, stored, mark).getResult());
  mark.erase();
}

/// Gathers a stored parameter before its first use, and again before its first use after the loss.
void FunctionStore::placeWeight(MarkOp mark) {
  const TensorSharding &own = computed.at(*mark.getParameter());
  if (!layout.storesParameters() || layout.storedAt(mark.getType(), own) == own)
    return dropMark(mark);
  Block *block = mark->getBlock();
  Operation *loss = nullptr;
  for (MarkOp other : block->getOps<MarkOp>())
    if (other.getKind() == MarkKind::loss)
      loss = other;
  auto isBackward = [&](Operation *user) { return loss && loss->isBeforeInBlock(user); };
  Operation *first[2] = {nullptr, nullptr}; // Forward, backward.
  for (Operation *user : mark.getResult().getUsers()) {
    Operation *inBlock = block->findAncestorOpInBlock(*user);
    Operation *&known = first[layout.gathersAgain() && isBackward(inBlock)];
    if (!known || inBlock->isBeforeInBlock(known))
      known = inBlock;
  }
  Value stored = mark.getOperand();
  for (bool again : {false, true}) {
    Operation *user = first[again];
    if (!user)
      continue;
    OpBuilder builder(user);
    Value source = stored;
    // Of a micro-batch, or of the backward pass: not what has been gathered before.
    Value after = again ? layout.firstComputedAfter(loss, user) : layout.carriedInto(block);
    if (after)
      source = FenceOp::create(builder, mark.getLoc(), source, after);
    source = BarrierOp::create(builder, mark.getLoc(), source, Direction::none);
    ConstraintOp gathered = constrain(builder, source, own, mark);
    if (again)
      gathered->setAttr(kGatheredAgain, builder.getUnitAttr());
    mark.getResult().replaceUsesWithIf(gathered.getResult(), [&](OpOperand &use) {
      Operation *inBlock = block->findAncestorOpInBlock(*use.getOwner());
      return (layout.gathersAgain() && isBackward(inBlock)) == again;
    });
  }
  mark.erase();
}

struct Store : sharding::impl::ShardingStorePassBase<Store> {
  using ShardingStorePassBase::ShardingStorePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    FlatSymbolRefAttr meshName = functions.empty() ? nullptr : meshOf(functions.front());
    if (!meshName || layout.empty()) {
      if (!layout.empty()) {
        module.emitError("layout ") << layout << " needs a mesh";
        return signalPassFailure();
      }
      module.walk([](MarkOp mark) { dropMark(mark); });
      return;
    }
    MeshAttr mesh = findMesh(functions.front(), meshName).getMesh();
    FailureOr<StoreLayout> found = StoreLayout::create(layout, mesh, {keep, defer, threshold},
                                                       [&] { return module.emitError(); });
    if (failed(found))
      return signalPassFailure();
    for (func::FuncOp function : functions)
      if (failed(FunctionStore(function, *found, meshName, mesh).run()))
        return signalPassFailure();
  }
};

} // namespace
