// Makes processes ranks of a job without MPI, and ends them together.
#include "runtime/comm/tcp_communicator.h"

#include "runtime/comm/call.h"
#include "runtime/comm/deadline.h"
#include "runtime/comm/process_end.h"
#include "runtime/comm/tcp_group.h"
#include "runtime/comm/tcp_hub.h"

#include <map>

namespace sheaf::rt::comm {
namespace {

class TcpCommunicator final : public Communicator {
public:
  TcpCommunicator(TcpJob &job, TcpWorld::AtFailure atFailure) : job(job), atFailure(atFailure) {}

  int rank() const override { return job.rank(); }
  int size() const override { return job.size(); }
  int timeoutMs() const override { return job.timeoutMs(); }

  Result<std::unique_ptr<Group>> makeGroup(std::span<const int> ranks, uint32_t) override {
    if (Status status = checkMembers(ranks, rank(), size()); !status.isOk())
      return status;
    if (Status status = job.check(); !status.isOk())
      return status;
    TcpGroupKey key{{ranks.begin(), ranks.end()}};
    key.number = numMade[key.members]++;
    return makeTcpGroup(job, std::move(key));
  }

  void abort(const Status &reason) override {
    bool isOwn = reason.code() != StatusCode::aborted;
    std::string text(reason.text());
    if (isOwn)
      text = job.ownName() + " failed: " + text;
    JobFailure first = job.fail(Status::ofCode(isOwn ? reason.code() : StatusCode::failed, text));
    if (atFailure == TcpWorld::AtFailure::goOn)
      return;
    // What this rank did when it was told says more than what it was told.
    bool knowsMore = first.origin == rank() || !isOwn;
    endProcess(exitCodeOf(first), !isSpeaker(first, rank(), job.hosts()) ? ""
                                  : knowsMore                            ? text
                                                                         : first.text);
  }

  Status failure() const override { return job.check(); }

private:
  TcpJob &job;
  const TcpWorld::AtFailure atFailure;
  std::map<std::vector<int>, uint32_t> numMade; ///< groups, by their members
};

} // namespace

TcpWorld::TcpWorld() = default;
TcpWorld::~TcpWorld() = default;

std::span<const std::string> TcpWorld::hosts() const { return job->hosts(); }

Result<std::unique_ptr<TcpWorld>> TcpWorld::start(const TcpPlace &place, int timeoutMs,
                                                  AtFailure atFailure) {
  std::unique_ptr<TcpWorld> world(new TcpWorld());
  if (place.rank == 0) {
    Result<std::unique_ptr<TcpHub>> hub = TcpHub::start(place, timeoutMs);
    if (!hub.isOk())
      return hub.takeStatus().annotated("rank 0, where the ranks of this job meet");
    world->hub = std::move(*hub);
  }
  TcpJob::FailureListener onFailure;
  if (atFailure == AtFailure::endProcess)
    onFailure = [&grace = world->grace](const TcpJob &job, const JobFailure &failure) {
      // Whoever waits ends by itself, and says where it has waited.
      constexpr int graceMs = 5000;
      bool speaks = isSpeaker(failure, job.rank(), job.hosts());
      grace = std::make_unique<Deadline>(graceMs, exitCodeOf(failure), speaks ? failure.text : "");
    };
  Result<std::unique_ptr<TcpJob>> job = TcpJob::join(place, timeoutMs, std::move(onFailure));
  if (!job.isOk())
    return job.takeStatus();
  world->job = std::move(*job);
  world->own = std::make_unique<TcpCommunicator>(*world->job, atFailure);
  return world;
}

} // namespace sheaf::rt::comm
