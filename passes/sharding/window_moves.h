// What windows over cut dims move between ranks.
#ifndef SHEAF_PASSES_SHARDING_WINDOW_MOVES_H
#define SHEAF_PASSES_SHARDING_WINDOW_MOVES_H

#include "passes/sharding/op_rule.h"

namespace sheaf::sharding {

/// A window along one dim of a tensor of which each rank holds a block.
struct WindowMove {
  unsigned dim;
  DimWindow window;
  /// Of the whole dim.
  int64_t extent;
  /// What cuts the dim, and the places.
  dist::AxisList axes;
  /// What each rank has then.
  mlir::RankedTensorType result;
  /// Whether what each rank's places need begins where its own part does and ends within it.
  bool isOwn = false;
  /// Bytes that the rank sends that sends most (runtime/abi/window.h).
  int64_t sentBytes = 0;
};

/// The windows through which `rule` reads operand `operand`, of type `whole`, along the dims that
/// `sharding` cuts, one after another; `element` is the element type that travels.
llvm::SmallVector<WindowMove> windowMoves(const OpRule &rule, unsigned operand,
                                          mlir::RankedTensorType whole,
                                          const dist::TensorSharding &sharding, mlir::Type element);

} // namespace sheaf::sharding

#endif
