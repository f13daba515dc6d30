// Values in two orders of their dims, and the transposes between them.
#ifndef SHEAF_PASSES_LOWERING_CHANNELS_LAST_VALUES_H
#define SHEAF_PASSES_LOWERING_CHANNELS_LAST_VALUES_H

#include "dialects/graph/graph.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace sheaf::lowering {

/// Keeps for each value [n, c, space..] of a function its form [n, space.., c]; makes a transpose the
/// first time that the form it lacks is asked for.
class ChannelsLastValues {
public:
  /// The type with the channels last.
  static mlir::RankedTensorType typeOf(mlir::Type type);

  /// True when `value` will vanish: only its form with the channels last exists.
  bool isReplaced(mlir::Value value) const { return replaced.contains(value); }
  /// Says that `value` will vanish, and that it exists as `channelsLast`.
  void replace(mlir::Value value, mlir::Value channelsLast) {
    channelsLastOf[value] = channelsLast;
    replaced.insert(value);
  }

  mlir::Value getChannelsLast(mlir::OpBuilder &builder, mlir::Value value);
  /// The value itself, or what stands for it.
  mlir::Value getChannelsSecond(mlir::OpBuilder &builder, mlir::Value value);

private:
  mlir::Value transpose(mlir::OpBuilder &builder, mlir::Value value,
                        llvm::ArrayRef<int64_t> permutation);

  llvm::DenseMap<mlir::Value, mlir::Value> channelsLastOf, channelsSecondOf;
  llvm::DenseSet<mlir::Value> replaced;
};

} // namespace sheaf::lowering

#endif
