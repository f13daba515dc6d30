// What an op may use to emit vector code of itself inside a cluster.
#ifndef SHEAF_DIALECTS_INTERFACES_EMITTER_H
#define SHEAF_DIALECTS_INTERFACES_EMITTER_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace sheaf {

/// Builds vector code at one place of a kernel: arith, math and vector ops on vectors of `width`
/// elements. 16-bit floats are computed in f32; other types in themselves.
class Emitter {
public:
  virtual ~Emitter() = default;

  mlir::ImplicitLocOpBuilder &builder() { return *bld; }
  int64_t width() const { return numLanes; }

  /// `vector<width x type>` for a compute type.
  mlir::VectorType vectorOf(mlir::Type computeType) const;
  /// The type in which values of a stored element type are computed.
  static mlir::Type computeTypeOf(mlir::Type elementType);
  /// A splat constant of a compute type.
  mlir::Value splat(mlir::Type computeType, double value);

  // Functions without an accurate and fast vector form of their own in MLIR. Arguments and results
  // are f32 or f64 vectors; the accuracy is that of the target's math library here.
  virtual mlir::Value exp(mlir::Value x) = 0;
  virtual mlir::Value log(mlir::Value x) = 0;
  virtual mlir::Value tanh(mlir::Value x) = 0;
  virtual mlir::Value erf(mlir::Value x) = 0;
  virtual mlir::Value rsqrt(mlir::Value x) = 0;

  /// The position along `dim` of the cluster's iteration space, as a vector of i64.
  virtual mlir::Value position(int64_t dim) = 0;

protected:
  Emitter(mlir::ImplicitLocOpBuilder &builder, int64_t width) : bld(&builder), numLanes(width) {}

private:
  mlir::ImplicitLocOpBuilder *bld;
  int64_t numLanes;
};

} // namespace sheaf

#endif
