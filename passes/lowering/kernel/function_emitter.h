// The functions of f32 that kernels of every target are made of.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_FUNCTION_EMITTER_H
#define SHEAF_PASSES_LOWERING_KERNEL_FUNCTION_EMITTER_H

#include "dialects/interfaces/emitter.h"

namespace sheaf::lowering {

/// Emits polynomials and what surrounds them. A target says which instructions it has for the pieces;
/// functions of f64, and the rare ones, go through its `call`.
class FunctionEmitter : public Emitter {
public:
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

  /// 32-bit integers in all lanes; f32 as the integers of their bits, and back.
  mlir::Value integer(int64_t value);
  mlir::Value bits(mlir::Value x);
  mlir::Value fromBits(mlir::Value x);

protected:
  FunctionEmitter(mlir::ImplicitLocOpBuilder &builder, int64_t width) : Emitter(builder, width) {}

  /// Whether the op that is emitted rounds its result to bf16, and the target gains by estimates.
  virtual bool mayEstimate() const = 0;
  /// exp within 2^-13, and 0 where the result is denormal; asked for where `mayEstimate`.
  virtual mlir::Value expEstimate(mlir::Value x) = 0;
  /// Whether there are instructions for the two below.
  virtual bool hasReciprocalEstimate() const = 0;
  virtual bool hasFloatScaling() const = 0;
  /// 1 / x within 2^-14; 0 for infinity.
  virtual mlir::Value reciprocalEstimate(mlir::Value x) = 0;
  /// `fraction * 2^n` for integral f32 `n`.
  virtual mlir::Value scaledByFloat(mlir::Value fraction, mlir::Value n) = 0;

  /// `1 / y` in two factors, the first of which keeps the second normal where `y` is very small or large.
  struct Reciprocal {
    mlir::Value prescale, factor;
  };
  Reciprocal reciprocalOf(mlir::Value y);
  /// `x / y` within 1.5 ulp.
  mlir::Value mulByReciprocal(mlir::Value x, const Reciprocal &y);

  /// `coefficients[0] x^n + ...`, highest power first.
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> coefficients);

  /// Whether the op that is emitted rounds its result to bf16.
  bool isRoundedToBfloat = false;

  // Adding 1.5 * 2^23 leaves the nearest integer in the low bits: no conversion, so none that is
  // undefined for NaN.
  static constexpr double roundingShift = 12582912.0;
  static constexpr int64_t roundingShiftBits = 0x4b400000;

private:
  /// `x / y`, rounded as `div` but for rare last bits; for quotients and a `y` far from overflow and
  /// denormals, and for x = 0.
  mlir::Value divByModerate(mlir::Value x, mlir::Value y);
  /// `x = n log(2) + rest`, `|rest| <= log(2) / 2`; `n` as a float and in the low bits of an i32.
  struct Exponent {
    mlir::Value n, bits, rest;
  };
  Exponent splitExponent(mlir::Value x);
  mlir::Value scaled(mlir::Value fraction, const Exponent &exponent);
  /// exp(rest) - 1 for the rest of splitExponent.
  mlir::Value expm1OfRest(mlir::Value rest);
  /// sin of `x` turned back by `quarterTurns` quarters: 0 for sin, 1 for cos.
  mlir::Value sinOfTurned(mlir::Value x, int64_t quarterTurns, llvm::StringRef name);
  /// 2^n of i32 `n`, for normal results.
  mlir::Value powerOfTwo(mlir::Value n);
};

} // namespace sheaf::lowering

#endif
