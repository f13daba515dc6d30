// Collectives among processes: after all have told what they call, members send
// their parts straight to each other.
#include "runtime/comm/mpi_group.h"

#include "runtime/comm/call.h"
#include "runtime/comm/mpi_exchange.h"
#include "runtime/comm/reduction.h"
#include "runtime/comm/tensor_row.h"
#include "runtime/core/memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sheaf::rt::comm {
namespace {

enum Tag { callTag = 1, partTag, resultTag, groupTag };

/// Shares are combined a piece at a time, for which each other member's part must be at hand. All that takes so much
/// memory: with small pieces members would wait for each other all the time.
constexpr size_t scratchBytes = size_t(16) << 20;

/// Buffers up to this size are combined whole by every member: one round of
/// messages instead of two.
constexpr size_t smallBytes = size_t(8) << 10;

void copyBytes(const std::byte *from, std::byte *to, size_t bytes) {
  if (bytes > 0 && from != to)
    std::memcpy(to, from, bytes);
}

using Range = TensorRow::Range;
using Run = TensorRow::Run;

class MpiGroup final : public Group {
public:
  MpiGroup(MpiJob &job, std::vector<int> ranks)
      : job(job), ranks(std::move(ranks)),
        pieceBytes(
            std::max(smallBytes, scratchBytes / this->ranks.size() / smallBytes * smallBytes)),
        calls(this->ranks.size()), ins(this->ranks.size()), place(job.watch()) {}

  ~MpiGroup() override { job.free(comm, place); }

  /// Waits for the other members, which do the same.
  Status join() {
    member = static_cast<size_t>(std::find(ranks.begin(), ranks.end(), job.rank()) - ranks.begin());
    // MPI would wait for ever.
    CollectiveSite site{"making a group", ""};
    StallWatch::Visit visit(place, site);
    if (Status status =
            meet(Call::move(CallKind::permute, site, 0, ranks), site, job.comm(), groupTag);
        !status.isOk())
      return status;
    if (Status status = checkAgreement(calls, ranks); !status.isOk())
      return status;
    MPI_Group all, members;
    MPI_Comm_group(job.comm(), &all);
    MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &members);
    int code = MPI_Comm_create_group(job.comm(), members, /*tag=*/0, &comm);
    MPI_Group_free(&members);
    MPI_Group_free(&all);
    return mpiStatus(code, "MPI_Comm_create_group");
  }

  int index() const override { return static_cast<int>(member); }
  int size() const override { return static_cast<int>(ranks.size()); }

  Status allReduce(const CollectiveSite &site, std::span<const CollectiveBuffer> buffers,
                   abi::ElementType type, CombineKind kind) override {
    Result<Reduction> reduction = Reduction::of(type, kind);
    if (!reduction.isOk())
      return reduction.takeStatus();
    Call call = Call::reduction(CallKind::allReduce, site, buffers, type, kind);
    return run(call, site, [&] {
      TensorRow row(buffers, static_cast<size_t>(abi::bytesOf(type)));
      bool isSmall = row.count() * row.elementBytes() <= smallBytes;
      return (this->*(isSmall ? &MpiGroup::reduceWhole : &MpiGroup::reduceShares))(site, row,
                                                                                   *reduction);
    });
  }

  Status allGather(const CollectiveSite &site, std::span<const CollectiveBuffer> buffers) override {
    return run(Call::joint(CallKind::allGather, site, buffers), site, [&] {
      MpiExchange exchange(job, comm, ranks, place);
      forEachOther([&](size_t other) {
        for (const CollectiveBuffer &buffer : buffers) {
          exchange.receivePart(other, partTag, bytes(buffer.out) + other * buffer.size,
                               buffer.size);
          exchange.sendPart(other, partTag, bytes(buffer.in), buffer.size);
        }
      });
      for (const CollectiveBuffer &buffer : buffers)
        copyBytes(bytes(buffer.in), bytes(buffer.out) + member * buffer.size, buffer.size);
      return exchange.finish(site, /*isBusy=*/true);
    });
  }

  Status reduceScatter(const CollectiveSite &site, std::span<const CollectiveBuffer> buffers,
                       abi::ElementType type, CombineKind kind) override {
    Result<Reduction> reduction = Reduction::of(type, kind);
    if (!reduction.isOk())
      return reduction.takeStatus();
    Call call = Call::reduction(CallKind::reduceScatter, site, buffers, type, kind);
    return run(call, site, [&] {
      TensorRow row(buffers, static_cast<size_t>(abi::bytesOf(type)));
      size_t pieceCount = pieceBytes / row.elementBytes();
      for (size_t begin = 0; begin < row.count(); begin += pieceCount) {
        Range range{begin, std::min(row.count(), begin + pieceCount)};
        if (Status status = startPieces(); !status.isOk())
          return status;
        MpiExchange exchange(job, comm, ranks, place);
        forEachOther([&](size_t other) {
          row.forEachRun(range, [&](const Run &run) {
            exchange.receivePart(other, partTag, piece(other) + run.offset, run.bytes);
            exchange.sendPart(other, partTag, run.inBlock(other), run.bytes);
          });
        });
        if (Status status = exchange.finish(site, /*isBusy=*/true); !status.isOk())
          return status;
        row.forEachRun(range, [&](const Run &run) {
          combine(*reduction, run.inBlock(member), run, row.elementBytes());
        });
      }
      return Status();
    });
  }

  Status allToAll(const CollectiveSite &site, const void *in, void *out,
                  size_t blockBytes) override {
    return run(Call::move(CallKind::allToAll, site, blockBytes), site, [&] {
      MpiExchange exchange(job, comm, ranks, place);
      forEachOther([&](size_t other) {
        exchange.receive(other, partTag, bytes(out) + other * blockBytes, blockBytes);
        exchange.send(other, partTag, bytes(in) + other * blockBytes, blockBytes);
      });
      copyBytes(bytes(in) + member * blockBytes, bytes(out) + member * blockBytes, blockBytes);
      return exchange.finish(site, /*isBusy=*/true);
    });
  }

  Status permute(const CollectiveSite &site, const void *in, void *out, size_t size,
                 std::span<const int> sources) override {
    if (Status status = checkSources(sources, this->size()); !status.isOk())
      return status;
    return run(Call::move(CallKind::permute, site, size, sources), site, [&] {
      MpiExchange exchange(job, comm, ranks, place);
      if (int source = sources[member]; source < 0)
        std::fill_n(bytes(out), size, std::byte());
      else if (static_cast<size_t>(source) == member)
        copyBytes(bytes(in), bytes(out), size);
      else
        exchange.receive(static_cast<size_t>(source), partTag, bytes(out), size);
      forEachOther([&](size_t other) {
        if (std::cmp_equal(sources[other], member))
          exchange.send(other, partTag, bytes(in), size);
      });
      return exchange.finish(site, /*isBusy=*/true);
    });
  }

  Status exchange(const CollectiveSite &site, const void *in, void *out,
                  std::span<const Transfer> transfers) override {
    if (Status status = checkTransfers(transfers, size()); !status.isOk())
      return status;
    return run(Call::exchange(site, transfers), site, [&] {
      MpiExchange exchange(job, comm, ranks, place);
      for (const Transfer &transfer : transfers) {
        auto from = static_cast<size_t>(transfer.from), to = static_cast<size_t>(transfer.to);
        if (from == member && to == member)
          copyBytes(bytes(in) + transfer.fromOffset, bytes(out) + transfer.toOffset,
                    transfer.bytes);
        else if (to == member)
          exchange.receive(from, partTag, bytes(out) + transfer.toOffset, transfer.bytes);
        else if (from == member)
          exchange.send(to, partTag, bytes(in) + transfer.fromOffset, transfer.bytes);
      }
      return exchange.finish(site, /*isBusy=*/true);
    });
  }

private:
  static const std::byte *bytes(const void *data) { return static_cast<const std::byte *>(data); }
  static std::byte *bytes(void *data) { return static_cast<std::byte *>(data); }

  template <typename Visit> void forEachOther(const Visit &visit) const {
    // Each begins with the next one, so that not all send to the same.
    for (size_t i = 1; i < ranks.size(); ++i)
      visit((member + i) % ranks.size());
  }

  template <typename Work>
  Status run(const Call &call, const CollectiveSite &site, const Work &work) {
    StallWatch::Visit visit(place, site);
    Status status = job.check();
    if (status.isOk())
      status = meet(call, site, comm, callTag);
    if (status.isOk())
      status = checkAgreement(calls, ranks);
    if (status.isOk())
      status = work();
    if (!status.isOk())
      job.fail(status.text());
    return status;
  }

  /// Learns what all members call.
  Status meet(const Call &call, const CollectiveSite &site, MPI_Comm through, Tag tag) {
    calls[member] = call;
    MpiExchange exchange(job, through, ranks, place);
    forEachOther([&](size_t other) {
      exchange.receive(other, tag, bytes(&calls[other]), sizeof call);
      exchange.send(other, tag, bytes(&calls[member]), sizeof call);
    });
    return exchange.finish(site, /*isBusy=*/false);
  }

  Status reduceWhole(const CollectiveSite &site, const TensorRow &row, const Reduction &reduction) {
    if (Status status = startPieces(); !status.isOk())
      return status;
    Range all{0, row.count()};
    MpiExchange exchange(job, comm, ranks, place);
    forEachOther([&](size_t other) {
      row.forEachRun(all, [&](const Run &run) {
        exchange.receivePart(other, partTag, piece(other) + run.offset, run.bytes);
        exchange.sendPart(other, partTag, run.in, run.bytes);
      });
    });
    if (Status status = exchange.finish(site, /*isBusy=*/true); !status.isOk())
      return status;
    row.forEachRun(all,
                   [&](const Run &run) { combine(reduction, run.in, run, row.elementBytes()); });
    return {};
  }

  /// Each member combines its share and sends the result to all; while a piece
  /// of results is under way, the next piece of parts is too.
  Status reduceShares(const CollectiveSite &site, const TensorRow &row,
                      const Reduction &reduction) {
    if (Status status = startPieces(); !status.isOk())
      return status;
    size_t elementBytes = row.elementBytes(), pieceCount = pieceBytes / elementBytes;
    auto rangeOf = [&](size_t owner, size_t round) -> Range {
      auto [begin, end] = shareOf(row.count(), elementBytes, owner, ranks.size());
      size_t first = std::min(end, begin + round * pieceCount);
      return {first, std::min(end, first + pieceCount)};
    };
    auto [firstBegin, firstEnd] = shareOf(row.count(), elementBytes, 0, ranks.size());
    size_t numRounds = (firstEnd - firstBegin + pieceCount - 1) / pieceCount;
    MpiExchange exchange(job, comm, ranks, place);
    for (size_t round = 0; round <= numRounds; ++round) {
      Range own = rangeOf(member, round);
      forEachOther([&](size_t other) {
        row.forEachRun(own, [&](const Run &run) {
          exchange.receivePart(other, partTag, piece(other) + run.offset, run.bytes);
        });
        row.forEachRun(rangeOf(other, round), [&](const Run &run) {
          exchange.sendPart(other, partTag, run.in, run.bytes);
        });
        if (round == 0)
          return;
        row.forEachRun(rangeOf(other, round - 1), [&](const Run &run) {
          exchange.receivePart(other, resultTag, run.out, run.bytes);
        });
        row.forEachRun(rangeOf(member, round - 1), [&](const Run &run) {
          exchange.sendPart(other, resultTag, run.out, run.bytes);
        });
      });
      if (Status status = exchange.finish(site, /*isBusy=*/true); !status.isOk())
        return status;
      row.forEachRun(own, [&](const Run &run) { combine(reduction, run.in, run, elementBytes); });
    }
    return {};
  }

  /// Has room for a piece of every member.
  Status startPieces() {
    if (pieces.data())
      return {};
    Result<Memory> memory = allocateHostMemory(ranks.size() * pieceBytes);
    if (!memory.isOk())
      return memory.takeStatus();
    pieces = std::move(*memory);
    return {};
  }

  std::byte *piece(size_t other) { return pieces.data() + other * pieceBytes; }

  /// Combines this member's own elements with those of the others, which are in their pieces.
  void combine(const Reduction &reduction, const std::byte *own, const Run &run,
               size_t elementBytes) {
    for (size_t i = 0; i < ranks.size(); ++i)
      ins[i] = i == member ? own : piece(i) + run.offset;
    reduction.run(ins, std::span(&run.out, 1), run.bytes / elementBytes);
  }

  MpiJob &job;
  const std::vector<int> ranks;
  const size_t pieceBytes; ///< of one member
  size_t member = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<Call> calls;            ///< of the current collective, per member
  std::vector<const std::byte *> ins; ///< the same
  Memory pieces;
  StallWatch::Place place;
};

} // namespace

Result<std::unique_ptr<Group>> makeMpiGroup(MpiJob &job, std::vector<int> ranks) {
  auto group = std::make_unique<MpiGroup>(job, std::move(ranks));
  if (Status status = group->join(); !status.isOk())
    return status;
  return std::unique_ptr<Group>(std::move(group));
}

} // namespace sheaf::rt::comm
