// Gives every graph input a static shape.
#ifndef SHEAF_IMPORTERS_ONNX_SYMBOLS_H
#define SHEAF_IMPORTERS_ONNX_SYMBOLS_H

#include "importers/onnx/import.h"
#include "importers/onnx/onnx.pb.h"
#include "mlir/IR/BuiltinTypes.h"

namespace sheaf::onnx {

/// The extents that symbolic dims have been given, and by what.
class Symbols {
public:
  /// Errors: another extent was given before.
  llvm::Error bind(llvm::StringRef name, int64_t extent, const llvm::Twine &source);
  std::optional<int64_t> lookup(llvm::StringRef name) const;
  /// The value of a dim's name: bound itself, or a sum, difference, product or quotient of bound names
  /// and numbers, as exporters write (`past_len + seq_len`).
  std::optional<int64_t> evaluate(llvm::StringRef expression) const;

private:
  struct Binding {
    int64_t extent;
    std::string source;
  };
  llvm::StringMap<Binding> bindings;
};

/// The type of each input of `graph`, in order; null for inputs whose type is not a tensor, which is an
/// error only when they are used. `fixed` are types given by constants and initializers, by name.
/// Errors: all inputs with unbound dims, contradictions, flags that fit no input.
llvm::Expected<llvm::SmallVector<mlir::RankedTensorType>>
bindInputs(mlir::MLIRContext *context, const ::onnx::GraphProto &graph,
           const ImportOptions &options, const llvm::StringMap<mlir::RankedTensorType> &fixed);

} // namespace sheaf::onnx

#endif
