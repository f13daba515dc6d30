// Collectives among threads: members show their buffers, meet, each does its part of the work, and they part.
#include "runtime/comm/thread_group.h"

#include "runtime/comm/reduction.h"

#include <algorithm>
#include <cstring>

namespace sheaf::rt::comm {
namespace {

using Slot = ThreadGroupState::Slot;

void copyBytes(const std::byte *from, std::byte *to, size_t bytes) {
  if (bytes > 0 && from != to)
    std::memcpy(to, from, bytes);
}

class ThreadGroup final : public Group {
public:
  ThreadGroup(std::shared_ptr<ThreadGroupState> state, int index, FailureListener onFailure)
      : state(std::move(state)), member(static_cast<size_t>(index)),
        onFailure(std::move(onFailure)) {
    ins.resize(this->state->ranks.size());
    outs.resize(this->state->ranks.size());
  }

  int index() const override { return static_cast<int>(member); }
  int size() const override { return static_cast<int>(ins.size()); }

  Status allReduce(const CollectiveSite &site, const void *in, void *out, size_t count,
                   abi::ElementType type, CombineKind kind) override {
    Result<Reduction> reduction = Reduction::of(type, kind);
    if (!reduction.isOk())
      return reduction.takeStatus();
    // Each member combines its share of the elements and writes it to everybody: no other member touches that share
    // of any buffer, so ins may be outs.
    return run(site, Call::reduction(CallKind::allReduce, site, count, type, kind), in, out, [&] {
      auto elementBytes = static_cast<size_t>(abi::bytesOf(type));
      auto [begin, end] = shareOf(count, elementBytes, member, ins.size());
      for (size_t i = 0; i < ins.size(); ++i) {
        ins[i] = state->slots[i].in + begin * elementBytes;
        outs[i] = state->slots[i].out + begin * elementBytes;
      }
      reduction->run(ins, outs, end - begin);
    });
  }

  Status allGather(const CollectiveSite &site, const void *in, void *out,
                   size_t blockBytes) override {
    return run(site, Call::move(CallKind::allGather, site, blockBytes), in, out, [&] {
      for (size_t i = 0; i < ins.size(); ++i)
        copyBytes(state->slots[i].in, own().out + i * blockBytes, blockBytes);
    });
  }

  Status reduceScatter(const CollectiveSite &site, const void *in, void *out, size_t blockCount,
                       abi::ElementType type, CombineKind kind) override {
    Result<Reduction> reduction = Reduction::of(type, kind);
    if (!reduction.isOk())
      return reduction.takeStatus();
    Call call = Call::reduction(CallKind::reduceScatter, site, blockCount, type, kind);
    return run(site, call, in, out, [&] {
      size_t begin = member * blockCount * static_cast<size_t>(abi::bytesOf(type));
      for (size_t i = 0; i < ins.size(); ++i)
        ins[i] = state->slots[i].in + begin;
      reduction->run(ins, std::span(&own().out, 1), blockCount);
    });
  }

  Status allToAll(const CollectiveSite &site, const void *in, void *out,
                  size_t blockBytes) override {
    return run(site, Call::move(CallKind::allToAll, site, blockBytes), in, out, [&] {
      for (size_t i = 0; i < ins.size(); ++i)
        copyBytes(state->slots[i].in + member * blockBytes, own().out + i * blockBytes, blockBytes);
    });
  }

  Status permute(const CollectiveSite &site, const void *in, void *out, size_t bytes,
                 std::span<const int> sources) override {
    if (Status status = checkSources(sources, size()); !status.isOk())
      return status;
    return run(site, Call::move(CallKind::permute, site, bytes, sources), in, out, [&] {
      if (int source = sources[member]; source < 0)
        std::fill_n(own().out, bytes, std::byte());
      else
        copyBytes(state->slots[static_cast<size_t>(source)].in, own().out, bytes);
    });
  }

  Status exchange(const CollectiveSite &site, const void *in, void *out,
                  std::span<const Transfer> transfers) override {
    if (Status status = checkTransfers(transfers, size()); !status.isOk())
      return status;
    return run(site, Call::exchange(site, transfers), in, out, [&] {
      for (const Transfer &transfer : transfers)
        if (transfer.to == index())
          copyBytes(state->slots[static_cast<size_t>(transfer.from)].in + transfer.fromOffset,
                    own().out + transfer.toOffset, transfer.bytes);
    });
  }

private:
  Slot &own() { return state->slots[member]; }

  template <typename Work>
  Status run(const CollectiveSite &site, const Call &call, const void *in, void *out,
             const Work &work) {
    state->calls[member] = call;
    own() = {static_cast<const std::byte *>(in), static_cast<std::byte *>(out)};
    Status status = meet(site);
    if (status.isOk()) {
      status = checkAgreement(state->calls, state->ranks);
      if (status.isOk())
        work();
      state->rendezvous.part(index());
    }
    if (!status.isOk())
      onFailure(status);
    return status;
  }

  Status meet(const CollectiveSite &site) {
    return state->rendezvous.meet(index(), state->timeoutMs, [&](const std::vector<bool> &hasCome) {
      std::vector<int> late, waiting;
      for (size_t i = 0; i < hasCome.size(); ++i)
        (hasCome[i] ? waiting : late).push_back(state->ranks[i]);
      return lateText(site, late, waiting, state->timeoutMs);
    });
  }

  std::shared_ptr<ThreadGroupState> state;
  size_t member;
  FailureListener onFailure;
  std::vector<const std::byte *> ins; ///< of the current call, per member
  std::vector<std::byte *> outs;
};

} // namespace

std::unique_ptr<Group> makeThreadGroup(std::shared_ptr<ThreadGroupState> state, int index,
                                       FailureListener onFailure) {
  return std::make_unique<ThreadGroup>(std::move(state), index, std::move(onFailure));
}

} // namespace sheaf::rt::comm
