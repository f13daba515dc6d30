// Vector code for host processors: functions of f32, the C library, rounding to stored types.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_HOST_EMITTER_H
#define SHEAF_PASSES_LOWERING_KERNEL_HOST_EMITTER_H

#include "dialects/interfaces/emitter.h"
#include "passes/lowering/kernel/schedule.h"

namespace sheaf::lowering {

/// What kernel code depends on, of a processor.
struct HostFeatures {
  bool hasAvx512 = false;
};

/// Emits for processors with FMA. f32 functions have code of their own; those of f64, and the rare
/// ones, call the C library lane by lane.
class HostEmitter : public Emitter {
public:
  static constexpr int64_t lanes = vectorLanes;

  HostEmitter(mlir::ImplicitLocOpBuilder &builder, HostFeatures features)
      : Emitter(builder, lanes), features(features) {}

  mlir::Value divByAtLeastOne(mlir::Value x, mlir::Value y) override;
  mlir::Value exp(mlir::Value x) override;
  mlir::Value expm1(mlir::Value x) override;
  mlir::Value log(mlir::Value x) override;
  mlir::Value log1p(mlir::Value x) override;
  mlir::Value tanh(mlir::Value x) override;
  mlir::Value erf(mlir::Value x) override;
  mlir::Value timesNormalBelow(mlir::Value x) override;
  mlir::Value sin(mlir::Value x) override;
  mlir::Value cos(mlir::Value x) override;
  mlir::Value call(llvm::StringRef name, mlir::ValueRange arguments) override;
  mlir::Value roundTo(mlir::Type elementType, mlir::Value x) override;

  /// f32 bits rounded to nearest even in their upper half, as i32; the lower half is arbitrary: bf16
  /// without its hardware.
  mlir::Value roundedToUpperHalf(mlir::Value x);

  /// A scalar i64, and 32-bit integers in all lanes.
  mlir::Value constant(int64_t value);
  mlir::Value integer(int64_t value);
  /// The mask of the first lanes.
  mlir::Value firstLanes(int64_t numLanes);
  mlir::Value bits(mlir::Value x);
  mlir::Value fromBits(mlir::Value x);

protected:
  /// Whether the op that is emitted rounds its result to bf16: then estimates do.
  bool isRoundedToBfloat = false;
  /// Whether NaNs carry nothing in the lower half of their f32 bits: arithmetic keeps the payloads of
  /// operands, so those of bf16 operands do not.
  bool hasShortNans = false;

private:
  bool mayEstimate() const { return isRoundedToBfloat && features.hasAvx512; }
  mlir::Value expEstimate(mlir::Value x);
  /// 1 / x within 2^-14; 0 for infinity.
  mlir::Value reciprocalEstimate(mlir::Value x);
  /// `x / y`, rounded as `div` but for rare last bits; for quotients and a `y` far from overflow and
  /// denormals, and for x = 0.
  mlir::Value divByModerate(mlir::Value x, mlir::Value y);
  /// `x = n log(2) + rest`, `|rest| <= log(2) / 2`; `n` as a float and in the low bits of an i32.
  struct Exponent {
    mlir::Value n, bits, rest;
  };
  Exponent splitExponent(mlir::Value x);
  mlir::Value scaled(mlir::Value fraction, const Exponent &exponent);
  /// `fraction * 2^n` for integral f32 `n`, by AVX-512.
  mlir::Value scaledByFloat(mlir::Value fraction, mlir::Value n);
  /// exp(rest) - 1 for the rest of splitExponent.
  mlir::Value expm1OfRest(mlir::Value rest);
  /// sin of `x` turned back by `quarterTurns` quarters: 0 for sin, 1 for cos.
  mlir::Value sinOfTurned(mlir::Value x, int64_t quarterTurns, llvm::StringRef name);

  /// `coefficients[0] x^n + ...`, highest power first.
  mlir::Value polynomial(mlir::Value x, std::initializer_list<double> coefficients);
  /// 2^n of i32 `n`, for normal results.
  mlir::Value powerOfTwo(mlir::Value n);

  HostFeatures features;
};

} // namespace sheaf::lowering

#endif
