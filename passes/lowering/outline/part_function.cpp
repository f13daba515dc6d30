// Builds functions of ops of another.
#include "passes/lowering/outline/part_function.h"

#include "dialects/graph/graph.h"
#include "passes/lowering/program_signature.h"

using namespace mlir;

namespace sheaf::lowering {

PartFunction::PartFunction(func::FuncOp whole, const Twine &name, SymbolTable &symbols)
    : whole(whole) {
  OpBuilder builder(whole);
  built = func::FuncOp::create(whole.getLoc(), name.str(), builder.getFunctionType({}, {}));
  StringAttr unique = symbols.insert(built, whole->getIterator());
  built->setAttr(graph::kProgram, unique);
  builder.setInsertionPointToEnd(&built.getBody().emplaceBlock());
  func::ReturnOp::create(builder, whole.getLoc());
}

void PartFunction::takeArguments(const llvm::BitVector &arguments) {
  for (unsigned index : arguments.set_bits()) {
    BlockArgument given = whole.getArgument(index);
    NamedAttrList attributes(whole.getArgAttrDict(index));
    if (!isVariableArgument(whole, index))
      attributes.set(graph::kInput, inputName(whole, index));
    unsigned own = built.getNumArguments();
    (void)built.insertArgument(own, given.getType(), attributes.getDictionary(whole.getContext()),
                               given.getLoc());
    values.map(given, built.getArgument(own));
  }
}

void PartFunction::takeCarried(StringAttr variable, Value value) {
  Builder builder(whole.getContext());
  unsigned own = built.getNumArguments();
  (void)built.insertArgument(own, value.getType(),
                             builder.getDictionaryAttr(builder.getNamedAttr(kCarried, variable)),
                             NameLoc::get(variable));
  values.map(value, built.getArgument(own));
}

void PartFunction::clone(Operation *op) { builder().clone(*op, values); }

void PartFunction::giveResult(unsigned index, Value value) {
  Builder builder(whole.getContext());
  NamedAttrList attributes(whole.getResultAttrDict(index));
  if (!isVariableResult(whole, index))
    attributes.set(graph::kOutput, outputName(whole, index));
  addResult(values.lookup(value), attributes.getDictionary(whole.getContext()));
}

void PartFunction::giveCarried(StringAttr variable, Value ownValue) {
  Builder builder(whole.getContext());
  addResult(ownValue, builder.getDictionaryAttr(builder.getNamedAttr(kCarried, variable)));
}

void PartFunction::addResult(Value ownValue, DictionaryAttr attributes) {
  Operation *terminator = built.getBody().front().getTerminator();
  terminator->insertOperands(terminator->getNumOperands(), ownValue);
  (void)built.insertResult(built.getNumResults(), ownValue.getType(), attributes);
}

} // namespace sheaf::lowering
