// What a `random` computes.
#ifndef SHEAF_RUNTIME_CORE_RANDOM_PLAN_H
#define SHEAF_RUNTIME_CORE_RANDOM_PLAN_H

#include "runtime/core/device.h"
#include "runtime/core/distribution.h"
#include "runtime/core/philox.h"
#include "runtime/core/strided.h"

#include <optional>

namespace sheaf::rt {

/// Element i of out, which is row-major, is element first + (place i of `indices`) of the whole value.
struct RandomPlan {
  Distribution distribution;
  RandomStream stream;
  size_t numIns;
  std::optional<size_t> seedAt;  ///< the in that is added to the stream's key
  std::optional<size_t> firstAt; ///< the in that is added to `first`
  int64_t first;                 ///< of the whole value's elements
  StridedSpace<1> indices;       ///< merged

  /// Errors: a type that the kind does not give, or an out that is no part of the whole value.
  static Result<RandomPlan> make(CallSite &site);
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_RANDOM_PLAN_H
