// Joins collectives: what they have in common must be equal, what each tensor has is put in a row.
#include "dialects/dist/joint_collective.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace sheaf::dist {
namespace {

constexpr StringLiteral kDims("dims");

/// The attributes that are of all tensors.
DictionaryAttr commonAttributes(Operation *op) {
  NamedAttrList list(op->getAttrDictionary());
  list.erase(kDims);
  list.erase(kParameters);
  return list.getDictionary(op->getContext());
}

Type elementType(Operation *op) {
  return cast<RankedTensorType>(op->getOperand(0).getType()).getElementType();
}

} // namespace

bool mayJoinCollectives(Operation *op, Operation *other) {
  return op->getName() == other->getName() && elementType(op) == elementType(other) &&
         commonAttributes(op) == commonAttributes(other) &&
         op->hasAttr(kParameters) == other->hasAttr(kParameters);
}

Operation *joinCollectives(OpBuilder &builder, ArrayRef<Operation *> ops, ValueRange operands) {
  Operation *first = ops.front();
  NamedAttrList attributes(commonAttributes(first));
  SmallVector<Type> types;
  SmallVector<int64_t> dims;
  SmallVector<Attribute> parameters;
  SmallVector<Location> locations;
  for (Operation *op : ops) {
    llvm::append_range(types, op->getResultTypes());
    locations.push_back(op->getLoc());
    if (auto own = op->getAttrOfType<DenseI64ArrayAttr>(kDims))
      llvm::append_range(dims, own.asArrayRef());
    if (auto own = op->getAttrOfType<ArrayAttr>(kParameters))
      llvm::append_range(parameters, own);
  }
  if (first->hasAttr(kDims))
    attributes.set(kDims, builder.getDenseI64ArrayAttr(dims));
  if (first->hasAttr(kParameters))
    attributes.set(kParameters, builder.getArrayAttr(parameters));
  OperationState state(builder.getFusedLoc(locations), first->getName(), operands, types,
                       attributes);
  return builder.create(state);
}

} // namespace sheaf::dist
