// Imports ONNX models into the graph dialect.
#ifndef SHEAF_IMPORTERS_ONNX_IMPORT_H
#define SHEAF_IMPORTERS_ONNX_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <string>
#include <vector>

namespace sheaf::onnx {

/// What a model file leaves open. An entry that fits nothing in the model is an error.
struct ImportOptions {
  /// Shapes of graph inputs by name; an empty list is a scalar.
  llvm::StringMap<llvm::SmallVector<int64_t>> shapes;
  /// Extents of symbolic dims by name.
  llvm::StringMap<int64_t> dims;
  /// Graph inputs fixed to the value in an .npy file, by name.
  llvm::StringMap<std::string> constants;
  /// Globs of float initializers of one element that are parameters, such as a learned scale. Others of one element are
  /// constants: exporters write those the same way.
  std::vector<std::string> parameters;
  /// Whether files of external data may be missing: parameters refer to them all the same, and who uses these has to
  /// see to it. What has to be read now must be there.
  bool allowsMissingFiles = false;
};

/// Adds a flag's value to the options: `NAME=2x16` (`NAME=` is a scalar), `NAME=2`, `NAME=file.npy`.
/// NAME may hold `=`; the last one separates. Errors: no `=`, not a number, NAME given before.
llvm::Error addShapeFlag(ImportOptions &options, llvm::StringRef flag);
llvm::Error addDimFlag(ImportOptions &options, llvm::StringRef flag);
llvm::Error addConstantFlag(ImportOptions &options, llvm::StringRef flag);

/// A module with one function `@forward`: the model's inputs and parameters are its arguments.
/// Weights are referred to, never read. The graph and func dialects are loaded into `context`.
///
/// Errors: one text that begins with the file's name and lists everything found wrong, each
/// unsupported node of the model in one line.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importModel(mlir::MLIRContext &context, llvm::StringRef path, const ImportOptions &options);

/// The same from memory; external data is looked for beside `path`.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importModel(mlir::MLIRContext &context, std::unique_ptr<llvm::MemoryBuffer> bytes,
            llvm::StringRef path, const ImportOptions &options);

} // namespace sheaf::onnx

#endif
