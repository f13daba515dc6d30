// Serves the connections of a job's ranks.
#include "runtime/comm/tcp_hub.h"

#include "runtime/comm/call.h"

#include <algorithm>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace sheaf::rt::comm {
namespace {

/// Of one part. Memory is taken as bytes come, not as a peer says.
constexpr uint64_t maxBodyBytes = uint64_t(1) << 40;

} // namespace

Result<std::unique_ptr<TcpHub>> TcpHub::start(const TcpPlace &place, int timeoutMs) {
  Result<FileDescriptor> listener = listenOn(place.port);
  if (!listener.isOk())
    return listener.takeStatus();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return Status::failed("pipe2: ", std::strerror(errno));
  return std::unique_ptr<TcpHub>(new TcpHub(place, timeoutMs, std::move(*listener),
                                            FileDescriptor(ends[0]), FileDescriptor(ends[1])));
}

TcpHub::TcpHub(const TcpPlace &place, int timeoutMs, FileDescriptor listener,
               FileDescriptor wakeReader, FileDescriptor wakeWriter)
    : place(place), timeoutMs(timeoutMs), listener(std::move(listener)),
      wakeReader(std::move(wakeReader)), wakeWriter(std::move(wakeWriter)),
      peerOf(static_cast<size_t>(place.size)), hosts(static_cast<size_t>(place.size)) {
  thread = std::thread([this] { run(); });
}

TcpHub::~TcpHub() {
  leaveTime = Clock::now();
  isLeaving = true;
  std::byte wake{};
  wakeWriter.writeAll({&wake, 1});
  thread.join();
}

void TcpHub::run() {
  while (!isDone()) {
    awaitSomething();
    acceptPeers();
    for (TcpPeer &peer : peers)
      serve(peer);
    peers.remove_if([](const TcpPeer &peer) { return peer.isGone; });
    checkStart();
    tellFirst();
  }
}

bool TcpHub::isDone() const {
  if (!isLeaving)
    return false;
  auto isServed = [](const TcpPeer &peer) { return peer.isFlushed(); };
  auto waited = Clock::now() - leaveTime.load();
  if (failure || !refusal.empty()) // Nobody works any more: they only have to be told.
    return std::all_of(peers.begin(), peers.end(), isServed) || waited > std::chrono::seconds(2);
  auto isHere = [](const TcpPeer &peer) { return peer.rank >= 0 && !peer.hasLeft; };
  return std::none_of(peers.begin(), peers.end(), isHere) ||
         (timeoutMs > 0 && waited > std::chrono::milliseconds(timeoutMs));
}

void TcpHub::awaitSomething() {
  constexpr int lookMs = 100; // Time limits are looked at so often.
  std::vector<pollfd> files;
  if (!isLeaving)
    files.push_back({wakeReader.get(), POLLIN, 0});
  if (listener.isOpen())
    files.push_back({listener.get(), POLLIN, 0});
  for (const TcpPeer &peer : peers)
    files.push_back(
        {peer.socket.get(), static_cast<short>(peer.isFlushed() ? POLLIN : POLLIN | POLLOUT), 0});
  ::poll(files.data(), files.size(), lookMs);
}

void TcpHub::acceptPeers() {
  while (listener.isOpen()) {
    FileDescriptor socket = acceptFrom(listener);
    if (!socket.isOpen())
      return;
    peers.emplace_back(std::move(socket));
  }
}

void TcpHub::serve(TcpPeer &peer) {
  peer.flush();
  bool isOpen = peer.receive();
  while (std::optional<Frame> frame = peer.in.next())
    if (!peer.isGone)
      handle(peer, *frame);
  if (peer.in.isSenseless())
    dismiss(peer, "what it sends is no message");
  else if (!isOpen && !peer.isGone)
    noteEnd(peer);
}

void TcpHub::handle(TcpPeer &peer, const Frame &frame) {
  if (peer.rank < 0)
    return frame.kind == FrameKind::hello ? admit(peer, frame) : dismiss(peer, "it has no rank");
  switch (frame.kind) {
  case FrameKind::part:
    return takePart(peer, frame);
  case FrameKind::question:
    return answerQuestion(peer, frame.ticket);
  case FrameKind::failure:
    if (std::optional<JobFailure> told = JobFailure::fromBody(frame.body)) {
      told->origin = peer.rank;
      told->isDead = false;
      return fail(*told);
    }
    return dismiss(peer, "its failure can't be read");
  case FrameKind::farewell:
    peer.hasLeft = true;
    return;
  default:
    dismiss(peer, "what it sends is not for the hub");
  }
}

std::string TcpHub::nameOf(const TcpPeer &peer) const {
  return ranksText(std::span(&peer.rank, 1), hosts);
}

void TcpHub::admit(TcpPeer &peer, const Frame &hello) {
  FrameReader reader(hello.body);
  int rank = reader.take<int>(), size = reader.take<int>();
  std::string job = reader.takeText(), host = reader.takeText();
  auto refuse = [&](const std::string &reason) {
    FrameWriter writer;
    writer.putText(reason);
    peer.send(FrameKind::refused, 0, std::move(writer.body));
  };
  if (reader.hasFailed() || rank < 0)
    return dismiss(peer, "its greeting can't be read");
  if (job != place.job)
    return refuse("port " + std::to_string(place.port) + " is that of another job (\"" + place.job +
                  "\", not \"" + job + "\"); give each job a port of its own by SHEAF_PORT");
  std::string name = "rank " + std::to_string(rank) + " (host " + host + ")";
  auto index = static_cast<size_t>(rank);
  if (size != place.size || rank >= size) {
    refuseAll(name + " was started with WORLD_SIZE=" + std::to_string(size) + ", rank 0 with " +
              std::to_string(place.size));
    return refuse(refusal);
  }
  if (peerOf[index]) {
    refuseAll("two processes say that they are " + name +
              (host == hosts[index]
                   ? ""
                   : " and rank " + std::to_string(rank) + " (host " + hosts[index] + ")") +
              "; each needs a RANK of its own");
    return refuse(refusal);
  }
  peer.rank = rank;
  peer.in.allow(maxBodyBytes);
  peerOf[index] = &peer;
  hosts[index] = host;
  ++numCome;
  if (!refusal.empty())
    refuse(refusal);
  else if (haveAllCome())
    welcomeAll();
}

void TcpHub::welcomeAll() {
  FrameWriter writer;
  for (const std::string &host : hosts)
    writer.putText(host);
  auto body = std::make_shared<const Bytes>(std::move(writer.body));
  for (TcpPeer *peer : peerOf)
    if (peer)
      peer->send(FrameKind::welcome, 0, body);
  listener = FileDescriptor(-1);
}

void TcpHub::checkStart() {
  if (timeoutMs == 0 || haveAllCome() || !refusal.empty() ||
      Clock::now() - startTime < std::chrono::milliseconds(timeoutMs))
    return;
  std::vector<int> late, here;
  for (int rank = 0; rank < place.size; ++rank)
    (peerOf[static_cast<size_t>(rank)] ? here : late).push_back(rank);
  refuseAll(lateText({"the start of the job", ""}, late, here, timeoutMs, {}));
}

void TcpHub::refuseAll(const std::string &reason) {
  if (!refusal.empty())
    return;
  refusal = reason;
  FrameWriter writer;
  writer.putText(reason);
  auto body = std::make_shared<const Bytes>(std::move(writer.body));
  for (TcpPeer *peer : peerOf)
    if (peer)
      peer->send(FrameKind::refused, 0, body);
}

void TcpHub::takePart(TcpPeer &peer, const Frame &frame) {
  if (failure)
    return;
  if (!haveAllCome())
    return dismiss(peer, "it begins before all have come");
  FrameReader reader(frame.body);
  Result<TcpGroupKey> key = TcpGroupKey::take(reader, peer.rank, place.size);
  if (!key.isOk())
    return dismiss(peer, key.takeStatus().text());
  auto answer = meetings.add(*key, peer.rank, frame.ticket, reader.takeRest());
  if (!answer.isOk())
    return dismiss(peer, answer.takeStatus().text());
  for (size_t member = 0; answer->parts && member < answer->members.size(); ++member)
    if (TcpPeer *to = peerOf[static_cast<size_t>(answer->members[member])])
      to->send(FrameKind::parts, answer->tickets[member], answer->parts);
}

void TcpHub::answerQuestion(TcpPeer &peer, uint64_t ticket) {
  if (std::optional<Bytes> roll = meetings.roll(peer.rank, ticket))
    peer.send(FrameKind::roll, ticket, std::move(*roll));
}

void TcpHub::dismiss(TcpPeer &peer, std::string_view what) {
  if (peer.rank >= 0) {
    std::string text =
        nameOf(peer) + " does not keep to the rules of the job: " + std::string(what);
    if (haveAllCome())
      fail({.origin = peer.rank, .isDead = true, .text = text});
    else
      refuseAll(text);
  }
  peer.hasLeft = true; // Of whom no more is to be said.
  noteEnd(peer);
}

void TcpHub::noteEnd(TcpPeer &peer) {
  peer.isGone = true;
  if (peer.rank < 0)
    return;
  peerOf[static_cast<size_t>(peer.rank)] = nullptr;
  if (peer.hasLeft || failure || !refusal.empty())
    return;
  if (!haveAllCome()) {
    refuseAll(nameOf(peer) + " has ended before all ranks had come");
    return;
  }
  fail({.origin = peer.rank,
        .isDead = true,
        .text = nameOf(peer) + " has ended without a word: it was killed, or has crashed"});
}

void TcpHub::fail(const JobFailure &reason) {
  if (failure)
    return;
  failure = reason;
  auto body = std::make_shared<const Bytes>(reason.body());
  for (TcpPeer *peer : peerOf)
    if (peer && peer->rank != 0)
      peer->send(FrameKind::failure, 0, body);
}

void TcpHub::tellFirst() {
  if (!failure || hasToldFirst)
    return;
  auto isServed = [](const TcpPeer *peer) { return !peer || peer->isFlushed(); };
  bool areServed = std::all_of(peerOf.begin(), peerOf.end(), isServed);
  // One that takes nothing may be the cause.
  constexpr std::chrono::seconds patience(1);
  if (!failureTime)
    failureTime = Clock::now();
  if (!areServed && Clock::now() - *failureTime < patience)
    return;
  hasToldFirst = true;
  if (TcpPeer *first = peerOf[0])
    first->send(FrameKind::failure, 0, failure->body());
}

} // namespace sheaf::rt::comm
