// Moves what depends on parameters only into the program that runs once, when the executable is loaded.
#include "passes/lowering/bufferize/variable_table.h"
#include "passes/lowering/invariants.h"
#include "passes/lowering/passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace sheaf::lowering {
#define GEN_PASS_DEF_LOWERINGHOISTPREPAREPASS
#include "passes/lowering/passes.h.inc"

using namespace mlir;

namespace {

/// Movement costs nothing where its user takes strides, and a constant has its value already.
bool computes(Operation *op) {
  return !isa<graph::ConstantOp, graph::ReshapeOp, graph::TransposeOp, graph::BroadcastOp,
              graph::SliceOp, graph::ReverseOp>(op);
}

/// What moves to "prepare": ops in program order, and those of their results that are used later.
struct Preparation {
  SmallVector<Operation *> ops;
  SmallVector<Value> results;
};

Preparation findPreparation(func::FuncOp function) {
  Invariants invariants(function);
  Block &block = function.getBody().front();
  // Backwards, so that the movement before a computation moves with it.
  llvm::DenseSet<Operation *> moved;
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    bool isInvariant = op.getNumResults() > 0 && invariants.contains(op.getResult(0));
    bool feedsMoved = llvm::any_of(op.getUsers(), [&](Operation *u) { return moved.contains(u); });
    if (isInvariant && (computes(&op) || feedsMoved))
      moved.insert(&op);
  }
  Preparation preparation;
  for (Operation &op : block)
    if (moved.contains(&op)) {
      preparation.ops.push_back(&op);
      for (Value result : op.getResults())
        // Nothing writes a value of no elements, and nothing is saved by keeping one.
        if (computes(&op) && cast<ShapedType>(result.getType()).getNumElements() != 0 &&
            llvm::any_of(result.getUsers(), [&](Operation *u) { return !moved.contains(u); }))
          preparation.results.push_back(result);
    }
  return preparation;
}

/// A name for a prepared value that no other variable has.
std::string uniqueName(Value value, llvm::StringSet<> &names) {
  std::string stem = "prepared";
  value.getLoc()->walk([&](Location part) {
    auto named = dyn_cast<NameLoc>(part);
    if (!named)
      return WalkResult::advance();
    stem = (named.getName().getValue() + ".prepared").str();
    return WalkResult::interrupt();
  });
  std::string name = stem;
  for (int i = 1; !names.insert(name).second; ++i)
    name = stem + "." + std::to_string(i);
  return name;
}

struct HoistPrepare : impl::LoweringHoistPreparePassBase<HoistPrepare> {
  using LoweringHoistPreparePassBase::LoweringHoistPreparePassBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (function.getSymName() != kPrepare)
        hoist(function);
  }

  void hoist(func::FuncOp function);
};

/// Moves the ops to a new function that takes the parameters they use.
func::FuncOp movePreparation(func::FuncOp function, const Preparation &preparation) {
  llvm::SetVector<BlockArgument> parameters;
  for (Operation *op : preparation.ops)
    for (Value operand : op->getOperands())
      if (auto argument = dyn_cast<BlockArgument>(operand))
        parameters.insert(argument);
  OpBuilder builder(function);
  auto types = builder.getFunctionType(TypeRange(ValueRange(ArrayRef<Value>(SmallVector<Value>(
                                           parameters.begin(), parameters.end())))),
                                       TypeRange(ValueRange(preparation.results)));
  auto prepare = func::FuncOp::create(builder, function.getLoc(), kPrepare, types);
  Block *block = prepare.addEntryBlock();
  IRMapping mapping;
  for (auto [i, argument] : llvm::enumerate(parameters)) {
    mapping.map(argument, block->getArgument(i));
    block->getArgument(i).setLoc(argument.getLoc());
    prepare.setArgAttrs(i, function.getArgAttrDict(argument.getArgNumber()));
  }
  builder.setInsertionPointToEnd(block);
  for (Operation *op : preparation.ops)
    builder.clone(*op, mapping);
  SmallVector<Value> results;
  for (Value result : preparation.results)
    results.push_back(mapping.lookup(result));
  func::ReturnOp::create(builder, function.getLoc(), results);
  return prepare;
}

void HoistPrepare::hoist(func::FuncOp function) {
  Preparation preparation = findPreparation(function);
  if (preparation.results.empty())
    return;
  func::FuncOp prepare = movePreparation(function, preparation);
  llvm::StringSet<> names;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    for (StringRef role :
         {StringRef(graph::kInput), StringRef(graph::kParameter), StringRef(graph::kState)})
      if (auto name = function.getArgAttrOfType<StringAttr>(i, role))
        names.insert(name);
  Builder builder(&getContext());
  for (auto [i, result] : llvm::enumerate(preparation.results)) {
    auto name = builder.getStringAttr(uniqueName(result, names));
    auto role = builder.getDictionaryAttr(builder.getNamedAttr(kVariable, name));
    prepare.setResultAttrs(i, role);
    unsigned index = function.getNumArguments();
    (void)function.insertArgument(index, result.getType(), role, result.getLoc());
    result.replaceUsesWithIf(function.getArgument(index), [&](OpOperand &use) {
      return use.getOwner()->getBlock() == &function.getBody().front();
    });
  }
  for (Operation *op : llvm::reverse(preparation.ops))
    if (op->use_empty())
      op->erase();
}

} // namespace
} // namespace sheaf::lowering
