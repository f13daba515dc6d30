// Groups: calls of one stream become one operation.
#include "test/standin/nccl/group.h"

#include "test/standin/device/engine.h"
#include "test/standin/nccl/reduce.h"

namespace sheaf::standin::nccl {

namespace {

struct Group {
  int depth = 0;
  ncclResult_t error = ncclSuccess;
  std::vector<std::pair<cudaStream_t, std::vector<Call>>> calls; ///< by stream
  std::vector<std::shared_ptr<Communicator>> unsettled;

  static Group &ofThread() {
    thread_local Group group;
    return group;
  }
};

ncclResult_t check(const Call &call) {
  Communicator &communicator = *call.communicator;
  if (const ncclResult_t state = communicator.advance(); state != ncclSuccess)
    return state == ncclInProgress ? ncclInvalidUsage : state;
  // Whoever was told "in progress" has to ask before the next call.
  if (communicator.pendingPolls > 0)
    return ncclInvalidUsage;
  const bool hasPeer = call.kind == Kind::Send || call.kind == Kind::Receive ||
                       call.kind == Kind::Broadcast || call.kind == Kind::Reduce;
  if (!bytesOf(call.type) || call.reduction >= ncclNumOps ||
      (hasPeer && (call.root < 0 || call.root >= communicator.size())))
    return ncclInvalidArgument;
  return ncclSuccess;
}

/// Of a communicator that doesn't block, a call may return before it is issued.
ncclResult_t answer(const std::vector<Call> &calls, ncclResult_t result) {
  if (result != ncclSuccess)
    return result;
  bool isPending = false;
  Engine &engine = Engine::get();
  for (const Call &call : calls)
    if (!call.communicator->isBlocking() && engine.seed() != 0 && engine.draw() % 4 == 0) {
      call.communicator->pendingPolls = 1 + static_cast<int>(engine.draw() % 3);
      isPending = true;
    }
  return isPending ? ncclInProgress : ncclSuccess;
}

} // namespace

ncclResult_t issue(Call call, cudaStream_t stream) {
  Group &group = Group::ofThread();
  if (ncclResult_t error = check(call); error != ncclSuccess) {
    if (group.depth)
      group.error = error;
    return error;
  }
  if (group.depth == 0) {
    const ncclResult_t result = enqueue({call}, stream);
    return answer({call}, result);
  }
  for (auto &[known, calls] : group.calls)
    if (known == stream) {
      calls.push_back(std::move(call));
      return ncclSuccess;
    }
  group.calls.emplace_back(stream, std::vector<Call>{std::move(call)});
  return ncclSuccess;
}

ncclResult_t settle(const std::shared_ptr<Communicator> &communicator) {
  if (!communicator->isBlocking())
    return ncclInProgress;
  Group &group = Group::ofThread();
  if (group.depth == 0)
    return communicator->waitUntilReady();
  group.unsettled.push_back(communicator);
  return ncclSuccess;
}

} // namespace sheaf::standin::nccl

using namespace sheaf::standin::nccl;

ncclResult_t ncclGroupStart() {
  ++Group::ofThread().depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  Group &group = Group::ofThread();
  if (group.depth == 0)
    return ncclInvalidUsage;
  if (--group.depth)
    return ncclSuccess;
  Group ended = std::move(group);
  group = {};
  ncclResult_t result = ended.error;
  for (const std::shared_ptr<Communicator> &communicator : ended.unsettled)
    if (result == ncclSuccess)
      result = communicator->waitUntilReady();
  std::vector<Call> all;
  for (auto &[stream, calls] : ended.calls) {
    all.insert(all.end(), calls.begin(), calls.end());
    if (result == ncclSuccess)
      result = enqueue(std::move(calls), stream);
  }
  return answer(all, result);
}
