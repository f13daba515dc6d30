// What elements are in memory.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_STORED_TYPE_H
#define SHEAF_PASSES_LOWERING_KERNEL_STORED_TYPE_H

#include "mlir/IR/BuiltinTypes.h"

namespace sheaf::lowering {

/// The type of an element in memory: a boolean is a byte, integers are signless.
mlir::Type storedTypeOf(mlir::Type elementType);

int64_t storedBytesOf(mlir::Type elementType);

/// All elements of a ranked tensor type.
int64_t storedTensorBytes(mlir::Type tensor);

} // namespace sheaf::lowering

#endif
