// Brings the threads of one process into groups and tells all of them of the first failure.
#include "runtime/comm/thread_communicator.h"

#include "runtime/comm/thread_group.h"

#include <algorithm>
#include <cassert>
#include <map>

namespace sheaf::rt::comm {

/// Groups of equal members are told apart by how many such groups their makers had made before.
using GroupKey = std::pair<std::vector<int>, size_t>;

struct ThreadWorldState {
  const int timeoutMs;
  std::mutex mutex;
  std::map<GroupKey, std::shared_ptr<ThreadGroupState>> groups;
  std::string failure; ///< empty while there is none

  explicit ThreadWorldState(int timeoutMs) : timeoutMs(timeoutMs) {}

  void fail(std::string_view reason) {
    std::lock_guard lock(mutex);
    if (!failure.empty())
      return;
    failure = reason;
    for (const auto &[key, group] : groups)
      group->rendezvous.breakUp(failure);
  }

  Result<std::shared_ptr<ThreadGroupState>> group(GroupKey key) {
    std::lock_guard lock(mutex);
    if (!failure.empty())
      return Status::aborted(failure);
    std::shared_ptr<ThreadGroupState> &group = groups[key];
    if (!group)
      group = std::make_shared<ThreadGroupState>(std::move(key.first), timeoutMs);
    return group;
  }
};

namespace {

class ThreadCommunicator final : public Communicator {
public:
  ThreadCommunicator(ThreadWorldState &world, int ownRank, int numRanks)
      : world(world), ownRank(ownRank), numRanks(numRanks) {}

  int rank() const override { return ownRank; }
  int size() const override { return numRanks; }
  int timeoutMs() const override { return world.timeoutMs; }

  Result<std::unique_ptr<Group>> makeGroup(std::span<const int> ranks, uint32_t) override {
    if (Status status = checkMembers(ranks, ownRank, numRanks); !status.isOk())
      return status;
    std::vector<int> members(ranks.begin(), ranks.end());
    auto index = std::find(members.begin(), members.end(), ownRank) - members.begin();
    size_t number = numMade[members]++;
    auto state = world.group({std::move(members), number});
    if (!state.isOk())
      return state.takeStatus();
    return makeThreadGroup(std::move(*state), static_cast<int>(index),
                           [&world = world](const Status &status) { world.fail(status.text()); });
  }

  void abort(const Status &reason) override {
    world.fail("rank " + std::to_string(ownRank) + " failed: " + std::string(reason.text()));
  }

  Status failure() const override {
    std::lock_guard lock(world.mutex);
    return world.failure.empty() ? Status() : Status::aborted(world.failure);
  }

private:
  ThreadWorldState &world;
  int ownRank;
  int numRanks;
  std::map<std::vector<int>, size_t> numMade; ///< groups, by their members
};

} // namespace

ThreadWorld::ThreadWorld(int numRanks, int timeoutMs)
    : state(std::make_unique<ThreadWorldState>(timeoutMs)) {
  for (int rank = 0; rank < numRanks; ++rank)
    communicators.push_back(std::make_unique<ThreadCommunicator>(*state, rank, numRanks));
}

ThreadWorld::~ThreadWorld() = default;

int ThreadWorld::size() const { return static_cast<int>(communicators.size()); }

Communicator &ThreadWorld::communicator(int rank) {
  assert(rank >= 0 && rank < size() && "no such rank");
  return *communicators[static_cast<size_t>(rank)];
}

} // namespace sheaf::rt::comm
