// Vector code of integer arithmetic that the machine would trap on or does not have.
#ifndef SHEAF_DIALECTS_GRAPH_OPS_INTEGER_EMIT_H
#define SHEAF_DIALECTS_GRAPH_OPS_INTEGER_EMIT_H

#include "dialects/interfaces/emitter.h"

namespace sheaf::graph {

/// `x / y`, truncated. By zero: `x`. The lowest value by -1 wraps.
mlir::Value emitIntegerQuotient(Emitter &e, mlir::Value x, mlir::Value y, bool isUnsigned);
/// The remainder with the sign of `x`. By zero: 0.
mlir::Value emitIntegerRemainder(Emitter &e, mlir::Value x, mlir::Value y, bool isUnsigned);
/// The remainder with the sign of `y`. By zero: 0.
mlir::Value emitIntegerModulo(Emitter &e, mlir::Value x, mlir::Value y, bool isUnsigned);
/// `x` to the power of `y`, wrapped; for negative `y` the quotient of 1 and the power of `-y`.
mlir::Value emitIntegerPower(Emitter &e, mlir::Value x, mlir::Value y, bool isUnsigned);

} // namespace sheaf::graph

#endif
