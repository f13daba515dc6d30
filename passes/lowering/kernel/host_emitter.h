// Vector code for host processors: the C library, estimates, rounding to stored types.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_HOST_EMITTER_H
#define SHEAF_PASSES_LOWERING_KERNEL_HOST_EMITTER_H

#include "passes/lowering/kernel/function_emitter.h"
#include "passes/lowering/kernel/schedule.h"

namespace sheaf::lowering {

/// What kernel code depends on, of a processor.
struct HostFeatures {
  bool hasAvx512 = false;
};

/// Emits for processors with FMA. f32 functions have code of their own; those of f64, and the rare
/// ones, call the C library lane by lane.
class HostEmitter : public FunctionEmitter {
public:
  static constexpr int64_t lanes = vectorLanes;

  HostEmitter(mlir::ImplicitLocOpBuilder &builder, HostFeatures features)

      : FunctionEmitter(builder, lanes), features(features) {}

  mlir::Value call(llvm::StringRef name, mlir::ValueRange arguments) override;
  mlir::Value roundTo(mlir::Type elementType, mlir::Value x) override;

  /// f32 bits rounded to nearest even in their upper half, as i32; the lower half is arbitrary: bf16
  /// without its hardware.
  mlir::Value roundedToUpperHalf(mlir::Value x);

  /// A scalar i64.
  mlir::Value constant(int64_t value);
  /// The mask of the first lanes.
  mlir::Value firstLanes(int64_t numLanes);

protected:
  /// Whether NaNs carry nothing in the lower half of their f32 bits: arithmetic keeps the payloads of
  /// operands, so those of bf16 operands do not.
  bool hasShortNans = false;

private:
  bool mayEstimate() const override { return isRoundedToBfloat && features.hasAvx512; }
  mlir::Value expEstimate(mlir::Value x) override;
  bool hasReciprocalEstimate() const override { return features.hasAvx512; }
  bool hasFloatScaling() const override { return features.hasAvx512; }
  mlir::Value reciprocalEstimate(mlir::Value x) override;
  mlir::Value scaledByFloat(mlir::Value fraction, mlir::Value n) override;

  HostFeatures features;
};

} // namespace sheaf::lowering

#endif
