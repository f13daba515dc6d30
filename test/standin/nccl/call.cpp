// Does collectives and messages by letters: every rank leaves what it has and takes what it needs.
#include "test/standin/nccl/call.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>
#include <utility>

#include "test/standin/cudart/fault.h"
#include "test/standin/cudart/state.h"
#include "test/standin/nccl/reduce.h"

namespace sheaf::standin::nccl {

static const char *nameOf(Kind kind) {
  static constexpr const char *names[] = {"all_reduce", "all_gather", "reduce_scatter", "broadcast",
                                          "reduce",     "send",       "receive"};
  return names[static_cast<size_t>(kind)];
}

static bool isMessage(Kind kind) { return kind == Kind::Send || kind == Kind::Receive; }
static bool reduces(Kind kind) {
  return kind == Kind::AllReduce || kind == Kind::ReduceScatter || kind == Kind::Reduce;
}

std::string Call::signature() const {
  std::string text = isMessage(kind) ? "message" : nameOf(kind);
  text += " of " + std::to_string(count) + " " + nccl::nameOf(type);
  if (reduces(kind))
    text += std::string(", ") + nccl::nameOf(reduction);
  if (kind == Kind::Broadcast || kind == Kind::Reduce)
    text += ", root " + std::to_string(root);
  if (isCaptured) // All ranks of a call record it, or none: NCCL's guide, "Using NCCL with CUDA Graphs".
    text += ", in a graph";
  return text;
}

std::string Call::title() const {
  return isMessage(kind) ? nameOf(kind) + std::string(kind == Kind::Send ? " to " : " from ") +
                               "rank " + std::to_string(root)
                         : nameOf(kind);
}

uint64_t Call::sendBytes() const {
  const uint64_t bytes = count * bytesOf(type);
  switch (kind) {
  case Kind::Receive:
    return 0;
  case Kind::Broadcast:
    return communicator->rank() == root ? bytes : 0;
  case Kind::ReduceScatter:
    return bytes * static_cast<uint64_t>(communicator->size());
  default:
    return bytes;
  }
}

uint64_t Call::receiveBytes() const {
  const uint64_t bytes = count * bytesOf(type);
  switch (kind) {
  case Kind::Send:
    return 0;
  case Kind::Reduce:
    return communicator->rank() == root ? bytes : 0;
  case Kind::AllGather:
    return bytes * static_cast<uint64_t>(communicator->size());
  default:
    return bytes;
  }
}

int Exchange::numParticipants() const {
  return isMessage(call.kind) ? 2 : call.communicator->size();
}

int Exchange::myself() const {
  if (isMessage(call.kind))
    return call.kind == Kind::Send ? 0 : 1;
  return call.communicator->rank();
}

void Exchange::post(Execution &execution) {
  Communicator &communicator = *call.communicator;
  if (communicator.isAborted())
    return;
  const bool isSend = call.kind == Kind::Send;
  if (isMessage(call.kind))
    name = isSend ? communicator.nextMessage(communicator.rank(), call.root)
                  : communicator.nextMessage(call.root, communicator.rank());
  else
    name = communicator.nextCollective();
  Letter letter{call.signature(), {}};
  if (const std::byte *data = execution.read(call.send, call.sendBytes()))
    letter.data.assign(data, data + call.sendBytes());
  communicator.mailbox().post(name, myself(), std::move(letter));
  letters.assign(static_cast<size_t>(numParticipants()), nullptr);
}

bool Exchange::isReady() {
  if (call.communicator->isAborted())
    return true;
  bool isComplete = true;
  for (size_t i = 0; i < letters.size(); ++i) {
    if (!letters[i])
      letters[i] = call.communicator->mailbox().find(name, static_cast<int>(i));
    isComplete &= letters[i] != nullptr;
  }
  return isComplete;
}

std::string Exchange::arrivalOf(int participant) const {
  const Communicator &communicator = *call.communicator;
  std::string way;
  if (isMessage(call.kind)) {
    const bool isSend = call.kind == Kind::Send;
    way = std::to_string(isSend ? communicator.rank() : call.root) + "to" +
          std::to_string(isSend ? call.root : communicator.rank());
  }
  return communicator.name() + "#" + way + "#" + std::to_string(participant);
}

std::vector<std::string> Exchange::missingArrivals() {
  std::vector<std::string> missing;
  if (isReady()) // which looks for letters again
    return missing;
  for (size_t i = 0; i < letters.size(); ++i)
    if (!letters[i])
      missing.push_back(arrivalOf(static_cast<int>(i)));
  return missing;
}

void Exchange::compare() const {
  for (size_t i = 1; i < letters.size(); ++i) {
    if (letters[i]->text == letters[0]->text)
      continue;
    call.communicator->fail(ncclInvalidUsage);
    const std::string who = isMessage(call.kind) ? "the sender" : "rank 0";
    const std::string other = isMessage(call.kind) ? "the receiver" : "rank " + std::to_string(i);
    throw OperationError("differs among the ranks of communicator " + name + ": " + who +
                         " calls " + letters[0]->text + ", " + other + " calls " +
                         letters[i]->text);
  }
}

void Exchange::finish(Execution &execution) {
  Communicator &communicator = *call.communicator;
  if (communicator.isAborted())
    return;
  compare();
  execution.read(call.send, call.sendBytes()); // until now: nobody may have written it meanwhile
  if (std::byte *to = execution.write(call.receive, call.receiveBytes())) {
    const uint64_t bytes = call.count * bytesOf(call.type);
    const uint64_t at = call.kind == Kind::ReduceScatter ? bytes * communicator.rank() : 0;
    switch (call.kind) {
    case Kind::AllGather:
      for (size_t rank = 0; rank < letters.size(); ++rank)
        std::memcpy(to + rank * bytes, letters[rank]->data.data(), bytes);
      break;
    case Kind::Broadcast:
      std::memcpy(to, letters[static_cast<size_t>(call.root)]->data.data(), bytes);
      break;
    case Kind::Receive:
      std::memcpy(to, letters[0]->data.data(), bytes);
      break;
    default: {
      std::vector<const std::byte *> others;
      for (size_t rank = 1; rank < letters.size(); ++rank)
        others.push_back(letters[rank]->data.data() + at);
      std::memcpy(to, letters[0]->data.data() + at, bytes);
      reduce(to, others, call.count, call.type, call.reduction);
    }
    }
  }
  communicator.mailbox().leave(name, myself(), numParticipants());
}

/// Calls that are held back until the next ones of their stream, where a fault is planted.
static thread_local std::map<Stream *, std::vector<Call>> held;

ncclResult_t enqueue(std::vector<Call> calls, cudaStream_t handle) {
  Stream *stream = cudart::toStream(handle);
  if (!stream)
    return ncclInvalidArgument;
  if (cudart::isPlanted("die"))
    std::raise(SIGKILL);
  if (cudart::isPlanted("stall"))
    std::raise(SIGSTOP);
  if (cudart::isPlanted("swap_collectives")) {
    held[stream] = std::move(calls);
    return ncclSuccess;
  }
  const std::string title =
      calls.size() == 1 ? calls[0].title() : "group of " + std::to_string(calls.size()) + " calls";
  using Exchanges = std::vector<Exchange>;
  auto exchanges = std::make_shared<Exchanges>();
  for (Call &call : calls) {
    call.isCaptured = stream->capture != nullptr;
    exchanges->emplace_back(std::move(call));
  }
  std::vector<Call> late = std::exchange(held[stream], {});
  const cudaError_t error = cudart::call([&] {
    // Two operations, as what a rank sends must be there for others before it has what they send.
    Operation begin(title + ", begin");
    begin.run = [exchanges](Execution &execution) {
      for (Exchange &exchange : *exchanges)
        exchange.post(execution);
    };
    for (const Exchange &exchange : *exchanges)
      begin.brings.push_back(exchange.arrival());
    if (cudaError_t failed = cudart::submit(*stream, std::move(begin)); failed != cudaSuccess)
      return failed;
    Operation end(title);
    end.run = [exchanges](Execution &execution) {
      for (Exchange &exchange : *exchanges)
        exchange.finish(execution);
    };
    end.isReady = [exchanges] {
      return std::ranges::all_of(*exchanges, [](Exchange &exchange) { return exchange.isReady(); });
    };
    end.lacks = [exchanges] {
      std::vector<std::string> missing;
      for (Exchange &exchange : *exchanges)
        std::ranges::move(exchange.missingArrivals(), std::back_inserter(missing));
      return missing;
    };
    return cudart::submit(*stream, std::move(end));
  });
  if (error == cudaSuccess && !late.empty())
    return enqueue(std::move(late), handle);
  return error == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

} // namespace sheaf::standin::nccl
