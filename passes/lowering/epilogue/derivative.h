// Recognizes the derivative of a function among the ops that compute it.
#ifndef SHEAF_PASSES_LOWERING_EPILOGUE_DERIVATIVE_H
#define SHEAF_PASSES_LOWERING_EPILOGUE_DERIVATIVE_H

#include "mlir/IR/Value.h"

namespace sheaf::lowering {

/// The tensor x where `value` is the derivative of gelu_tanh at each element of x, in the compute type of x's elements;
/// null where it is not. Told by what the ops compute, not by how they are written.
mlir::Value geluTanhDerivativeOperand(mlir::Value value);

} // namespace sheaf::lowering

#endif
