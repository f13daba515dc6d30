// Functions of f64 in plain arithmetic, for targets without a mathematics library.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_GPU_DOUBLE_FUNCTIONS_H
#define SHEAF_PASSES_LOWERING_KERNEL_GPU_DOUBLE_FUNCTIONS_H

#include "dialects/interfaces/emitter.h"

namespace sheaf::lowering {

/// Emits functions of f64 vectors. Errors are at most 2 units in the last place, but 4 for `sinh`,
/// `cosh`, `tanh` and their inverses; `fmod` is exact. Zeros, infinities, NaN and denormals are as the
/// C library has them, signs of zero results aside.
class DoubleFunctions {
public:
  explicit DoubleFunctions(Emitter &emitter) : e(emitter), b(emitter.builder()) {}

  /// The C library's function `name`; null when there is no code for it.
  mlir::Value call(llvm::StringRef name, mlir::ValueRange arguments);

  mlir::Value exp(mlir::Value x);
  mlir::Value expm1(mlir::Value x);
  mlir::Value log(mlir::Value x);
  mlir::Value log1p(mlir::Value x);
  mlir::Value pow(mlir::Value x, mlir::Value y);
  mlir::Value fmod(mlir::Value x, mlir::Value y);

  mlir::Value sinh(mlir::Value x);
  mlir::Value cosh(mlir::Value x);
  mlir::Value tanh(mlir::Value x);
  mlir::Value asinh(mlir::Value x);
  mlir::Value acosh(mlir::Value x);
  mlir::Value atanh(mlir::Value x);
  mlir::Value erf(mlir::Value x);

  mlir::Value sin(mlir::Value x);
  mlir::Value cos(mlir::Value x);
  mlir::Value tan(mlir::Value x);
  mlir::Value asin(mlir::Value x);
  mlir::Value acos(mlir::Value x);
  mlir::Value atan(mlir::Value x);
  mlir::Value atan2(mlir::Value y, mlir::Value x);

private:
  /// A value in two parts: the second is less than a unit in the last place of the first.
  struct Sum {
    mlir::Value high, low;
  };
  /// `n log(2) + rest`, `n` integral as a float and as an i64.
  struct Exponent {
    mlir::Value n, bits, rest;
  };
  /// `m 2^e` with m in [sqrt(1/2), sqrt(2)), `e` as a float.
  struct Scientific {
    mlir::Value m, e;
  };
  /// An angle within an eighth of a turn, and the quarters taken off it, modulo 4, as i64.
  struct Angle {
    mlir::Value quarters;
    Sum rest;
  };
  struct SinCos {
    mlir::Value sin, cos;
  };

  Exponent splitExponent(mlir::Value x);
  mlir::Value expm1OfRest(mlir::Value rest);
  /// exp(x + low), `low` small.
  mlir::Value exp(mlir::Value x, mlir::Value low);
  Scientific split(mlir::Value x);
  /// Of positive finite `x`, within 2^-64 of the result.
  Sum logInTwoParts(mlir::Value x);
  mlir::Value withSpecialsOfLog(mlir::Value x, mlir::Value ofRest);
  Angle reduce(mlir::Value x);
  Angle reduceNear(mlir::Value x);
  Angle reduceFar(mlir::Value x);
  SinCos ofRest(const Sum &rest);
  mlir::Value sinOfTurned(mlir::Value x, int64_t quarterTurns);
  /// asin of [0, 1/2] given its square.
  mlir::Value asinOfSmall(mlir::Value x, mlir::Value square);
  /// The words of 2/pi, binary digits after the point, from word `first` on.
  llvm::SmallVector<mlir::Value> twoOverPi(mlir::Value first, unsigned count);

  // Pieces.
  mlir::Value real(double value);
  mlir::Value integer(uint64_t value);
  mlir::Value bits(mlir::Value x);
  mlir::Value fromBits(mlir::Value x);
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> coefficients);
  mlir::Value magnitude(mlir::Value x);
  mlir::Value negated(mlir::Value x);
  mlir::Value withSignOf(mlir::Value magnitude, mlir::Value sign);
  mlir::Value isNegativeBit(mlir::Value x);
  mlir::Value isNan(mlir::Value x);
  /// 2^n of i64 `n`, for normal results; `x 2^n` for any result.
  mlir::Value powerOfTwo(mlir::Value n);
  mlir::Value scaled(mlir::Value x, mlir::Value n);
  // Never contracted.
  mlir::Value plus(mlir::Value x, mlir::Value y);
  mlir::Value minus(mlir::Value x, mlir::Value y);
  mlir::Value times(mlir::Value x, mlir::Value y);
  mlir::Value shiftLeft(mlir::Value x, mlir::Value n);
  mlir::Value shiftRight(mlir::Value x, mlir::Value n);
  mlir::Value bitOr(mlir::Value x, mlir::Value y);
  mlir::Value bitAnd(mlir::Value x, mlir::Value y);

  Emitter &e;
  mlir::ImplicitLocOpBuilder &b;
};

} // namespace sheaf::lowering

#endif
