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

/// Ops that compute the same of the same values.
struct SameComputation : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return OperationEquivalence::computeHash(
        const_cast<Operation *>(op), OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue, OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation *lhs, const Operation *rhs) {
    auto isKey = [](const Operation *op) { return op != getEmptyKey() && op != getTombstoneKey(); };
    return lhs == rhs || (isKey(lhs) && isKey(rhs) &&
                          OperationEquivalence::isEquivalentTo(
                              const_cast<Operation *>(lhs), const_cast<Operation *>(rhs),
                              OperationEquivalence::IgnoreLocations));
  }
};

struct HoistPrepare : impl::LoweringHoistPreparePassBase<HoistPrepare> {
  using LoweringHoistPreparePassBase::LoweringHoistPreparePassBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    prepare = getOperation().lookupSymbol<func::FuncOp>(kPrepare); // Of initializers.
    names.clear();
    computed.clear();
    variableOf.clear();
    for (func::FuncOp function : functions)
      if (function.getSymName() != kPrepare)
        hoist(function);
  }

private:
  void hoist(func::FuncOp function);
  IRMapping copyPreparation(const Preparation &preparation);
  StringAttr variableFor(Value result, Value prepared);

  func::FuncOp prepare;
  llvm::StringSet<> names;                               ///< that variables have
  llvm::DenseSet<Operation *, SameComputation> computed; ///< of `prepare`, for some function
  llvm::DenseMap<Value, StringAttr> variableOf;          ///< of values of `prepare`
};

/// Before the first function; empty.
func::FuncOp createPrepare(func::FuncOp function) {
  OpBuilder builder(function);
  auto prepare =
      func::FuncOp::create(builder, function.getLoc(), kPrepare, builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(&prepare.getBody().emplaceBlock());
  func::ReturnOp::create(builder, function.getLoc());
  return prepare;
}

/// The argument of `prepare` that is `argument`, a parameter of another function.
Value sameArgument(func::FuncOp prepare, BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  DictionaryAttr role = function.getArgAttrDict(argument.getArgNumber());
  for (BlockArgument known : prepare.getArguments())
    if (prepare.getArgAttrDict(known.getArgNumber()) == role)
      return known;
  unsigned index = prepare.getNumArguments();
  (void)prepare.insertArgument(index, argument.getType(), role, argument.getLoc());
  return prepare.getArgument(index);
}

/// Copies the ops to the end of `prepare`, but those that are there already; the values there of all their results.
IRMapping HoistPrepare::copyPreparation(const Preparation &preparation) {
  OpBuilder builder(prepare.getBody().front().getTerminator());
  IRMapping mapping;
  for (Operation *op : preparation.ops) {
    for (Value operand : op->getOperands())
      if (auto argument = dyn_cast<BlockArgument>(operand); argument && !mapping.contains(operand))
        mapping.map(operand, sameArgument(prepare, argument));
    Operation *copy = builder.clone(*op, mapping);
    auto [same, isNew] = computed.insert(copy);
    if (isNew)
      continue;
    mapping.map(op->getResults(), (*same)->getResults());
    copy->erase();
  }
  return mapping;
}

/// The variable that `prepare` gives `prepared` to, which is its value of `result`.
StringAttr HoistPrepare::variableFor(Value result, Value prepared) {
  StringAttr &name = variableOf[prepared];
  if (name)
    return name;
  Builder builder(&getContext());
  name = builder.getStringAttr(uniqueName(result, names));
  Operation *terminator = prepare.getBody().front().getTerminator();
  terminator->insertOperands(terminator->getNumOperands(), prepared);
  (void)prepare.insertResult(prepare.getNumResults(), result.getType(),
                             builder.getDictionaryAttr(builder.getNamedAttr(kVariable, name)));
  return name;
}

void HoistPrepare::hoist(func::FuncOp function) {
  Preparation preparation = findPreparation(function);
  if (preparation.results.empty())
    return;
  if (!prepare)
    prepare = createPrepare(function);
  IRMapping mapping = copyPreparation(preparation);
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    for (StringRef role : {StringRef(graph::kInput), StringRef(graph::kParameter),
                           StringRef(graph::kState), StringRef(kCarried)})
      if (auto name = function.getArgAttrOfType<StringAttr>(i, role))
        names.insert(name);
  Builder builder(&getContext());
  for (Value result : preparation.results) {
    StringAttr name = variableFor(result, mapping.lookup(result));
    unsigned index = function.getNumArguments();
    (void)function.insertArgument(index, result.getType(),
                                  builder.getDictionaryAttr(builder.getNamedAttr(kVariable, name)),
                                  result.getLoc());
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
