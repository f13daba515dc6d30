// Reads .npy files (numpy's format, versions 1 to 3).
#ifndef SHEAF_IMPORTERS_ONNX_NPY_H
#define SHEAF_IMPORTERS_ONNX_NPY_H

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/Error.h"

namespace sheaf::onnx {

/// The array in `path` as a constant. Errors: unreadable, malformed, Fortran order, big-endian, an element
/// type that tensors don't have, larger than 64 KiB (constants decide about shapes).
llvm::Expected<mlir::DenseElementsAttr> readNpy(mlir::MLIRContext *context, llvm::StringRef path);

} // namespace sheaf::onnx

#endif
