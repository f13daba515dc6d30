// Turns the ops of one function on tensors into instructions of one program on buffers.
#ifndef SHEAF_PASSES_LOWERING_BUFFERIZE_BUFFERIZER_H
#define SHEAF_PASSES_LOWERING_BUFFERIZE_BUFFERIZER_H

#include "dialects/exec/exec.h"
#include "dialects/graph/graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/lowering/bufferize/kernel_table.h"
#include "passes/lowering/bufferize/strided_view.h"
#include "passes/lowering/bufferize/variable_table.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace sheaf::lowering {

/// The state of one conversion: where each tensor is, and where the program grows.
///
/// A tensor is written once, to memory of its own or to the destination that a later op wants it
/// in; movement ops only make views. So memory is never overwritten while a view of it is in use.
class Bufferizer {
public:
  Bufferizer(exec::ProgramOp program, VariableTable &variables, KernelTable &kernels);

  /// Puts the instructions after the declarations; call once, at the end.
  void finish();

  mlir::OpBuilder &builder() { return instructions; }
  VariableTable &variables() { return variableTable; }
  KernelTable &kernels() { return kernelTable; }

  /// The buffer of a tensor, perhaps strided.
  mlir::Value get(mlir::Value tensor) const { return buffers.lookup(tensor); }
  void set(mlir::Value tensor, mlir::Value buffer) { buffers[tensor] = buffer; }
  /// The tensor in a buffer that `accepts` says yes to: its own, or a row-major copy.
  mlir::Value getAccepted(mlir::Value tensor, llvm::function_ref<bool(exec::BufferType)> accepts);

  /// Memory in the arena.
  mlir::Value declare(mlir::Location loc, exec::BufferType type);
  /// The memory of a variable.
  mlir::Value declare(exec::VariableOp variable);
  /// Elements of a buffer. Equal views of the same memory are one value.
  mlir::Value view(mlir::Value buffer, const StridedView &view);
  /// A buffer's memory, from `offset` elements on, under another type.
  mlir::Value viewAs(mlir::Value buffer, exec::BufferType type, int64_t offset = 0);
  void copy(mlir::Location loc, mlir::Value from, mlir::Value to);

  /// Wants `tensor` to be written to `destination`. No effect where its producer cannot do that; who
  /// wants it compares `get` with the destination and copies.
  void propose(mlir::Value tensor, mlir::Value destination);
  /// The destination of a result, else new memory of the arena.
  mlir::Value destinationOf(mlir::Value result);
  /// The pieces of a concat's result, one per operand.
  llvm::SmallVector<mlir::Value> &piecesOf(mlir::Operation *concat) { return pieces[concat]; }

private:
  mlir::OpBuilder declarations, instructions;
  exec::ProgramOp program;
  mlir::Block pending;
  VariableTable &variableTable;
  KernelTable &kernelTable;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers, copies, proposals;
  llvm::DenseMap<std::tuple<mlir::Value, int64_t, mlir::Type>, mlir::Value> views;
  llvm::DenseMap<mlir::Operation *, mlir::Value> gets;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> pieces;
};

/// Chooses, from the results backwards, where values should be written: to outputs, where they are not null,
/// and to their places in the results of concats.
void proposeDestinations(mlir::func::FuncOp function, mlir::ValueRange outputs,
                         Bufferizer &bufferizer);

/// Kernels read and write vectors along the last dim: elements side by side, or one repeated.
bool hasVectors(exec::BufferType buffer);

/// How each kind of op becomes instructions or views, by op name.
class BufferizeRules {
public:
  BufferizeRules();

  template <typename Op> void add(mlir::LogicalResult (*rule)(Op, Bufferizer &)) {
    rules[Op::getOperationName()] = [rule](mlir::Operation *op, Bufferizer &bufferizer) {
      return rule(mlir::cast<Op>(op), bufferizer);
    };
  }

  /// Applies the rule of `op`. Errors: an op without one is named.
  mlir::LogicalResult apply(mlir::Operation *op, Bufferizer &bufferizer) const;

private:
  llvm::StringMap<std::function<mlir::LogicalResult(mlir::Operation *, Bufferizer &)>> rules;
};

// One per file of rules.
void addInstructionRules(BufferizeRules &rules);
void addJoinRules(BufferizeRules &rules);
void addViewRules(BufferizeRules &rules);

} // namespace sheaf::lowering

#endif
