// Brings ranks together for NCCL, and looks after them while a GPU works.
#include "runtime/cuda/nccl_communicator.h"

#include "runtime/cuda/nccl_group.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <optional>
#include <thread>

namespace sheaf::rt::cuda {
namespace {

class NcclCommunicator final : public DeviceCommunicator {
public:
  NcclCommunicator(CudaDevice &device, Communicator &processes)
      : device(device), processes(processes) {}

  int rank() const override { return processes.rank(); }
  int size() const override { return processes.size(); }
  int timeoutMs() const override { return processes.timeoutMs(); }
  Status failure() const override { return processes.failure(); }

  Result<std::unique_ptr<Group>> makeGroup(std::span<const int> ranks, uint32_t stream) override;
  void abort(const Status &reason) override {
    giveUp();
    processes.abort(reason);
  }
  Status await(const std::function<Result<Progress>()> &look) override;
  void rest() override;
  Result<bool> doAll(std::string_view occasion, bool own) override;

private:
  Status makeWorld();
  Status callRoll(std::string_view occasion);
  Result<CollectiveTrail *> trailOf(cudaStream_t stream);
  std::string positions() const;
  Status whyLate(Status late);
  void giveUp();

  CudaDevice &device;
  Communicator &processes;
  std::unique_ptr<Group> everyone; ///< by memory of the process
  std::optional<NcclComm> world;
  std::list<NcclComm> parts;         ///< of the groups: they stay where they are
  std::list<CollectiveTrail> trails; ///< of the streams that have groups
};

/// Returns when all ranks have called this. Errors: those that do not come in time are named.
Status NcclCommunicator::callRoll(std::string_view occasion) {
  uint8_t own = 1;
  std::vector<uint8_t> all(static_cast<size_t>(size()));
  return everyone->allGather({occasion, ""}, &own, all.data(), 1);
}

Status NcclCommunicator::makeWorld() {
  std::vector<int> ranks(static_cast<size_t>(size()));
  for (size_t i = 0; i < ranks.size(); ++i)
    ranks[i] = static_cast<int>(i);
  Result<std::unique_ptr<Group>> made = processes.makeGroup(ranks);
  if (!made.isOk())
    return made.takeStatus();
  everyone = std::move(*made);
  // Rank 0's number is everybody's. A rank without the library must not leave the others waiting in it.
  struct Greeting {
    ncclUniqueId id;
    bool isReady;
  };
  Greeting own{};
  Status loaded = loadNccl();
  own.isReady = loaded.isOk();
  if (own.isReady && rank() == 0)
    own.isReady = nccl().ncclGetUniqueId(&own.id) == ncclSuccess;
  std::vector<Greeting> all(ranks.size());
  if (Status status = everyone->allGather({"start of NCCL", ""}, &own, all.data(), sizeof own);
      !status.isOk())
    return status;
  if (!loaded.isOk())
    return loaded;
  for (size_t i = 0; i < all.size(); ++i)
    if (!all[i].isReady)
      return Status::aborted("rank ", i, " can't use NCCL");
  Result<NcclComm> comm = NcclComm::create(all.front().id, processes);
  if (!comm.isOk())
    return comm.takeStatus();
  world.emplace(std::move(*comm));
  return {};
}

Result<std::unique_ptr<Group>> NcclCommunicator::makeGroup(std::span<const int> ranks,
                                                           uint32_t stream) {
  if (!world)
    if (Status status = makeWorld(); !status.isOk())
      return std::move(status).annotated("NCCL");
  Result<cudaStream_t> queue = device.stream(stream);
  if (!queue.isOk())
    return queue.takeStatus();
  if (Status status = callRoll("start of a group"); !status.isOk())
    return status;
  auto index = static_cast<int>(std::find(ranks.begin(), ranks.end(), rank()) - ranks.begin());
  Result<NcclComm> part = world->split(/*color=*/ranks.front(), index);
  if (!part.isOk())
    return part.takeStatus().annotated("NCCL");
  Result<CollectiveTrail *> trail = trailOf(*queue);
  if (!trail.isOk())
    return trail.takeStatus();
  parts.push_back(std::move(*part));
  return makeNcclGroup(device, parts.back(), **trail, index, static_cast<int>(ranks.size()));
}

Result<CollectiveTrail *> NcclCommunicator::trailOf(cudaStream_t stream) {
  for (CollectiveTrail &trail : trails)
    if (trail.stream() == stream)
      return &trail;
  Result<CollectiveTrail> made = CollectiveTrail::create(device, stream);
  if (!made.isOk())
    return made.takeStatus();
  trails.push_back(std::move(*made));
  return &trails.back();
}

/// The collectives that this rank's streams came to last in this run: with graphs nobody can ask which stream still has
/// work, but who has to wait has it there. A GPU that has just been given its work gets a moment to come that far.
std::string NcclCommunicator::positions() const {
  constexpr int maxLooks = 1000;
  std::string text;
  for (int look = 0; look < maxLooks && text.empty(); ++look) {
    if (look > 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (const CollectiveTrail &trail : trails)
      if (std::string position = trail.position(); !position.empty())
        text += (text.empty() ? "" : ", ") + position;
  }
  return text;
}

Status NcclCommunicator::await(const std::function<Result<Progress>()> &look) {
  Patience patience(processes);
  for (;;) {
    Result<Progress> progress = look();
    if (!progress.isOk())
      return progress.takeStatus();
    if (*progress == Progress::done)
      return {};
    if (*progress == Progress::some)
      patience = Patience(processes);
    Status status = patience.wait();
    if (status.code() == StatusCode::timedOut)
      status = whyLate(std::move(status));
    for (auto part = parts.begin(); status.isOk() && part != parts.end(); ++part)
      status = part->check();
    if (!status.isOk()) {
      std::string where = positions();
      giveUp();
      return where.empty() ? std::move(status) : std::move(status).annotated(where);
    }
  }
}

void NcclCommunicator::rest() {
  for (CollectiveTrail &trail : trails)
    trail.leave();
}

Result<bool> NcclCommunicator::doAll(std::string_view occasion, bool own) {
  if (!everyone) // No program has a collective so far.
    return own;
  uint8_t mine = own;
  std::vector<uint8_t> all(static_cast<size_t>(size()));
  if (Status status = everyone->allGather({occasion, ""}, &mine, all.data(), 1); !status.isOk())
    return status;
  return std::find(all.begin(), all.end(), 0) == all.end();
}

/// Those who wait meet by memory of the process, and name the others.
Status NcclCommunicator::whyLate(Status late) {
  Status roll = callRoll("end of a run");
  if (!roll.isOk())
    return roll;
  return std::move(late).annotated("all ranks wait in collectives of NCCL");
}

void NcclCommunicator::giveUp() {
  for (NcclComm &part : parts)
    part.abort();
  if (world)
    world->abort();
}

} // namespace

std::unique_ptr<DeviceCommunicator> makeNcclCommunicator(CudaDevice &device,
                                                         Communicator &processes) {
  return std::make_unique<NcclCommunicator>(device, processes);
}

} // namespace sheaf::rt::cuda
