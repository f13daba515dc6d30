// Reverse-mode differentiation of a straight list of ops.
//
// Ops matter that lie between: some operand moves with an input, and the output depends on a result.
// They are visited once, from the last to the first, so that a value's gradient is complete when the op
// that makes the value is reached. One that has no gradient, but a decomposition, is decomposed before.
#include "passes/training/reverse_sweep.h"

#include "dialects/graph/primitive_builder.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

namespace {

/// What an op reads, in its regions too.
SmallVector<Value> readBy(Operation &op) {
  SmallVector<Value> values;
  op.walk([&](Operation *inner) { llvm::append_range(values, inner->getOperands()); });
  return values;
}

class ReverseSweep {
public:
  ReverseSweep(Block &block, Value output, ArrayRef<Value> inputs)
      : block(block), output(output), inputs(inputs) {
    do
      findOpsBetween();
    while (decomposeOps());
  }

  /// Reports every op that has no gradient.
  LogicalResult check();
  SmallVector<Value> build();

private:
  void findOpsBetween();
  bool decomposeOps();
  void visit(Operation *op);
  void add(Value value, Value gradient) { gradients[value].push_back(gradient); }
  Value total(Value value);
  void nameOpsAfter(Operation *last, Location location);
  void eraseUnused(Operation *last, ArrayRef<Value> results);
  Operation *lastOp() { return block.getTerminator()->getPrevNode(); }

  Block &block;
  Value output;
  ArrayRef<Value> inputs;
  llvm::DenseSet<Value> moving; ///< floats that change with an input
  SmallVector<Operation *> between;
  /// What is known of the gradient of a value so far: one for each use.
  DenseMap<Value, SmallVector<Value, 2>> gradients;
};

void ReverseSweep::findOpsBetween() {
  auto moves = [&](Value value) { return moving.contains(value); };
  moving.clear();
  between.clear();
  moving.insert(inputs.begin(), inputs.end());
  llvm::SetVector<Operation *> movingOps;
  for (Operation &op : block.without_terminator()) {
    if (!llvm::any_of(readBy(op), moves))
      continue;
    movingOps.insert(&op);
    for (Value result : op.getResults())
      if (training::hasGradients(result.getType()))
        moving.insert(result);
  }
  llvm::DenseSet<Value> needed{output};
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    if (!llvm::any_of(op.getResults(), [&](Value result) { return needed.contains(result); }))
      continue;
    needed.insert_range(readBy(op));
    if (movingOps.contains(&op))
      between.push_back(&op); // From the last to the first.
  }
}

/// Puts ops that have no gradient of their own into primitives, which have; whether there were any. The op itself is
/// left without users: callers may hold its results.
bool ReverseSweep::decomposeOps() {
  bool hasChanged = false;
  for (Operation *op : between) {
    auto composite = dyn_cast<DecomposeOpInterface>(op);
    if (!composite || isa<DifferentiableOpInterface>(op))
      continue;
    OpBuilder builder(op);
    SmallVector<Value> values = composite.decompose(builder);
    if (values.empty())
      continue; // A primitive kind.
    if (auto result = dyn_cast<OpResult>(output); result && result.getOwner() == op)
      output = values[result.getResultNumber()];
    op->replaceAllUsesWith(values);
    hasChanged = true;
  }
  return hasChanged;
}

LogicalResult ReverseSweep::check() {
  bool areAllKnown = true;
  for (Operation *op : llvm::reverse(between)) {
    if (isa<DifferentiableOpInterface>(op))
      continue;
    areAllKnown = false; // Keep going: one run reports every such op.
    InFlightDiagnostic error = op->emitOpError("has no gradient");
    if (isa<LoopLikeOpInterface>(op))
      error << "; repeat its body first (--lowering-unroll-loops)";
  }
  return success(areAllKnown);
}

/// The whole gradient of a value; null when nothing flowed to it.
Value ReverseSweep::total(Value value) {
  auto found = gradients.find(value);
  if (found == gradients.end())
    return {};
  ArrayRef<Value> parts = found->second;
  if (parts.size() == 1)
    return parts.front();
  OpBuilder builder(block.getTerminator());
  PrimitiveBuilder b(value.getLoc(), builder);
  // Narrow floats are added up in f32 and rounded once.
  Value sum = training::widened(b, parts.front());
  for (Value part : parts.drop_front())
    sum = b.binary(BinaryKind::add, sum, training::widened(b, part));
  return b.cast(sum, typeOf(value).getElementType());
}

void ReverseSweep::visit(Operation *op) {
  Operation *last = lastOp();
  SmallVector<Value> resultGradients;
  for (Value result : op->getResults())
    resultGradients.push_back(total(result));
  if (llvm::none_of(resultGradients, [](Value gradient) { return bool(gradient); }))
    return;
  OpBuilder builder(block.getTerminator());
  SmallVector<Value> found =
      cast<DifferentiableOpInterface>(op).buildGradient(builder, resultGradients);
  for (auto [operand, gradient] : llvm::zip_equal(op->getOperands(), found))
    if (gradient && moving.contains(operand)) {
      assert(gradient.getType() == operand.getType() && "a gradient is of its value's type");
      add(operand, gradient);
    }
  nameOpsAfter(last, op->getLoc());
}

/// Names what has been built after `last` for the node of `location`, so that messages and profiles tell
/// the two apart.
void ReverseSweep::nameOpsAfter(Operation *last, Location location) {
  auto node = location->findInstanceOf<NameLoc>();
  if (!node)
    return;
  auto name = StringAttr::get(location.getContext(), "gradient of " + node.getName().strref());
  for (Operation *op = lastOp(); op != last; op = op->getPrevNode())
    op->setLoc(NameLoc::get(name));
}

/// Drops what has been built after `last` and leads to none of the results.
void ReverseSweep::eraseUnused(Operation *last, ArrayRef<Value> results) {
  auto isResult = [&](Value value) { return llvm::is_contained(results, value); };
  for (Operation *op = lastOp(); op != last;) {
    Operation *previous = op->getPrevNode();
    if (isOpTriviallyDead(op) && llvm::none_of(op->getResults(), isResult))
      op->erase();
    op = previous;
  }
}

SmallVector<Value> ReverseSweep::build() {
  Operation *last = lastOp();
  OpBuilder builder(block.getTerminator());
  auto splatLike = [&](Value value, double number) {
    return PrimitiveBuilder(value.getLoc(), builder).splatLike(value, number);
  };
  add(output, splatLike(output, 1.0));
  for (Operation *op : between)
    visit(op);
  SmallVector<Value> results;
  for (Value input : inputs) {
    Value gradient = total(input);
    results.push_back(gradient ? gradient : splatLike(input, 0.0));
  }
  eraseUnused(last, results);
  return results;
}

} // namespace

bool sheaf::training::hasGradients(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<FloatType>(tensor.getElementType());
}

Value sheaf::training::widened(PrimitiveBuilder &b, Value value) {
  Type wide = computeTypeOf(typeOf(value).getElementType());
  if (auto cast = value.getDefiningOp<CastOp>();
      cast && cast.getOperand().getType().getElementType() == wide)
    return cast.getOperand();
  return b.cast(value, wide);
}

FailureOr<SmallVector<Value>> sheaf::training::buildGradients(Block &block, Value output,
                                                              ArrayRef<Value> inputs) {
  ReverseSweep sweep(block, output, inputs);
  if (failed(sweep.check()))
    return failure();
  return sweep.build();
}
