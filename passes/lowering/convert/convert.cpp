// What the conversions to calls share: parameters, and the replacement itself.
#include "passes/lowering/convert/convert.h"

#include "dialects/dist/dist.h"
#include "dialects/exec/exec.h"
#include "passes/lowering/call_rules.h"

using namespace mlir;

namespace sheaf::lowering {

CallParams &CallParams::ints(StringRef name, ArrayRef<int64_t> values) {
  list.set(name, builder.getDenseI64ArrayAttr(values));
  return *this;
}

CallParams &CallParams::integer(StringRef name, int64_t value) {
  list.set(name, builder.getI64IntegerAttr(value));
  return *this;
}

CallParams &CallParams::floats(StringRef name, ArrayRef<double> values) {
  list.set(name, builder.getDenseF64ArrayAttr(values));
  return *this;
}

CallParams &CallParams::real(StringRef name, double value) {
  list.set(name, builder.getF64FloatAttr(value));
  return *this;
}

CallParams &CallParams::text(StringRef name, StringRef value) {
  list.set(name, builder.getStringAttr(value));
  return *this;
}

CallParams &CallParams::flag(StringRef name, bool value) {
  if (value)
    list.set(name, builder.getBoolAttr(true));
  return *this;
}

LogicalResult replaceWithCall(PatternRewriter &rewriter, Operation *op, StringRef callee,
                              ValueRange operands, const CallParams &params, Value computed) {
  Type element = cast<RankedTensorType>(computed.getType()).getElementType();
  if (!acceptsElement(callee, element))
    return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
      diagnostic << "the call " << callee << " does not compute on " << element;
    });
  DictionaryAttr dictionary = params.get();
  auto call = exec::ApplyOp::create(rewriter, op->getLoc(), op->getResultTypes(), callee, operands,
                                    dictionary.empty() ? DictionaryAttr() : dictionary);
  if (Attribute parameters = op->getAttr(dist::kParameters))
    call->setAttr(exec::kMovedParameters, parameters);
  rewriter.replaceOp(op, call);
  return success();
}

} // namespace sheaf::lowering
