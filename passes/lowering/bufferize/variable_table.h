// The variables of a module: what functions take as parameters, and constants.
#ifndef SHEAF_PASSES_LOWERING_BUFFERIZE_VARIABLE_TABLE_H
#define SHEAF_PASSES_LOWERING_BUFFERIZE_VARIABLE_TABLE_H

#include "dialects/exec/exec.h"
#include "dialects/graph/graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

namespace sheaf::lowering {

/// On an argument of a function, or a result of "prepare": the variable it is, which has no source.
inline constexpr llvm::StringLiteral kVariable("exec.variable");
/// On an argument or result of a part of a program: the variable that carries the value from part to part.
inline constexpr llvm::StringLiteral kCarried("exec.carried");
using graph::kPrepare;

/// Makes exec.variable ops at the start of the module.
class VariableTable {
public:
  explicit VariableTable(mlir::ModuleOp module);

  /// The variable that argument `index` of a function is; null when it is an input.
  exec::VariableOp argument(mlir::func::FuncOp function, unsigned index);
  /// The variable that holds the default of argument `index`; null when it has none.
  exec::VariableOp inputDefault(mlir::func::FuncOp function, unsigned index);
  /// The variable that result `index` of "prepare" is, or that result `index` of another function updates or carries.
  exec::VariableOp result(mlir::func::FuncOp function, unsigned index);
  /// The variable that holds a constant; equal constants share one.
  exec::VariableOp constant(mlir::Location loc, mlir::TypedAttr value);

private:
  exec::VariableOp named(mlir::Location loc, llvm::StringRef name, mlir::Type tensorType,
                         mlir::Attribute source, exec::ShardAttr shard, exec::Role role);

  mlir::OpBuilder builder;
  llvm::StringMap<exec::VariableOp> variables;
  llvm::DenseMap<mlir::Attribute, exec::VariableOp> constants;
};

} // namespace sheaf::lowering

#endif
