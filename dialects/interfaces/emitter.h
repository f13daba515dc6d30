// What an op may use to emit vector code of itself inside a cluster.
#ifndef SHEAF_DIALECTS_INTERFACES_EMITTER_H
#define SHEAF_DIALECTS_INTERFACES_EMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

namespace sheaf {

/// Builds vector code at one place of a kernel: arith, math and vector ops on vectors of `width`
/// elements. Elements are computed in their compute type: f32 for 16-bit floats, the signless
/// integer for integers, the type itself for all others. Lanes beyond the end of a tensor hold
/// arbitrary values, so emitted code must not trap for any of them.
class Emitter {
public:
  virtual ~Emitter() = default;

  mlir::ImplicitLocOpBuilder &builder() { return *bld; }
  int64_t width() const { return numLanes; }

  /// Whether there is a compute type for values of a stored element type: not for integers and
  /// floats of fewer than 8 bits, but booleans, and not for 8-bit floats.
  static bool canCompute(mlir::Type elementType);
  /// The type in which values of a stored element type are computed.
  static mlir::Type computeTypeOf(mlir::Type elementType);
  /// `vector<width x type>` for a compute type.
  mlir::VectorType vectorOf(mlir::Type computeType) const;

  /// A splat of a float or integer; integers wrap to the type.
  mlir::Value splat(mlir::Type computeType, double value);
  mlir::Value splat(mlir::Type computeType, int64_t value);
  /// A splat in the element type of `like`.
  mlir::Value splatLike(mlir::Value like, double value);

  // Floats. Multiplications and additions may contract.
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  virtual mlir::Value div(mlir::Value x, mlir::Value y);
  /// `x / y` for `y` of at least 1, or NaN.
  virtual mlir::Value divByAtLeastOne(mlir::Value x, mlir::Value y) { return div(x, y); }
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z);
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value x, mlir::Value y);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  /// `x > y ? x : y` and `x < y ? x : y`: one instruction, `y` when either is NaN.
  mlir::Value maxOrSecond(mlir::Value x, mlir::Value y);
  mlir::Value minOrSecond(mlir::Value x, mlir::Value y);
  /// The larger and the smaller, NaN when either is NaN.
  mlir::Value max(mlir::Value x, mlir::Value y);
  mlir::Value min(mlir::Value x, mlir::Value y);

  // Functions of f32 or f64 vectors with fast code of the target; the error is at most 4 ulp, for
  // `erf` 1e-6 of its range, for `sin` and `cos` 1e-7 of it. Where the op's result is bf16, `exp` and
  // `divByAtLeastOne` may be 2^-13 of the result off, a sixteenth of the rounding that follows.
  virtual mlir::Value exp(mlir::Value x) = 0; // 0 where the result is denormal
  virtual mlir::Value expm1(mlir::Value x) = 0;
  virtual mlir::Value log(mlir::Value x) = 0;
  virtual mlir::Value log1p(mlir::Value x) = 0;
  virtual mlir::Value tanh(mlir::Value x) = 0;
  virtual mlir::Value erf(mlir::Value x) = 0;
  /// `x` times the part of a normal distribution below it: `x/2 (1 + erf(x / sqrt(2)))`.
  virtual mlir::Value timesNormalBelow(mlir::Value x);
  virtual mlir::Value sin(mlir::Value x) = 0;
  virtual mlir::Value cos(mlir::Value x) = 0;

  /// The C library's function `name` ("pow", "acosh"; the f64 name) of each lane of f32 or f64.
  virtual mlir::Value call(llvm::StringRef name, mlir::ValueRange arguments) = 0;

  /// Rounds a compute value to what its stored element type can hold.
  virtual mlir::Value roundTo(mlir::Type elementType, mlir::Value x) = 0;

  /// The index along dim `dim` of the result of the op being emitted, as a vector of i64.
  virtual mlir::Value position(int64_t dim) = 0;

protected:
  Emitter(mlir::ImplicitLocOpBuilder &builder, int64_t width) : bld(&builder), numLanes(width) {}

private:
  mlir::arith::FastMathFlagsAttr contract();

  mlir::ImplicitLocOpBuilder *bld;
  int64_t numLanes;
};

} // namespace sheaf

#endif
