// Makes reorders between the row-major and the blocked form of values.
#include "passes/lowering/blocked_values.h"

#include "runtime/abi/calls.h"

using namespace mlir;

namespace sheaf::lowering {

RankedTensorType BlockedValues::blockedType(Type type) const {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.cloneWithEncoding(exec::BlockedAttr::get(type.getContext(), block));
}

Value BlockedValues::reorder(OpBuilder &builder, Value value, Type type) {
  ++numReorders;
  return exec::ApplyOp::create(builder, value.getLoc(), TypeRange(type), abi::calls::reorder,
                               ValueRange(value), DictionaryAttr())
      .getResult(0);
}

Value BlockedValues::getBlocked(OpBuilder &builder, Value value) {
  Value &blocked = blockedOf[value];
  if (!blocked)
    blocked = reorder(builder, value, blockedType(value.getType()));
  return blocked;
}

Value BlockedValues::getPlain(OpBuilder &builder, Value value) {
  if (!replaced.contains(value))
    return value;
  Value &plain = plainOf[value];
  if (!plain)
    plain = reorder(builder, blockedOf.lookup(value), value.getType());
  return plain;
}

} // namespace sheaf::lowering
