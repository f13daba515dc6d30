// Collectives among threads: members show their buffers, meet, each does its part of the work, and they part.
#include "runtime/comm/thread_group.h"

#include "runtime/comm/reduction.h"

#include <algorithm>
#include <cstring>

namespace sheaf::rt::comm {
namespace {

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

  Status allReduce(const CollectiveSite &site, std::span<const CollectiveBuffer> buffers,
                   abi::ElementType type, CombineKind kind) override {
    Result<Reduction> reduction = Reduction::of(type, kind);
    if (!reduction.isOk())
      return reduction.takeStatus();
    // Each member combines its share of the elements and writes it to everybody: no other member touches that share
    // of any buffer, so ins may be outs.
    return run(site, Call::reduction(CallKind::allReduce, site, buffers, type, kind), buffers, [&] {
      auto elementBytes = static_cast<size_t>(abi::bytesOf(type));
      for (size_t tensor = 0; tensor < buffers.size(); ++tensor) {
        auto [begin, end] = shareOf(buffers[tensor].size, elementBytes, member, ins.size());
        for (size_t i = 0; i < ins.size(); ++i) {
          ins[i] = inOf(i, tensor) + begin * elementBytes;
          outs[i] = outOf(i, tensor) + begin * elementBytes;
        }
        reduction->run(ins, outs, end - begin);
      }
    });
  }

  Status allGather(const CollectiveSite &site, std::span<const CollectiveBuffer> buffers) override {
    return run(site, Call::joint(CallKind::allGather, site, buffers), buffers, [&] {
      for (size_t tensor = 0; tensor < buffers.size(); ++tensor)
        for (size_t i = 0, bytes = buffers[tensor].size; i < ins.size(); ++i)
          copyBytes(inOf(i, tensor), outOf(member, tensor) + i * bytes, bytes);
    });
  }

  Status reduceScatter(const CollectiveSite &site, std::span<const CollectiveBuffer> buffers,
                       abi::ElementType type, CombineKind kind) override {
    Result<Reduction> reduction = Reduction::of(type, kind);
    if (!reduction.isOk())
      return reduction.takeStatus();
    Call call = Call::reduction(CallKind::reduceScatter, site, buffers, type, kind);
    return run(site, call, buffers, [&] {
      for (size_t tensor = 0; tensor < buffers.size(); ++tensor) {
        size_t count = buffers[tensor].size;
        size_t begin = member * count * static_cast<size_t>(abi::bytesOf(type));
        for (size_t i = 0; i < ins.size(); ++i)
          ins[i] = inOf(i, tensor) + begin;
        outs[0] = outOf(member, tensor);
        reduction->run(ins, std::span(outs).first(1), count);
      }
    });
  }

  Status allToAll(const CollectiveSite &site, const void *in, void *out,
                  size_t blockBytes) override {
    CollectiveBuffer buffer{in, out, blockBytes};
    return run(site, Call::move(CallKind::allToAll, site, blockBytes), {&buffer, 1}, [&] {
      for (size_t i = 0; i < ins.size(); ++i)
        copyBytes(inOf(i) + member * blockBytes, outOf(member) + i * blockBytes, blockBytes);
    });
  }

  Status permute(const CollectiveSite &site, const void *in, void *out, size_t bytes,
                 std::span<const int> sources) override {
    if (Status status = checkSources(sources, size()); !status.isOk())
      return status;
    CollectiveBuffer buffer{in, out, bytes};
    return run(site, Call::move(CallKind::permute, site, bytes, sources), {&buffer, 1}, [&] {
      if (int source = sources[member]; source < 0)
        std::fill_n(outOf(member), bytes, std::byte());
      else
        copyBytes(inOf(static_cast<size_t>(source)), outOf(member), bytes);
    });
  }

  Status exchange(const CollectiveSite &site, const void *in, void *out,
                  std::span<const Transfer> transfers) override {
    if (Status status = checkTransfers(transfers, size()); !status.isOk())
      return status;
    CollectiveBuffer buffer{in, out, 0};
    return run(site, Call::exchange(site, transfers), {&buffer, 1}, [&] {
      for (const Transfer &transfer : transfers)
        if (transfer.to == index())
          copyBytes(inOf(static_cast<size_t>(transfer.from)) + transfer.fromOffset,
                    outOf(member) + transfer.toOffset, transfer.bytes);
    });
  }

private:
  /// What member `i` calls with.
  const std::byte *inOf(size_t i, size_t tensor = 0) const {
    return static_cast<const std::byte *>(state->slots[i][tensor].in);
  }
  std::byte *outOf(size_t i, size_t tensor = 0) const {
    return static_cast<std::byte *>(state->slots[i][tensor].out);
  }

  template <typename Work>
  Status run(const CollectiveSite &site, const Call &call,
             std::span<const CollectiveBuffer> buffers, const Work &work) {
    state->calls[member] = call;
    state->slots[member] = buffers;
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
