// Builds the propagation graph of a function, and writes what came out.
#include "passes/sharding/function_tensors.h"

#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf::dist;

namespace sheaf::sharding {

ShardingAttr givenSharding(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return function ? function.getArgAttrOfType<ShardingAttr>(argument.getArgNumber(), kSharding)
                    : nullptr;
  }
  auto result = cast<OpResult>(value);
  if (auto constraint = dyn_cast<ConstraintOp>(result.getOwner()))
    return constraint.getSharding();
  if (auto manual = dyn_cast<ManualOp>(result.getOwner()))
    return manual.getOutSharding(result.getResultNumber());
  auto shardings = result.getOwner()->getAttrOfType<ArrayAttr>(kShardings);
  return shardings ? cast<ShardingAttr>(shardings[result.getResultNumber()]) : nullptr;
}

/// Visits the ops on whole tensors: what is in manual regions works on blocks.
static WalkResult walkWhole(func::FuncOp function, function_ref<WalkResult(Operation *)> visit) {
  return function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    WalkResult result = visit(op);
    return result.wasInterrupted() || !isa<ManualOp>(op) ? result : WalkResult::skip();
  });
}

/// What one rank does on its block means nothing on whole tensors. Functions that are partitioned are full of it.
static LogicalResult checkCollectives(func::FuncOp function) {
  for (unsigned i : llvm::seq(function.getNumArguments()))
    if (function.getArgAttr(i, kWhole))
      return success();
  WalkResult result = walkWhole(function, [](Operation *op) -> WalkResult {
    if (isa<AllReduceOp, AllGatherOp, ReduceScatterOp, AllToAllOp, PermuteOp, SendRecvOp, WindowOp,
            SliceOp, ShardIndexOp>(op))
      return op->emitOpError("is what one rank does with its block; put it into a dist.manual");
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

FailureOr<FunctionTensors> FunctionTensors::read(func::FuncOp function) {
  FunctionTensors tensors(function);
  if (!function.isExternal() && failed(checkCollectives(function)))
    return failure();
  if (failed(tensors.findMesh()))
    return failure();
  if (!tensors.hasMesh() || function.isExternal())
    return tensors;
  for (BlockArgument argument : function.getArguments())
    tensors.add(argument, givenSharding(argument));
  walkWhole(function, [&](Operation *op) {
    if (auto loop = dyn_cast<graph::LoopOp>(op))
      for (BlockArgument argument : loop.getBodyBlock()->getArguments())
        tensors.add(argument, nullptr);
    for (OpResult result : op->getResults())
      tensors.add(result, givenSharding(result));
    return WalkResult::advance();
  });
  for (unsigned index : llvm::seq(function.getNumResults()))
    tensors.addResult(index);
  walkWhole(function, [&](Operation *op) {
    tensors.addOp(op);
    return WalkResult::advance();
  });
  return tensors;
}

LogicalResult FunctionTensors::adoptMesh(Operation *user, ShardingAttr sharding) {
  MeshAttr other = dist::findMesh(user, sharding.getMesh()).getMesh();
  if (!mesh) {
    mesh = other;
    meshName = sharding.getMesh();
  }
  // The same mesh under another name is the same mesh.
  if (mesh == other)
    return success();
  return user->emitOpError("is sharded over mesh ")
         << sharding.getMesh() << " = " << other << ", others in the function over " << meshName
         << " = " << mesh << "; a function runs on one mesh";
}

LogicalResult FunctionTensors::findMesh() {
  for (unsigned i : llvm::seq(function.getNumArguments()))
    if (auto sharding = function.getArgAttrOfType<ShardingAttr>(i, kSharding))
      if (failed(adoptMesh(function, sharding)))
        return failure();
  for (unsigned i : llvm::seq(function.getNumResults()))
    if (auto sharding = function.getResultAttrOfType<ShardingAttr>(i, kSharding))
      if (failed(adoptMesh(function, sharding)))
        return failure();
  WalkResult walked = walkWhole(function, [&](Operation *op) {
    for (OpResult result : op->getResults())
      if (ShardingAttr sharding = givenSharding(result))
        if (failed(adoptMesh(op, sharding)))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

unsigned FunctionTensors::add(Value value, ShardingAttr given) {
  unsigned index = values.size();
  auto type = cast<RankedTensorType>(value.getType());
  PropagatedTensor tensor;
  tensor.bytes = memoryBytes(type).value_or(0);
  tensor.sharding =
      given ? TensorSharding::from(given, mesh) : TensorSharding::open(type.getRank());
  engine.tensors.push_back(std::move(tensor));
  values.push_back(value);
  indexOf[value] = index;
  return index;
}

void FunctionTensors::addResult(unsigned index) {
  // A variable lives where it lives: its new value and its old one are one tensor.
  if (auto updated = function.getResultAttrOfType<StringAttr>(index, graph::kUpdate))
    for (BlockArgument argument : function.getArguments())
      for (StringRef role : {graph::kParameter, graph::kState})
        if (function.getArgAttr(argument.getArgNumber(), role) == updated) {
          resultTensors.push_back(indexOf.lookup(argument));
          return;
        }
  resultTensors.push_back(values.size());
  auto type = cast<RankedTensorType>(function.getResultTypes()[index]);
  auto given = function.getResultAttrOfType<ShardingAttr>(index, kSharding);
  PropagatedTensor tensor;
  tensor.bytes = memoryBytes(type).value_or(0);
  tensor.sharding =
      given ? TensorSharding::from(given, mesh) : TensorSharding::open(type.getRank());
  engine.tensors.push_back(std::move(tensor));
  values.push_back({});
}

void FunctionTensors::tie(ArrayRef<unsigned> tensors, unsigned numOperands) {
  const TensorSharding &first = engine.tensors[tensors[0]].sharding;
  PropagationNode node;
  node.rule = OpRule::identity(SmallVector<int64_t>(first.dims.size(), 1), numOperands,
                               tensors.size() - numOperands);
  node.tensors.assign(tensors.begin(), tensors.end());
  node.isElementwise = true;
  engine.nodes.push_back(std::move(node));
  ops.push_back(nullptr);
}

void FunctionTensors::addOp(Operation *op) {
  if (isa<func::ReturnOp>(op)) {
    for (auto [index, operand] : llvm::enumerate(op->getOperands()))
      tie({indexOf.lookup(operand), resultTensors[index]}, 1);
    return;
  }
  if (auto loop = dyn_cast<graph::LoopOp>(op)) {
    // A carried value is one tensor: before, in and after every trip.
    Block *body = loop.getBodyBlock();
    for (auto [index, init] : llvm::enumerate(loop.getInits()))
      tie({indexOf.lookup(init), indexOf.lookup(body->getArgument(index + 1)),
           indexOf.lookup(body->getTerminator()->getOperand(index)),
           indexOf.lookup(loop.getResult(index))},
          1);
    return;
  }
  if (op->getNumResults() == 0 || isa<ManualOp>(op))
    return;
  PropagationNode node;
  if (isa<ConstraintOp, BarrierOp, ReshardOp, MarkOp, FenceOp>(op)) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    node.rule = OpRule::identity(type.getShape(), 1, 1);
  } else {
    node.rule = OpRule::of(op);
  }
  if (auto barrier = dyn_cast<BarrierOp>(op)) {
    node.isOneWay = true;
    node.direction = barrier.getDirection();
  }
  if (auto blocked = op->getAttrOfType<StringAttr>(kBlocked))
    node.blocked = blocked.getValue();
  // What a fence waits for may live anywhere.
  for (Value operand : op->getOperands().take_front(isa<FenceOp>(op) ? 1 : op->getNumOperands()))
    node.tensors.push_back(indexOf.lookup(operand));
  for (Value result : op->getResults())
    node.tensors.push_back(indexOf.lookup(result));
  node.isElementwise = node.rule.isElementwise();
  engine.nodes.push_back(std::move(node));
  ops.push_back(op);
}

void FunctionTensors::write() {
  auto attrOf = [&](unsigned tensor) {
    return engine.tensors[tensor].sharding.toAttr(meshName, mesh);
  };
  for (BlockArgument argument : function.getArguments())
    function.setArgAttr(argument.getArgNumber(), kSharding, attrOf(indexOf.lookup(argument)));
  for (unsigned index : llvm::seq(function.getNumResults()))
    function.setResultAttr(index, kSharding, attrOf(resultTensors[index]));
  walkWhole(function, [&](Operation *op) {
    if (auto constraint = dyn_cast<ConstraintOp>(op)) {
      constraint.setShardingAttr(attrOf(indexOf.lookup(constraint.getResult())));
    } else if (op->getNumResults() != 0) {
      SmallVector<Attribute> shardings;
      for (OpResult result : op->getResults())
        shardings.push_back(attrOf(indexOf.lookup(result)));
      op->setAttr(kShardings, ArrayAttr::get(op->getContext(), shardings));
    }
    return WalkResult::advance();
  });
}

std::string FunctionTensors::nameOf(unsigned tensor) {
  if (!values[tensor])
    return "result " + std::to_string(llvm::find(resultTensors, tensor) - resultTensors.begin());
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto argument = dyn_cast<BlockArgument>(values[tensor])) {
    if (argument.getOwner() != &function.getBody().front()) {
      os << "carried value " << argument.getArgNumber() - 1 << " of "
         << graph::LoopOp::getOperationName();
      return text;
    }
    for (StringRef role : {graph::kInput, graph::kParameter, graph::kState})
      if (auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), role)) {
        os << role.drop_front(6) << " \"" << name.getValue() << '"';
        return text;
      }
    os << "argument " << argument.getArgNumber();
    return text;
  }
  auto result = cast<OpResult>(values[tensor]);
  os << "result " << result.getResultNumber() << " of " << result.getOwner()->getName();
  if (auto name = result.getLoc()->findInstanceOf<NameLoc>())
    os << " (" << name.getName() << ')';
  return text;
}

std::string FunctionTensors::nodeName(unsigned node) {
  Operation *op = ops[node];
  if (!op)
    return "the same value";
  std::string text = op->getName().getStringRef().str();
  if (auto name = op->getLoc()->findInstanceOf<NameLoc>())
    text += " (" + name.getName().str() + ")";
  return text;
}

void FunctionTensors::explain() {
  for (unsigned tensor : llvm::seq<unsigned>(engine.tensors.size()))
    for (auto [dim, origin] : llvm::enumerate(engine.tensors[tensor].origins)) {
      if (!origin)
        continue;
      // Back to the tensor whose axes were given.
      Origin root = *origin;
      for (size_t steps = 0; steps < engine.tensors.size(); ++steps) {
        const std::optional<Origin> &before = engine.tensors[root.tensor].origins[root.dim];
        if (!before)
          break;
        root = *before;
      }
      Location loc = values[tensor] ? values[tensor].getLoc() : function.getLoc();
      emitRemark(loc) << nameOf(tensor) << " dim " << dim << " has "
                      << textOf(engine.tensors[tensor].sharding.dims[dim].axes, mesh)
                      << " from dim " << root.dim << " of " << nameOf(root.tensor)
                      << ", last through " << nodeName(origin->node);
    }
}

} // namespace sheaf::sharding
