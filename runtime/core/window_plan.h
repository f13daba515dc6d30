// What the call `window` copies and exchanges.
#ifndef SHEAF_RUNTIME_CORE_WINDOW_PLAN_H
#define SHEAF_RUNTIME_CORE_WINDOW_PLAN_H

#include "runtime/core/collective.h"

namespace sheaf::rt {

/// A run of elements along the dim, copied between a tensor and another memory.
struct WindowRun {
  BufferShape from, to;
  size_t fromOffset, toOffset; ///< bytes
};

/// What one rank does, decided once.
struct WindowPlan {
  std::vector<WindowRun> kept;             ///< of `in` to `out`
  std::vector<WindowRun> fills;            ///< of the fill to `out`
  std::vector<WindowRun> packs;            ///< of `in` to what is sent
  std::vector<WindowRun> unpacks;          ///< of what is received to `out`
  std::vector<Transfer> between;           ///< of all members, to others
  size_t sentBytes = 0, receivedBytes = 0; ///< packed; 0: straight from `in`, or to `out`
  std::optional<Collective> collective;

  static Result<WindowPlan> bind(CallSite &site);
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_WINDOW_PLAN_H
