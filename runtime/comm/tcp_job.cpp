// Talks to the hub: one thread listens, others send.
#include "runtime/comm/tcp_job.h"

#include "runtime/comm/call.h"

#include <array>
#include <sys/socket.h>
#include <unistd.h>

namespace sheaf::rt::comm {
namespace {

/// How long the hub may take to answer beyond what ranks take: it finds out first who is late.
constexpr int graceMs = 5000;

std::string hostName() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

} // namespace

Result<std::unique_ptr<TcpJob>> TcpJob::join(const TcpPlace &place, int timeoutMs,
                                             FailureListener onFailure) {
  std::string where = place.address + ":" + std::to_string(place.port);
  // Rank 0 is where its hub is, whatever its host is called.
  Result<FileDescriptor> socket =
      connectTo(place.rank == 0 ? "127.0.0.1" : place.address, place.port, timeoutMs);
  if (!socket.isOk())
    return Status::timedOut("can't reach rank 0 at ", where, " within ", timeoutMs / 1000,
                            " s: ", socket.takeStatus().text(),
                            "; MASTER_ADDR must name the host of rank 0, and the port be open");
  limitWaits(*socket, timeoutMs == 0 ? 0 : timeoutMs + graceMs, graceMs);
  std::unique_ptr<TcpJob> job(
      new TcpJob(place, timeoutMs, std::move(*socket), std::move(onFailure)));
  if (Status status = job->greet(); !status.isOk())
    return std::move(status).annotated("at ", where);
  // From now on threads listen and send, and a job may compute for long between two messages.
  limitWaits(job->socket, 0, timeoutMs == 0 ? 0 : timeoutMs + graceMs);
  job->listener = std::thread([&job = *job] { job.listen(); });
  return job;
}

Status TcpJob::greet() {
  FrameWriter hello;
  hello.put(place.rank);
  hello.put(place.size);
  hello.putText(place.job);
  hello.putText(hostName());
  send(FrameKind::hello, 0, hello.body);
  std::optional<Frame> answer;
  while (!(answer = in.next())) {
    if (in.isSenseless())
      return Status::invalid("something else than rank 0 answers; give the job a free port by "
                             "SHEAF_PORT");
    if (!receiveInto(socket, in))
      return errno == EAGAIN ? Status::timedOut("rank 0 does not answer: it may be stopped")
                             : Status::failed("rank 0 has ended before all ranks had come");
  }
  FrameReader reader(answer->body);
  if (answer->kind == FrameKind::refused)
    return Status::invalid(reader.takeText());
  for (int rank = 0; rank < place.size; ++rank)
    hostNames.push_back(reader.takeText());
  return answer->kind == FrameKind::welcome && !reader.hasFailed()
             ? Status()
             : Status::failed("rank 0 answers what makes no sense");
}

TcpJob::~TcpJob() {
  {
    std::lock_guard lock(mutex);
    isOver = true;
  }
  if (!listener.joinable())
    return;
  send(FrameKind::farewell, 0, {});
  ::shutdown(socket.get(), SHUT_RDWR); // What was sent still goes; the listener wakes up.
  listener.join();
}

std::string TcpJob::ownName() const { return ranksText(std::span(&place.rank, 1), hostNames); }

bool TcpJob::send(FrameKind kind, uint64_t ticket, std::span<const std::byte> body) {
  std::lock_guard lock(sending);
  return sendFrame(socket, kind, ticket, body);
}

void TcpJob::listen() {
  do
    while (std::optional<Frame> frame = in.next())
      handle(std::move(*frame));
  while (!in.isSenseless() && receiveInto(socket, in));
  std::vector<int> first = {0};
  note({.origin = 0,
        .isDead = true,
        .text = ranksText(first, hostNames) +
                " has ended without a word: it was killed, or has crashed, or its host is out of "
                "reach"});
}

void TcpJob::handle(Frame frame) {
  if (frame.kind == FrameKind::failure) {
    if (std::optional<JobFailure> told = JobFailure::fromBody(frame.body))
      note(std::move(*told));
    return;
  }
  std::lock_guard lock(mutex);
  auto found = waiting.find(frame.ticket);
  if (found == waiting.end())
    return; // It has given up.
  (frame.kind == FrameKind::roll ? found->second.roll : found->second.parts) =
      std::move(frame.body);
  changed.notify_all();
}

void TcpJob::note(JobFailure told) {
  {
    std::lock_guard lock(mutex);
    if (heard || isOver)
      return;
    heard = std::move(told);
    changed.notify_all();
  }
  if (onFailure)
    onFailure(*this, *heard); // Which never changes any more.
}

std::optional<JobFailure> TcpJob::failure() const {
  std::lock_guard lock(mutex);
  return heard;
}

Status TcpJob::check() const {
  std::lock_guard lock(mutex);
  return heard ? Status::aborted(heard->text) : Status();
}

JobFailure TcpJob::fail(const Status &reason) {
  JobFailure own{.origin = place.rank, .code = reason.code(), .text = std::string(reason.text())};
  if (std::optional<JobFailure> known = failure())
    return *known;
  send(FrameKind::failure, 0, own.body());
  constexpr std::chrono::seconds patience(3);
  std::unique_lock lock(mutex);
  if (!changed.wait_for(lock, patience, [&] { return heard.has_value(); }))
    heard = std::move(own); // The hub is stuck, or gone.
  return *heard;
}

Result<std::vector<Bytes>> TcpJob::gather(const TcpGroupKey &group, const CollectiveSite &site,
                                          std::span<const std::byte> own) {
  if (Status status = check(); !status.isOk())
    return status;
  FrameWriter writer;
  group.put(writer);
  writer.putBytes(own);
  std::unique_lock lock(mutex);
  uint64_t ticket = ++lastTicket;
  waiting.emplace(ticket, Waiting());
  lock.unlock();
  send(FrameKind::part, ticket, writer.body); // If that fails, so does listening.
  lock.lock();
  Status status = await(lock, ticket, group, site);
  std::optional<Bytes> parts = std::move(waiting[ticket].parts);
  waiting.erase(ticket);
  if (!status.isOk()) {
    lock.unlock();
    if (status.code() != StatusCode::timedOut)
      return status;
    JobFailure first = fail(status);
    return first.origin == place.rank ? std::move(status) : Status::aborted(first.text);
  }
  FrameReader reader(*parts);
  std::vector<Bytes> all;
  for (size_t member = 0; member < group.members.size(); ++member) {
    std::span<const std::byte> part = reader.takeBytes(reader.take<uint64_t>());
    all.emplace_back(part.begin(), part.end());
  }
  if (reader.hasFailed())
    return Status::failed("rank 0 sends what makes no sense");
  return all;
}

Status TcpJob::await(std::unique_lock<std::mutex> &lock, uint64_t ticket, const TcpGroupKey &group,
                     const CollectiveSite &site) {
  Waiting &own = waiting[ticket];
  auto isDecided = [&] { return own.parts || heard; };
  auto outcome = [&] { return own.parts ? Status() : Status::aborted(heard->text); };
  if (timeout == 0) {
    changed.wait(lock, isDecided);
    return outcome();
  }
  if (changed.wait_for(lock, std::chrono::milliseconds(timeout), isDecided))
    return outcome();
  lock.unlock();
  send(FrameKind::question, ticket, {});
  lock.lock();
  changed.wait_for(lock, std::chrono::milliseconds(graceMs),
                   [&] { return isDecided() || own.roll; });
  return isDecided() ? outcome() : Status::timedOut(whyLate(own, group, site));
}

std::string TcpJob::whyLate(const Waiting &waiting, const TcpGroupKey &group,
                            const CollectiveSite &site) const {
  std::vector<int> late, here;
  for (size_t member = 0; waiting.roll && member < waiting.roll->size(); ++member)
    ((*waiting.roll)[member] == std::byte() ? late : here).push_back(group.members[member]);
  if (late.empty())
    late = {0}; // All go through its process.
  if (here.empty())
    here = {place.rank};
  return lateText(site, late, here, timeout, hostNames);
}

} // namespace sheaf::rt::comm
