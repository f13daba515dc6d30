// The arguments of the imported function: inputs and parameters.
#ifndef SHEAF_IMPORTERS_ONNX_ARGUMENTS_H
#define SHEAF_IMPORTERS_ONNX_ARGUMENTS_H

#include "importers/onnx/import.h"
#include "importers/onnx/model_file.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace sheaf::onnx {

/// Decides what becomes an argument of the function: graph inputs, and floating-point initializers of
/// more than one element, which are parameters, as are those of one that options name. An initializer
/// that is also an input is its default, and
/// a fed value wins; but before IR version 4 every initializer had to be listed as an input too.
class Arguments {
public:
  explicit Arguments(ModelFile &file) : file(file) {}

  /// Adds the arguments to the empty function's entry block, and constants for inputs that options fix.
  llvm::Error create(mlir::func::FuncOp function, mlir::OpBuilder &builder,
                     const ImportOptions &options);

  /// By name.
  const llvm::StringMap<mlir::Value> &values() const { return byName; }

  /// The value of a small parameter or of an input's default; that input then can't be fed.
  std::optional<mlir::DenseElementsAttr> constantOf(mlir::Value value);

  /// Makes constants of inputs whose default was used as one, and drops unused parameters and such
  /// inputs; then writes the roles of what is left.
  void finish(mlir::func::FuncOp function, mlir::OpBuilder &builder);

private:
  struct Stored {
    const ::onnx::TensorProto *tensor;
    mlir::TypedAttr source;
  };

  ModelFile &file;
  llvm::StringMap<mlir::Value> byName;
  /// The name and role of each argument, in order.
  llvm::SmallVector<std::pair<std::string, llvm::StringRef>> roles;
  llvm::DenseMap<mlir::Value, Stored> stored;
  llvm::DenseSet<mlir::Value> frozen;
};

} // namespace sheaf::onnx

#endif
