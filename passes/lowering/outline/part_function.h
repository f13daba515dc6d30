// A function that becomes a part of a program, while it is built.
#ifndef SHEAF_PASSES_LOWERING_OUTLINE_PART_FUNCTION_H
#define SHEAF_PASSES_LOWERING_OUTLINE_PART_FUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/BitVector.h"

namespace sheaf::lowering {

/// Takes ops of `whole`, and arguments and results as they are named there.
class PartFunction {
public:
  /// Behind the parts that `whole` has already, with a name that no other symbol has.
  PartFunction(mlir::func::FuncOp whole, const llvm::Twine &name, mlir::SymbolTable &symbols);

  mlir::func::FuncOp function() { return built; }
  /// Builds at the end.
  mlir::OpBuilder builder() { return mlir::OpBuilder(built.getBody().front().getTerminator()); }
  /// From values of `whole`.
  mlir::IRMapping &mapping() { return values; }

  /// Takes those arguments of `whole`.
  void takeArguments(const llvm::BitVector &arguments);
  /// Takes `value` of `whole` from a carried variable.
  void takeCarried(mlir::StringAttr variable, mlir::Value value);
  /// Repeats an op of `whole`.
  void clone(mlir::Operation *op);
  /// Gives `value` of `whole` as result `index` of `whole`.
  void giveResult(unsigned index, mlir::Value value);
  /// Gives a value of this function to a carried variable.
  void giveCarried(mlir::StringAttr variable, mlir::Value ownValue);

private:
  void addResult(mlir::Value ownValue, mlir::DictionaryAttr attributes);

  mlir::func::FuncOp whole, built;
  mlir::IRMapping values;
};

} // namespace sheaf::lowering

#endif
