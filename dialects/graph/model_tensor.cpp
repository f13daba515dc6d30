// Keeps the names of tensors in locations.
#include "dialects/graph/model_tensor.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

using namespace mlir;

namespace {

/// The notes of an op's results; null when they are not of its results as they are now.
ArrayAttr notesOf(Operation *op) {
  ArrayAttr notes;
  op->getLoc()->walk([&](Location part) {
    if (auto fused = dyn_cast<FusedLoc>(part))
      notes = dyn_cast_or_null<ArrayAttr>(fused.getMetadata());
    return notes ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!notes || notes.size() != op->getNumResults())
    return nullptr;
  for (auto [note, type] : llvm::zip_equal(notes, op->getResultTypes())) {
    auto entries = dyn_cast<ArrayAttr>(note);
    auto noted = entries && !entries.empty() ? dyn_cast<TypeAttr>(entries[0]) : nullptr;
    if (!noted || noted.getValue() != type ||
        !llvm::all_of(entries.getValue().drop_front(), llvm::IsaPred<StringAttr>))
      return nullptr;
  }
  return notes;
}

} // namespace

namespace sheaf::graph {

void setModelTensors(Operation *op, ArrayRef<TensorNames> namesOfResults) {
  Builder builder(op->getContext());
  SmallVector<Attribute> notes;
  for (auto [names, type] : llvm::zip_equal(namesOfResults, op->getResultTypes())) {
    SmallVector<Attribute> entries = {TypeAttr::get(type)};
    for (StringRef name : names)
      entries.push_back(builder.getStringAttr(name));
    notes.push_back(builder.getArrayAttr(entries));
  }
  Location note =
      FusedLoc::get({builder.getUnknownLoc()}, builder.getArrayAttr(notes), builder.getContext());
  op->setLoc(NameLoc::get(builder.getStringAttr(nodeOf(op)), note));
}

TensorNames modelTensorsOf(OpResult result) {
  TensorNames names;
  if (ArrayAttr notes = notesOf(result.getOwner()))
    for (Attribute name : cast<ArrayAttr>(notes[result.getResultNumber()]).getValue().drop_front())
      names.push_back(cast<StringAttr>(name).getValue());
  return names;
}

StringRef nodeOf(Operation *op) {
  auto name = op->getLoc()->findInstanceOf<NameLoc>();
  return name ? name.getName().strref() : StringRef();
}

} // namespace sheaf::graph
