// Vector code for a thread of a GPU: functions of f64, estimates, and what threads exchange.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_GPU_GPU_EMITTER_H
#define SHEAF_PASSES_LOWERING_KERNEL_GPU_GPU_EMITTER_H

#include "passes/lowering/kernel/function_emitter.h"

namespace sheaf::lowering {

/// Emits without a library: functions of f64 have code of their own, and rare functions of f32 are
/// computed in f64, which makes them right to the last bit but for ties.
class GpuEmitter : public FunctionEmitter {
public:
  GpuEmitter(mlir::ImplicitLocOpBuilder &builder, int64_t width)
      : FunctionEmitter(builder, width) {}

  mlir::Value call(llvm::StringRef name, mlir::ValueRange arguments) override;
  mlir::Value roundTo(mlir::Type elementType, mlir::Value x) override;

  /// A function of the C library that an op has called and that there is no code for: then what was
  /// emitted is wrong. Empty: none.
  llvm::StringRef missingFunction() const { return missing; }

protected:
  /// Calls an intrinsic of LLVM.
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type type, mlir::ValueRange arguments);
  void voidIntrinsic(llvm::StringRef name, mlir::ValueRange arguments);
  /// A scalar i32.
  mlir::Value word(int64_t value);
  /// The scalar of the thread of the same warp whose number differs from this one's in the bits of
  /// `distance`. All threads of the warp must be here.
  mlir::Value exchange(mlir::Value scalar, int64_t distance);

private:
  bool mayEstimate() const override { return isRoundedToBfloat; }
  mlir::Value expEstimate(mlir::Value x) override;
  bool hasReciprocalEstimate() const override { return true; }
  mlir::Value reciprocalEstimate(mlir::Value x) override;
  bool hasFloatScaling() const override { return false; }
  mlir::Value scaledByFloat(mlir::Value fraction, mlir::Value n) override;

  /// An intrinsic of scalars, on each lane.
  mlir::Value onLanes(llvm::StringRef name, mlir::Value x);

  std::string missing;
};

} // namespace sheaf::lowering

#endif
