// Turns functions on whole tensors into functions on the blocks of one rank.
#include "passes/sharding/op_shards.h"
#include "passes/sharding/passes.h"
#include "passes/sharding/reshard_path.h"

#include "dialects/dist/dist.h"
#include "dialects/interfaces/graph_interfaces.h"
#include "mlir/IR/IRMapping.h"
#include "passes/analysis/trips.h"

namespace sheaf::sharding {
#define GEN_PASS_DEF_SHARDINGPARTITIONPASS
#include "passes/sharding/passes.h.inc"
} // namespace sheaf::sharding

using namespace mlir;
using namespace sheaf;
using namespace sheaf::dist;
using namespace sheaf::sharding;

namespace {

RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// One function at work: its body is built anew beside the old one.
class FunctionPartition {
public:
  FunctionPartition(func::FuncOp function, FlatSymbolRefAttr meshName, MeshAttr mesh,
                    bool showsRemarks)
      : function(function), meshName(meshName), mesh(mesh), showsRemarks(showsRemarks),
        newBlock(new Block), places(newBlock, function.getLoc(), meshName, mesh) {}

  LogicalResult run() {
    Block &oldBlock = function.getBody().front();
    SmallVector<Type> argTypes, resultTypes;
    for (BlockArgument argument : function.getArguments()) {
      argTypes.push_back(adopt(argument, newBlock));
      function.setArgAttr(argument.getArgNumber(), kWhole, TypeAttr::get(argument.getType()));
    }
    for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
      auto sharding = function.getResultAttrOfType<ShardingAttr>(index, kSharding);
      resultTypes.push_back(
          blockTypeOf(cast<RankedTensorType>(type), TensorSharding::from(sharding, mesh)));
      function.setResultAttr(index, kWhole, TypeAttr::get(type));
    }
    function.getBody().push_back(newBlock);
    OpBuilder builder = OpBuilder::atBlockEnd(newBlock);
    if (failed(visit(oldBlock, builder)))
      return failure();
    oldBlock.dropAllReferences();
    oldBlock.dropAllUses();
    oldBlock.erase();
    function.setFunctionType(builder.getFunctionType(argTypes, resultTypes));
    return success();
  }

private:
  /// Gives the local form of an argument to `block`; its sharding is on the function.
  Type adopt(BlockArgument argument, Block *block) {
    auto given = function.getArgAttrOfType<ShardingAttr>(argument.getArgNumber(), kSharding);
    return adopt(argument, TensorSharding::from(given, mesh), block);
  }

  Type adopt(BlockArgument argument, const TensorSharding &sharding, Block *block) {
    Type type = blockTypeOf(tensorOf(argument), sharding);
    set(argument, block->addArgument(type, argument.getLoc()), sharding);
    return type;
  }

  void set(Value whole, Value local, TensorSharding sharding) {
    locals[whole] = local;
    shardings[whole] = std::move(sharding);
  }

  LogicalResult visit(Block &block, OpBuilder &builder) {
    for (Operation &op : block)
      if (failed(visit(&op, builder)))
        return failure();
    return success();
  }

  LogicalResult visit(Operation *op, OpBuilder &builder) {
    if (auto reshard = dyn_cast<ReshardOp>(op))
      return visitReshard(reshard, builder);
    if (auto loop = dyn_cast<graph::LoopOp>(op))
      return visitLoop(loop, builder);
    if (auto manual = dyn_cast<ManualOp>(op)) {
      visitManual(manual, builder);
      return success();
    }
    if (auto fence = dyn_cast<FenceOp>(op)) {
      Value local = locals.lookup(fence.getOperand());
      set(fence.getResult(),
          FenceOp::create(builder, fence.getLoc(), local, locals.lookup(fence.getAfter())),
          shardings.at(fence.getOperand()));
      return success();
    }
    SmallVector<Value> operands =
        llvm::map_to_vector(op->getOperands(), [&](Value value) { return locals.lookup(value); });
    if (op->getNumResults() == 0) {
      IRMapping mapping;
      mapping.map(op->getOperands(), operands);
      builder.clone(*op, mapping);
      return success();
    }
    auto attr = op->getAttrOfType<ArrayAttr>(kShardings);
    if (!attr)
      return op->emitOpError("has no sharding; run --sharding-propagate and "
                             "--sharding-insert-reshards");
    std::vector<TensorSharding> all;
    for (Value operand : op->getOperands())
      all.push_back(shardings.at(operand));
    for (auto sharding : attr.getAsRange<ShardingAttr>())
      all.push_back(TensorSharding::from(sharding, mesh));
    OpShards shards(op, all, operands, builder, places);
    SmallVector<Value> results;
    bool isCut = llvm::any_of(all, [](const TensorSharding &s) { return !s.isWhole(); });
    if (auto localizes = dyn_cast<LocalizeOpInterface>(op); localizes && isCut) {
      FailureOr<SmallVector<Value>> localized = localizes.localize(shards);
      if (failed(localized))
        return failure();
      results = *localized;
    } else {
      results = shards.clone();
    }
    if (showsRemarks)
      for (auto [operand, dim, bytes] : shards.sentWindows())
        emitRemark(op->getLoc()) << "reads operand " << operand << " of " << op->getName()
                                 << " along dim " << dim
                                 << " across blocks: each rank sends at most " << bytes << " bytes"
                                 << tripsText(op);
    for (auto [index, result] : llvm::enumerate(op->getResults())) {
      if (results[index].getType() != shards.resultTypes()[index])
        return op->emitOpError("has a block of ")
               << shards.resultTypes()[index] << ", but its local form makes "
               << results[index].getType();
      set(result, results[index], all[op->getNumOperands() + index]);
    }
    return success();
  }

  LogicalResult visitLoop(graph::LoopOp loop, OpBuilder &builder) {
    auto attr = loop->getAttrOfType<ArrayAttr>(kShardings);
    SmallVector<Value> inits =
        llvm::map_to_vector(loop.getInits(), [&](Value value) { return locals.lookup(value); });
    OperationState state(loop.getLoc(), loop->getName());
    state.addOperands(inits);
    state.addAttributes(loop->getAttrs());
    state.addTypes(TypeRange(ValueRange(inits)));
    Block *oldBody = loop.getBodyBlock(), *body = new Block;
    state.addRegion()->push_back(body);
    adopt(oldBody->getArgument(0), TensorSharding::whole(0), body);
    for (auto [argument, sharding] :
         llvm::zip_equal(oldBody->getArguments().drop_front(), attr.getAsRange<ShardingAttr>()))
      adopt(argument, TensorSharding::from(sharding, mesh), body);
    Operation *local = builder.create(state);
    local->removeAttr(kShardings);
    OpBuilder inner = OpBuilder::atBlockEnd(body);
    if (failed(visit(*oldBody, inner)))
      return failure();
    for (auto [result, localResult, sharding] :
         llvm::zip_equal(loop.getResults(), local->getResults(), attr.getAsRange<ShardingAttr>()))
      set(result, localResult, TensorSharding::from(sharding, mesh));
    return success();
  }

  /// Its body is what the rank does.
  void visitManual(ManualOp manual, OpBuilder &builder) {
    Block *body = manual.getBodyBlock();
    IRMapping mapping;
    for (auto [argument, operand] : llvm::zip_equal(body->getArguments(), manual.getOperands()))
      mapping.map(argument, locals.lookup(operand));
    for (Operation &op : body->without_terminator())
      builder.clone(op, mapping);
    for (auto [index, yielded] : llvm::enumerate(body->getTerminator()->getOperands()))
      set(manual.getResult(index), mapping.lookup(yielded),
          TensorSharding::from(manual.getOutSharding(index), mesh));
  }

  LogicalResult visitReshard(ReshardOp reshard, OpBuilder &builder) {
    RankedTensorType type = tensorOf(reshard.getOperand());
    TensorSharding from = TensorSharding::from(reshard.getFrom(), mesh);
    TensorSharding to = TensorSharding::from(reshard.getTo(), mesh);
    const ReshardPath &path = paths.find(type, from, to);
    Value local = locals.lookup(reshard.getOperand());
    for (const ReshardStep &step : path.steps) {
      local = emit(step, from.partialKind, type, reshard.getLoc(), local, builder);
      for (StringRef name : {kParameters, kGatheredAgain})
        if (Attribute attribute = reshard->getAttr(name))
          local.getDefiningOp()->setAttr(name, attribute);
    }
    if (showsRemarks)
      remark(reshard, path);
    set(reshard.getResult(), local, to);
    return success();
  }

  Value emit(const ReshardStep &step, PartialKind kind, RankedTensorType whole, Location loc,
             Value local, OpBuilder &builder) {
    AxesAttr axes = axesAttr(step.axes);
    RankedTensorType type = blockTypeOf(whole, step.result);
    switch (step.kind) {
    case ReshardStep::Kind::slice:
      return SliceOp::create(builder, loc, type, local, step.dim, axes);
    case ReshardStep::Kind::allGather:
      return AllGatherOp::create(builder, loc, type, local, step.dim, axes)->getResult(0);
    case ReshardStep::Kind::allToAll:
      return AllToAllOp::create(builder, loc, type, local, step.dim, step.splitDim, axes);
    case ReshardStep::Kind::permute:
      return PermuteOp::create(builder, loc, type, local, axes, axesAttr(step.to));
    case ReshardStep::Kind::reduceScatter:
    case ReshardStep::Kind::allReduce:
      return emitReduction(step, kind, type, loc, local, builder);
    }
    llvm_unreachable("unknown step");
  }

  /// Ranks combine numbers: booleans travel as bytes.
  Value emitReduction(const ReshardStep &step, PartialKind kind, RankedTensorType type,
                      Location loc, Value local, OpBuilder &builder) {
    AxesAttr axes = axesAttr(step.axes);
    graph::PrimitiveBuilder b(loc, builder);
    Type element = type.getElementType();
    Type wire = element.isInteger(1) ? b.getIntegerType(8) : element;
    Value sent = b.cast(local, wire);
    Value combined = step.kind == ReshardStep::Kind::allReduce
                         ? AllReduceOp::create(b, type.clone(wire), kind, sent, axes)->getResult(0)
                         : ReduceScatterOp::create(b, type.clone(wire), kind, sent, step.dim, axes)
                               ->getResult(0);
    return b.cast(combined, element);
  }

  AxesAttr axesAttr(AxisListRef axes) {
    return AxesAttr::get(mesh.getContext(), meshName, refsOf(axes, mesh));
  }

  void remark(ReshardOp reshard, const ReshardPath &path) {
    InFlightDiagnostic diagnostic = emitRemark(reshard.getLoc());
    diagnostic << "reshards " << reshard.getType() << " from " << reshard.getFrom() << " to "
               << reshard.getTo();
    if (auto asked = reshard.getAsked())
      diagnostic << " for " << *asked;
    diagnostic << ": each rank sends " << int64_t(path.sentBytes) << " bytes in "
               << path.steps.size() << (path.steps.size() == 1 ? " step" : " steps")
               << tripsText(reshard);
  }

  func::FuncOp function;
  FlatSymbolRefAttr meshName;
  MeshAttr mesh;
  bool showsRemarks;
  Block *newBlock;
  ShardPlaces places;
  ReshardPaths paths;
  llvm::DenseMap<Value, Value> locals;
  llvm::DenseMap<Value, TensorSharding> shardings;
};

struct Partition : sharding::impl::ShardingPartitionPassBase<Partition> {
  using ShardingPartitionPassBase::ShardingPartitionPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      FlatSymbolRefAttr name = meshOf(function);
      if (!name)
        continue;
      MeshAttr mesh = findMesh(function, name).getMesh();
      if (failed(FunctionPartition(function, name, mesh, remarks).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
