// What an `attention` computes.
#ifndef SHEAF_RUNTIME_CORE_ATTENTION_PLAN_H
#define SHEAF_RUNTIME_CORE_ATTENTION_PLAN_H

#include "runtime/core/device.h"

#include <array>

namespace sheaf::rt {

/// softmax(scale * q k^T + mask) v: b batches of h heads, g groups of them share keys and values.
struct AttentionPlan {
  using Four = std::array<int64_t, 4>;

  int64_t batch, heads, groups, queries, keys, depth, valueDepth;
  Four query, key, value, mask{}, result; ///< strides, elements
  bool hasMask, isCausal;
  bool isMaskWide = false; ///< f32 where the elements are of 16 bits
  double scale;

  /// Errors: buffers that do not fit.
  static Result<AttentionPlan> make(CallSite &site);
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_ATTENTION_PLAN_H
