// What of a function with a loop runs before, in and after the trips, and what has to be carried between.
#ifndef SHEAF_PASSES_LOWERING_OUTLINE_LOOP_PARTS_H
#define SHEAF_PASSES_LOWERING_OUTLINE_LOOP_PARTS_H

#include "dialects/graph/graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace sheaf::lowering {

/// What a part needs of the function, but the body of the loop.
struct LoopPart {
  llvm::DenseSet<mlir::Operation *> ops;  ///< that it computes itself
  llvm::BitVector arguments;              ///< of the function, that it takes
  llvm::SetVector<mlir::Value> fromBegin; ///< values that the begin has computed
};

/// Whether carried value `index` of a loop is read before a trip gives it the next value.
bool readsBefore(graph::LoopOp loop, unsigned index);
/// Whether a trip gives carried value `index` of a loop another value.
bool isChanged(graph::LoopOp loop, unsigned index);

/// Splits the straight ops around a loop. Nothing is carried that a part can have by itself: arguments of the function,
/// views of them, and what depends on constants only are taken or made by each part that needs them. Of what is carried
/// each part makes its own views.
class LoopParts {
public:
  /// `loop` is on the top level of `function`, and the only one in it.
  LoopParts(mlir::func::FuncOp function, graph::LoopOp loop);

  LoopPart begin, trip, end;
  /// Values that the begin computes for the trips or the end.
  llvm::SetVector<mlir::Value> carried;

  /// Whether the begin gives result `index` of the function; else the end does.
  bool isGivenByBegin(unsigned index) const { return givenByBegin.test(index); }

private:
  void findDirect();
  /// Lets `part` have `value`, with all that it needs for that.
  void add(LoopPart &part, mlir::Value value);

  mlir::func::FuncOp function;
  graph::LoopOp loop;
  llvm::DenseSet<mlir::Value> direct; ///< what every part can have by itself
  llvm::BitVector givenByBegin;
};

} // namespace sheaf::lowering

#endif
