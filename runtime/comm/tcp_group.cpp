// Collectives by gathering: a piece of everybody's part at a time.
#include "runtime/comm/tcp_group.h"

#include "runtime/comm/call.h"
#include "runtime/comm/reduction.h"
#include "runtime/comm/tensor_row.h"

#include <algorithm>
#include <cstring>

namespace sheaf::rt::comm {
namespace {

/// What all members give at once: the hub has it, and each of them.
constexpr size_t pieceBytes = size_t(64) << 20;

using Range = TensorRow::Range;
using Run = TensorRow::Run;

class TcpGroup final : public Group {
public:
  TcpGroup(TcpJob &job, TcpGroupKey key)
      : job(job), key(std::move(key)), ins(this->key.members.size()) {
    auto own = std::find(this->key.members.begin(), this->key.members.end(), job.rank());
    member = static_cast<size_t>(own - this->key.members.begin());
  }

  int index() const override { return static_cast<int>(member); }
  int size() const override { return static_cast<int>(ins.size()); }

  Status allReduce(const CollectiveSite &site, std::span<const CollectiveBuffer> buffers,
                   abi::ElementType type, CombineKind kind) override {
    Result<Reduction> reduction = Reduction::of(type, kind);
    if (!reduction.isOk())
      return reduction.takeStatus();
    TensorRow row(buffers, static_cast<size_t>(abi::bytesOf(type)));
    auto unpack = [&](Range range) {
      row.forEachRun(range, [&](const Run &run) { combine(*reduction, run.offset, run, row); });
    };
    return inPieces(Call::reduction(CallKind::allReduce, site, buffers, type, kind), site, row,
                    /*blocks=*/1, unpack);
  }

  Status allGather(const CollectiveSite &site, std::span<const CollectiveBuffer> buffers) override {
    TensorRow row(buffers, /*elementBytes=*/1);
    auto unpack = [&](Range range) {
      row.forEachRun(range, [&](const Run &run) {
        for (size_t i = 0; i < ins.size(); ++i)
          copyBytes(partOf(i) + run.offset, run.out + i * run.blockBytes, run.bytes);
      });
    };
    return inPieces(Call::joint(CallKind::allGather, site, buffers), site, row, /*blocks=*/1,
                    unpack);
  }

  Status reduceScatter(const CollectiveSite &site, std::span<const CollectiveBuffer> buffers,
                       abi::ElementType type, CombineKind kind) override {
    Result<Reduction> reduction = Reduction::of(type, kind);
    if (!reduction.isOk())
      return reduction.takeStatus();
    TensorRow row(buffers, static_cast<size_t>(abi::bytesOf(type)));
    auto unpack = [&](Range range) {
      size_t first = member * (range.end - range.begin) * row.elementBytes();
      row.forEachRun(range,
                     [&](const Run &run) { combine(*reduction, first + run.offset, run, row); });
    };
    return inPieces(Call::reduction(CallKind::reduceScatter, site, buffers, type, kind), site, row,
                    ins.size(), unpack);
  }

  Status allToAll(const CollectiveSite &site, const void *in, void *out,
                  size_t blockBytes) override {
    CollectiveBuffer buffer{in, out, blockBytes};
    TensorRow row({&buffer, 1}, /*elementBytes=*/1);
    auto unpack = [&](Range range) {
      size_t first = member * (range.end - range.begin);
      row.forEachRun(range, [&](const Run &run) {
        for (size_t i = 0; i < ins.size(); ++i)
          copyBytes(partOf(i) + first + run.offset, run.out + i * run.blockBytes, run.bytes);
      });
    };
    return inPieces(Call::move(CallKind::allToAll, site, blockBytes), site, row, ins.size(),
                    unpack);
  }

  Status permute(const CollectiveSite &site, const void *in, void *out, size_t bytes,
                 std::span<const int> sources) override {
    if (Status status = checkSources(sources, size()); !status.isOk())
      return status;
    CollectiveBuffer buffer{in, out, bytes};
    TensorRow row({&buffer, 1}, /*elementBytes=*/1);
    int source = sources[member];
    auto unpack = [&](Range range) {
      row.forEachRun(range, [&](const Run &run) {
        if (source < 0)
          std::fill_n(run.out, run.bytes, std::byte());
        else
          copyBytes(partOf(static_cast<size_t>(source)) + run.offset, run.out, run.bytes);
      });
    };
    return inPieces(Call::move(CallKind::permute, site, bytes, sources), site, row, /*blocks=*/1,
                    unpack);
  }

  Status exchange(const CollectiveSite &site, const void *in, void *out,
                  std::span<const Transfer> transfers) override {
    if (Status status = checkTransfers(transfers, size()); !status.isOk())
      return status;
    Bytes part;
    std::vector<size_t> given(ins.size()), taken(ins.size());
    for (const Transfer &transfer : transfers) {
      given[static_cast<size_t>(transfer.from)] += transfer.bytes;
      if (transfer.from == index())
        append(part, static_cast<const std::byte *>(in) + transfer.fromOffset, transfer.bytes);
    }
    if (Status status = meet(Call::exchange(site, transfers), site, part, given); !status.isOk())
      return status;
    for (const Transfer &transfer : transfers) {
      auto from = static_cast<size_t>(transfer.from);
      if (transfer.to == index())
        copyBytes(partOf(from) + taken[from], static_cast<std::byte *>(out) + transfer.toOffset,
                  transfer.bytes);
      taken[from] += transfer.bytes;
    }
    return {};
  }

private:
  static void append(Bytes &part, const std::byte *data, size_t bytes) {
    part.insert(part.end(), data, data + bytes);
  }
  static void copyBytes(const std::byte *from, std::byte *to, size_t bytes) {
    if (bytes > 0)
      std::memcpy(to, from, bytes);
  }

  /// What member `i` gave to the last meeting, behind its call.
  const std::byte *partOf(size_t i) const { return parts[i].data() + sizeof(Call); }

  /// Gives all members a range of the row, of each of the `blocks` that its ins have, and calls `unpack(range)` when
  /// all have met; as often as the row takes, at least once.
  template <typename Unpack>
  Status inPieces(const Call &call, const CollectiveSite &site, const TensorRow &row, size_t blocks,
                  const Unpack &unpack) {
    size_t elementBytes = row.elementBytes() * blocks * ins.size();
    size_t pieceCount = std::max<size_t>(1, pieceBytes / elementBytes);
    size_t begin = 0;
    do {
      Range range{begin, std::min(row.count(), begin + pieceCount)};
      Bytes part;
      for (size_t block = 0; block < blocks; ++block)
        row.forEachRun(range, [&](const Run &run) { append(part, run.inBlock(block), run.bytes); });
      std::vector<size_t> given(ins.size(), part.size());
      if (Status status = meet(call, site, part, given); !status.isOk())
        return status;
      unpack(range);
      begin = range.end;
    } while (begin < row.count());
    return {};
  }

  /// Gives `part` to all and takes theirs, of as many bytes as `given` says.
  Status meet(const Call &call, const CollectiveSite &site, const Bytes &part,
              const std::vector<size_t> &given) {
    FrameWriter own;
    own.put(call);
    own.putBytes(part);
    Result<std::vector<Bytes>> all = job.gather(key, site, own.body);
    if (!all.isOk())
      return all.takeStatus();
    parts = std::move(*all);
    Status status = checkParts(given);
    if (!status.isOk())
      job.fail(status);
    return status;
  }

  /// Whether all have called the same and given what belongs to it.
  Status checkParts(const std::vector<size_t> &given) const {
    std::vector<Call> calls(parts.size());
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].size() < sizeof(Call))
        return Status::failed("rank ", key.members[i], " sends what makes no sense");
      std::memcpy(&calls[i], parts[i].data(), sizeof(Call));
    }
    if (Status status = checkAgreement(calls, key.members); !status.isOk())
      return status;
    for (size_t i = 0; i < parts.size(); ++i)
      if (parts[i].size() != sizeof(Call) + given[i])
        return Status::failed("rank ", key.members[i], " sends what makes no sense");
    return {};
  }

  /// The out of a run = the combination of what each member gave, from `offset` on.
  void combine(const Reduction &reduction, size_t offset, const Run &run, const TensorRow &row) {
    for (size_t i = 0; i < ins.size(); ++i)
      ins[i] = partOf(i) + offset;
    reduction.run(ins, std::span(&run.out, 1), run.bytes / row.elementBytes());
  }

  TcpJob &job;
  const TcpGroupKey key;
  size_t member = 0;
  std::vector<const std::byte *> ins;
  std::vector<Bytes> parts; ///< of the last meeting, per member
};

} // namespace

std::unique_ptr<Group> makeTcpGroup(TcpJob &job, TcpGroupKey key) {
  return std::make_unique<TcpGroup>(job, std::move(key));
}

} // namespace sheaf::rt::comm
