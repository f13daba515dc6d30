// What `pool` and `pool_argmax` compute.
#ifndef SHEAF_RUNTIME_CORE_POOL_PLAN_H
#define SHEAF_RUNTIME_CORE_POOL_PLAN_H

#include "runtime/core/device.h"
#include "runtime/core/pool_geometry.h"

namespace sheaf::rt {

/// Reads and checks a `pool`: its channels become lanes where they are innermost.
Result<PoolGeometry> readPool(CallSite &site);

/// Pooling that tells where the maxima are, one channel at a time, whatever the strides.
struct PoolArgmaxPlan {
  PoolGeometry geometry; ///< of the values
  PoolTensor indices;
  bool isColumnMajor; ///< The first space dim is counted fastest, not the last.

  static Result<PoolArgmaxPlan> make(CallSite &site);
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_POOL_PLAN_H
