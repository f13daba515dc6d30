// A group of threads, and the memory that its members share.
#ifndef SHEAF_RUNTIME_COMM_THREAD_GROUP_H
#define SHEAF_RUNTIME_COMM_THREAD_GROUP_H

#include "runtime/comm/call.h"
#include "runtime/comm/rendezvous.h"

#include <memory>

namespace sheaf::rt::comm {

/// What the members of a group have in common.
struct ThreadGroupState {
  /// The buffers that a member calls with. The others read them between the meeting and the parting.
  using Slot = std::span<const CollectiveBuffer>;

  ThreadGroupState(std::vector<int> ranks, int timeoutMs)
      : ranks(std::move(ranks)), timeoutMs(timeoutMs),
        rendezvous(static_cast<int>(this->ranks.size())), calls(this->ranks.size()),
        slots(this->ranks.size()) {}

  const std::vector<int> ranks;
  const int timeoutMs;
  Rendezvous rendezvous;
  std::vector<Call> calls; ///< per member
  std::vector<Slot> slots; ///< per member
};

/// Called when a call of a group failed, with the reason.
using FailureListener = std::function<void(const Status &)>;

/// The member `index` of the group that `state` is of.
std::unique_ptr<Group> makeThreadGroup(std::shared_ptr<ThreadGroupState> state, int index,
                                       FailureListener onFailure);

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_THREAD_GROUP_H
