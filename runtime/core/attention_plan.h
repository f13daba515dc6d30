// What an `attention` and an `attention_gradient` compute.
#ifndef SHEAF_RUNTIME_CORE_ATTENTION_PLAN_H
#define SHEAF_RUNTIME_CORE_ATTENTION_PLAN_H

#include "runtime/core/device.h"

#include <array>

namespace sheaf::rt {

/// softmax(cap(scale * q k^T) + mask) v: b batches of h heads, g groups of them share keys and values.
struct AttentionPlan {
  using Four = std::array<int64_t, 4>;

  int64_t batch, heads, groups, queries, keys, depth, valueDepth;
  Four query, key, value, mask{}, result; ///< strides, elements
  bool hasMask, isCausal;
  bool isMaskWide = false; ///< f32 where the elements are of 16 bits
  double scale;
  double softcap; ///< c of cap(x) = c tanh(x / c); 0: scores are not capped

  /// Errors: buffers that do not fit.
  static Result<AttentionPlan> make(CallSite &site);
};

struct AttentionGradientPlan {
  using Four = AttentionPlan::Four;

  AttentionPlan attention; ///< its result stands for the gradient of the result
  Four queryGradient, keyGradient, valueGradient; ///< strides, elements

  /// Errors: buffers that do not fit.
  static Result<AttentionGradientPlan> make(CallSite &site);
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_ATTENTION_PLAN_H
