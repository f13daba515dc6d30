// Makes every op's operands and results agree with its rule, by explicit reshards.
#include "passes/sharding/carried_sum.h"
#include "passes/sharding/loop_invariants.h"
#include "passes/sharding/op_placement.h"
#include "passes/sharding/passes.h"

#include "dialects/dist/dist.h"
#include "dialects/interfaces/graph_interfaces.h"

namespace sheaf::sharding {
#define GEN_PASS_DEF_SHARDINGINSERTRESHARDSPASS
#include "passes/sharding/passes.h.inc"
} // namespace sheaf::sharding

using namespace mlir;
using namespace sheaf;
using namespace sheaf::dist;
using namespace sheaf::sharding;

namespace {

/// One function at work.
class FunctionReshards {
public:
  FunctionReshards(func::FuncOp function, FlatSymbolRefAttr meshName, MeshAttr mesh)
      : function(function), meshName(meshName), mesh(mesh) {
    if (auto axes = function->getAttrOfType<AxesAttr>(kSharedAxes))
      shared = axesOf(axes.getAxes(), mesh);
  }

  LogicalResult run() {
    for (BlockArgument argument : function.getArguments()) {
      auto given =
          function.getArgAttrOfType<ShardingAttr>(argument.getArgNumber(), dist::kSharding);
      setPlace(argument, given);
      function.setArgAttr(argument.getArgNumber(), dist::kSharding, attrOf(argument));
    }
    for (unsigned index : llvm::seq(function.getNumResults())) {
      auto given = function.getResultAttrOfType<ShardingAttr>(index, dist::kSharding);
      if (!given)
        return function.emitOpError("result ")
               << index << " has no sharding; run --sharding-propagate";
      TensorSharding sharding = TensorSharding::from(given, mesh).placed();
      function.setResultAttr(index, dist::kSharding, sharding.toAttr(meshName, mesh));
      resultPlaces.push_back(std::move(sharding));
    }
    if (failed(visit(function.getBody().front())))
      return failure();
    // What lost its users to a shorter way.
    SmallVector<ReshardOp> reshards;
    function.getBody().walk([&](ReshardOp reshard) { reshards.push_back(reshard); });
    for (ReshardOp reshard : llvm::reverse(reshards))
      if (reshard.use_empty())
        reshard.erase();
    hoistInvariants(function);
    return success();
  }

private:
  LogicalResult visit(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block))
      if (failed(visit(&op)))
        return failure();
    return success();
  }

  LogicalResult visit(Operation *op) {
    if (isa<func::ReturnOp>(op)) {
      for (auto [operand, place] : llvm::zip_equal(op->getOpOperands(), resultPlaces))
        bring(operand, place);
      return success();
    }
    if (auto constraint = dyn_cast<ConstraintOp>(op)) {
      OpOperand &operand = op->getOpOperand(0);
      TensorSharding to = TensorSharding::from(constraint.getSharding(), mesh).placed();
      // What is combined already can't be in parts again.
      to.partial = difference(to.partial, difference(to.partial, partialAxesOf(operand.get())));
      bring(operand, to);
      return replaceByOperand(op);
    }
    if (isa<BarrierOp, MarkOp>(op))
      return replaceByOperand(op);
    if (auto fence = dyn_cast<FenceOp>(op)) {
      TensorSharding place = places.at(fence.getOperand()); // The map may grow.
      setShardings(op, place);
      places[fence.getResult()] = std::move(place);
      return success();
    }
    if (auto loop = dyn_cast<graph::LoopOp>(op))
      return visitLoop(loop);
    if (auto manual = dyn_cast<ManualOp>(op))
      return visitManual(manual);
    if (op->getNumRegions() != 0)
      return op->emitOpError(
          "has a region and can't be sharded; only graph.loop and dist.manual can");
    if (op->getNumResults() == 0)
      return success();
    return place(op);
  }

  LogicalResult replaceByOperand(Operation *op) {
    op->replaceAllUsesWith(op->getOperands());
    op->erase();
    return success();
  }

  /// A loop carries values where they are wanted; what it only adds up it may carry in parts, which are combined once.
  LogicalResult visitLoop(graph::LoopOp loop) {
    FailureOr<std::vector<TensorSharding>> wanted = wantedOf(loop);
    if (failed(wanted))
      return failure();
    Block *body = loop.getBodyBlock();
    places[body->getArgument(0)] = TensorSharding::whole(0);
    auto arguments = body->getArguments().drop_front();
    for (auto [argument, place] : llvm::zip_equal(arguments, *wanted))
      places[argument] = place;
    if (failed(visit(*body)))
      return failure();
    std::vector<TensorSharding> carried;
    for (BlockArgument argument : arguments)
      carried.push_back(places.at(argument));
    for (auto [index, place] : llvm::enumerate(carried)) {
      begin(loop->getOpOperand(index), arguments[index], place);
      bring(body->getTerminator()->getOpOperand(index), place);
    }
    setShardings(loop, carried);
    offer(loop, carried, *wanted);
    return success();
  }

  /// Lets a loop begin with `init` at `place`.
  void begin(OpOperand &init, BlockArgument argument, const TensorSharding &place) {
    if (place.partial.empty())
      return bring(init, place);
    OpBuilder builder(init.getOwner());
    Operation *constant = builder.clone(*findCommonBegin(argument, place.partialKind));
    setShardings(constant, place);
    init.set(constant->getResult(0));
    places[init.get()] = place;
  }

  LogicalResult visitManual(ManualOp manual) {
    for (OpOperand &operand : manual->getOpOperands()) {
      ShardingAttr in = manual.getInSharding(operand.getOperandNumber());
      bring(operand, TensorSharding::from(in, mesh));
    }
    for (OpResult result : manual.getResults())
      places[result] = TensorSharding::from(manual.getOutSharding(result.getResultNumber()), mesh);
    return success();
  }

  /// Where the results of an op are wanted.
  FailureOr<std::vector<TensorSharding>> wantedOf(Operation *op) {
    auto shardings = op->getAttrOfType<ArrayAttr>(kShardings);
    if (!shardings)
      return op->emitOpError("has no sharding; run --sharding-propagate"), failure();
    std::vector<TensorSharding> wanted;
    for (auto attr : shardings.getAsRange<ShardingAttr>())
      wanted.push_back(TensorSharding::from(attr, mesh).placed());
    return wanted;
  }

  LogicalResult place(Operation *op) {
    FailureOr<std::vector<TensorSharding>> wanted = wantedOf(op);
    if (failed(wanted))
      return failure();
    OpTensors tensors;
    for (Value operand : op->getOperands()) {
      tensors.types.push_back(cast<RankedTensorType>(operand.getType()));
      tensors.shardings.push_back(places.at(operand));
      tensors.parts.push_back(partsOf(operand));
    }
    OpOperand *sum = findCarriedSum(op);
    if (sum)
      tensors.parts[sum->getOperandNumber()] = carriedParts(sum->get(), tensors.parts);
    tensors.waiting = waitingOperandsOf(op, tensors.parts);
    for (auto [result, place] : llvm::zip_equal(op->getResults(), *wanted)) {
      tensors.types.push_back(cast<RankedTensorType>(result.getType()));
      tensors.shardings.push_back(place);
    }
    OpPlacement placement = placeOp(OpRule::of(op), tensors, flopsOf(op), shared, paths);
    if (sum) // It is carried where the op takes it in parts.
      if (const TensorSharding &taken = placement.operands[sum->getOperandNumber()];
          !taken.partial.empty())
        places[sum->get()] = taken;
    for (auto [operand, place] : llvm::zip_equal(op->getOpOperands(), placement.operands))
      bring(operand, place);
    setShardings(op, placement.results);
    offer(op, placement.results, *wanted);
    return success();
  }

  /// Lets the users of results, which come out at `made`, find them where they are wanted.
  void offer(Operation *op, ArrayRef<TensorSharding> made, ArrayRef<TensorSharding> wanted) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    for (auto [result, from, to] : llvm::zip_equal(op->getResults(), made, wanted)) {
      places[result] = from;
      if (from == to)
        continue;
      auto reshard =
          ReshardOp::create(builder, result.getLoc(), result, from.toAttr(meshName, mesh),
                            to.toAttr(meshName, mesh), StringAttr());
      result.replaceAllUsesExcept(reshard.getResult(), reshard);
      places[reshard.getResult()] = to;
    }
  }

  /// The parts in which `sum` may be carried: those of the first operand that is added to it.
  std::optional<TensorSharding> carriedParts(Value sum,
                                             ArrayRef<std::optional<TensorSharding>> added) const {
    const auto *first = llvm::find_if(added, [](const auto &parts) { return parts.has_value(); });
    if (first == added.end() || !findCommonBegin(cast<BlockArgument>(sum), (*first)->partialKind))
      return std::nullopt;
    TensorSharding parts = places.at(sum);
    parts.partial = (*first)->partial;
    parts.partialKind = (*first)->partialKind;
    for (DimSharding &dim : parts.dims)
      dim.axes = prefixWithout(dim.axes, parts.partial);
    return parts;
  }

  /// Where `operand` is while it is partial: now, or before it was combined for its only user.
  std::optional<TensorSharding> partsOf(Value operand) const {
    if (!places.at(operand).partial.empty())
      return places.at(operand);
    auto reshard = operand.getDefiningOp<ReshardOp>();
    if (reshard && operand.hasOneUse() && !places.at(reshard.getOperand()).partial.empty())
      return places.at(reshard.getOperand());
    return std::nullopt;
  }

  /// Along which axes `value` is partial, or was before it was resharded.
  AxisList partialAxesOf(Value value) const {
    while (auto reshard = value.getDefiningOp<ReshardOp>())
      value = reshard.getOperand();
    return places.at(value).partial;
  }

  /// Puts a reshard before the user of `operand` where it is needed.
  void bring(OpOperand &operand, const TensorSharding &to) {
    Value value = cheapestSource(operand.get(), to);
    const TensorSharding from = places.at(value);
    if (from == to) {
      operand.set(value);
      return;
    }
    Operation *user = operand.getOwner();
    ShardingAttr toAttr = to.toAttr(meshName, mesh);
    auto [known, isNew] = brought.try_emplace({value, toAttr, user->getBlock()});
    if (isNew) {
      OpBuilder builder(user);
      known->second =
          ReshardOp::create(builder, user->getLoc(), value, from.toAttr(meshName, mesh), toAttr,
                            builder.getStringAttr(user->getName().getStringRef()));
      places[known->second] = to;
    }
    Operation *reshard = known->second.getDefiningOp();
    if (Attribute parameters = parametersOf(operand))
      reshard->setAttr(kParameters, parameters);
    if (Attribute again = user->getAttr(kGatheredAgain))
      reshard->setAttr(kGatheredAgain, again);
    operand.set(known->second);
  }

  /// The parameter that `operand` is brought somewhere as: by a constraint that names it, or as its new value. Null for
  /// other operands.
  Attribute parametersOf(OpOperand &operand) {
    Operation *user = operand.getOwner();
    if (!isa<func::ReturnOp>(user))
      return user->getAttr(kParameters);
    auto name =
        function.getResultAttrOfType<StringAttr>(operand.getOperandNumber(), graph::kUpdate);
    return name ? ArrayAttr::get(function.getContext(), name) : ArrayAttr();
  }

  /// `value`, or what it was before it was resharded, where that is the shorter way to `to`, or, when
  /// `to` is partial, the only one.
  Value cheapestSource(Value value, const TensorSharding &to) {
    auto type = cast<RankedTensorType>(value.getType());
    while (auto reshard = value.getDefiningOp<ReshardOp>()) {
      Value before = reshard.getOperand();
      if (!difference(to.partial, places.at(value).partial).empty()) {
        value = before;
        continue;
      }
      double direct = paths.find(type, places.at(before), to).sentBytes;
      double onwards = paths.find(type, places.at(value), to).sentBytes;
      // Where nobody else needs the value between, the way to it is saved too.
      if (value.hasOneUse())
        onwards += paths.find(type, places.at(before), places.at(value)).sentBytes;
      if (direct > onwards)
        break;
      value = before;
    }
    return value;
  }

  static double flopsOf(Operation *op) {
    if (auto costed = dyn_cast<CostOpInterface>(op))
      return double(costed.getCost().flops);
    double elements = 0;
    for (Value result : op->getResults())
      elements += double(cast<RankedTensorType>(result.getType()).getNumElements());
    return elements;
  }

  void setPlace(Value value, ShardingAttr given) {
    auto type = cast<RankedTensorType>(value.getType());
    places[value] =
        given ? TensorSharding::from(given, mesh).placed() : TensorSharding::whole(type.getRank());
  }

  ShardingAttr attrOf(Value value) { return places.at(value).toAttr(meshName, mesh); }

  void setShardings(Operation *op, ArrayRef<TensorSharding> shardings) {
    op->setAttr(kShardings,
                ArrayAttr::get(op->getContext(),
                               llvm::map_to_vector(shardings, [&](const TensorSharding &sharding) {
                                 return Attribute(sharding.toAttr(meshName, mesh));
                               })));
  }

  func::FuncOp function;
  FlatSymbolRefAttr meshName;
  MeshAttr mesh;
  AxisList shared; ///< along which work is never repeated
  ReshardPaths paths;
  std::vector<TensorSharding> resultPlaces;
  llvm::DenseMap<Value, TensorSharding> places;
  llvm::DenseMap<std::tuple<Value, Attribute, Block *>, Value> brought;
};

struct InsertReshards : sharding::impl::ShardingInsertReshardsPassBase<InsertReshards> {
  using ShardingInsertReshardsPassBase::ShardingInsertReshardsPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      FlatSymbolRefAttr name = meshOf(function);
      if (!name)
        continue;
      MeshAttr mesh = findMesh(function, name).getMesh();
      if (failed(FunctionReshards(function, name, mesh).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
