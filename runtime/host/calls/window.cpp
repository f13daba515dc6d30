// The call `window`: what this rank's places need of a dim that the ranks have cut.
#include "runtime/abi/window.h"
#include "runtime/abi/collectives.h"
#include "runtime/core/checked.h"
#include "runtime/core/collective.h"
#include "runtime/host/index.h"
#include "runtime/host/registry.h"
#include "runtime/host/strided_copy.h"

namespace sheaf::rt::host {
namespace {

/// A run of elements along the dim, copied between a tensor and another memory.
struct RunCopy {
  StridedCopy copy;
  size_t fromOffset, toOffset; ///< bytes
};

/// What one rank does, decided once.
struct WindowPlan {
  std::vector<RunCopy> kept;     ///< of `in` to `out`
  std::vector<RunCopy> fills;    ///< of the fill to `out`
  std::vector<RunCopy> packs;    ///< of `in` to what is sent
  std::vector<RunCopy> unpacks;  ///< of what is received to `out`
  std::vector<Transfer> between; ///< of all members, to others
  size_t sentBytes = 0, receivedBytes = 0;
};

/// The shape of `count` elements along `dim` of `tensor`, where they lie.
BufferShape runIn(const BufferShape &tensor, size_t dim, int64_t count) {
  BufferShape run = tensor;
  run.dims[dim] = count;
  return run;
}

class Planner {
public:
  Planner(const BufferShape &in, const BufferShape &out, size_t dim, int64_t member)
      : in(in), out(out), dim(dim), member(member) {
    for (size_t before = 0; before < dim; ++before)
      isContiguous &= in.dims[before] == 1;
  }

  WindowPlan plan(const std::vector<abi::WindowTransfer> &transfers, int64_t numMembers) {
    std::vector<size_t> sent(static_cast<size_t>(numMembers), 0), received = sent;
    int64_t filled = 0;
    for (const abi::WindowTransfer &transfer : transfers) {
      if (transfer.to == member) {
        fill(filled, transfer.toOffset);
        filled = transfer.toOffset + transfer.count;
      }
      if (transfer.from == transfer.to) {
        if (transfer.to == member)
          result.kept.push_back(
              {StridedCopy(runIn(in, dim, transfer.count), runIn(out, dim, transfer.count)),
               bytesBefore(in, transfer.fromOffset), bytesBefore(out, transfer.toOffset)});
        continue;
      }
      between(transfer, sent[static_cast<size_t>(transfer.from)],
              received[static_cast<size_t>(transfer.to)]);
    }
    fill(filled, out.dims[dim]);
    if (!isContiguous) {
      result.sentBytes = sent[static_cast<size_t>(member)];
      result.receivedBytes = received[static_cast<size_t>(member)];
    }
    return std::move(result);
  }

private:
  /// The byte of element `index` along the dim.
  size_t bytesBefore(const BufferShape &tensor, int64_t index) const {
    return static_cast<size_t>(index * tensor.strides[dim] * tensor.elementBytes());
  }

  void fill(int64_t begin, int64_t end) {
    if (begin >= end)
      return;
    BufferShape to = runIn(out, dim, end - begin), from = to;
    from.strides.assign(from.rank(), 0);
    result.fills.push_back({StridedCopy(from, to), 0, bytesBefore(out, begin)});
  }

  /// What goes to another member: straight from and to the tensors where runs are contiguous, else packed; `sent` and
  /// `received` are the bytes that the two have packed before.
  void between(const abi::WindowTransfer &transfer, size_t &sent, size_t &received) {
    BufferShape packed = rowMajorShape(in.type, runIn(in, dim, transfer.count).dims);
    auto bytes = static_cast<size_t>(packed.elements() * packed.elementBytes());
    if (bytes == 0)
      return;
    size_t fromOffset = isContiguous ? bytesBefore(in, transfer.fromOffset) : sent;
    size_t toOffset = isContiguous ? bytesBefore(out, transfer.toOffset) : received;
    result.between.push_back({static_cast<int>(transfer.from), static_cast<int>(transfer.to),
                              fromOffset, toOffset, bytes});
    if (!isContiguous && transfer.from == member)
      result.packs.push_back({StridedCopy(runIn(in, dim, transfer.count), packed),
                              bytesBefore(in, transfer.fromOffset), fromOffset});
    if (!isContiguous && transfer.to == member)
      result.unpacks.push_back({StridedCopy(packed, runIn(out, dim, transfer.count)), toOffset,
                                bytesBefore(out, transfer.toOffset)});
    sent += bytes;
    received += bytes;
  }

  const BufferShape &in, &out;
  size_t dim;
  int64_t member;
  bool isContiguous = true; ///< Runs are, in both tensors.
  WindowPlan result;
};

struct WindowParams {
  int64_t dim = 0, extent = 0, places = 0;
  abi::Window window;
};

/// Checks what a file of unknown origin says, so that no arithmetic overflows.
Result<WindowParams> readParams(CallSite &site) {
  const BufferShape &in = site.ins[0].shape, &fill = site.ins[1].shape, &out = site.outs[0].shape;
  Params &params = site.params;
  WindowParams read{params.integer("dim"),
                    params.integer("extent"),
                    params.integer("places"),
                    {params.integer("scale"), params.integer("divisor"), params.integer("first"),
                     params.integer("last")}};
  if (Status status = checkDim(read.dim, in.rank()); !status.isOk())
    return status;
  if (Status status = checkSameBut(in, out, {read.dim}); !status.isOk())
    return status;
  if (fill.type != in.type || fill.rank() != 0)
    return Status::invalid("the fill ", fill.str(), " must be one element of the type of in ",
                           in.str());
  const abi::Window &window = read.window;
  constexpr int64_t limit = int64_t(1) << 60;
  auto isSmall = [](int64_t value) { return -limit < value && value < limit; };
  std::optional<int64_t> reach =
      checkedMultiply(std::abs(std::max(window.scale, -limit)), std::max<int64_t>(read.places, 0));
  if (read.extent < 0 || read.places < 0 || window.scale == 0 || window.divisor < 1 || !reach ||
      !isSmall(*reach) || !isSmall(window.scale) || !isSmall(window.divisor) ||
      !isSmall(window.first) || !isSmall(window.last) || !isSmall(read.extent))
    return Status::invalid("scale ", window.scale, ", divisor ", window.divisor, ", first ",
                           window.first, " and last ", window.last, " are no window of ",
                           read.places, " places on ", read.extent, " elements");
  return read;
}

/// What each member gets must fit in its buffer.
Status checkTransfers(const std::vector<abi::WindowTransfer> &transfers, int64_t room) {
  for (const abi::WindowTransfer &transfer : transfers)
    if (transfer.toOffset < 0 || transfer.toOffset > room - transfer.count)
      return Status::invalid("member ", transfer.to, " needs ", transfer.count,
                             " elements at place ", transfer.toOffset, " of a buffer of ", room);
  return {};
}

BoundStep bind(CallSite &site) {
  Result<RankAxes> axes = readAxes(site);
  if (!axes.isOk())
    return axes.takeStatus();
  Result<WindowParams> params = readParams(site);
  if (!params.isOk())
    return params.takeStatus();
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  auto dim = static_cast<size_t>(params->dim);
  std::vector<abi::Shard> parts = axes->shards(params->extent),
                          places = axes->shards(params->places);
  if (Status status = checkBlock(parts, in.dims[dim]); !status.isOk())
    return std::move(status).annotated("in");
  if (int64_t room = params->window.room(places[0].block); room != out.dims[dim])
    return Status::invalid("a block of ", places[0].block, " places needs ", room,
                           " elements, not the ", out.dims[dim], " of out");
  auto transfers = abi::windowTransfers(params->window, parts, places);
  if (Status status = checkTransfers(transfers, out.dims[dim]); !status.isOk())
    return status;
  int64_t bufferBytes = out.elements() * out.elementBytes();
  if (!checkedMultiply(bufferBytes, axes->size))
    return Status::invalid("the whole value is too large");
  int64_t elementBytes = in.dims[dim] == 0 ? 0 : in.elements() * in.elementBytes() / in.dims[dim];
  abi::Traffic traffic = abi::windowTraffic(transfers, axes->size, bufferBytes, elementBytes);
  WindowPlan plan = Planner(in, out, dim, axes->index).plan(transfers, axes->size);
  Result<Collective> collective = Collective::bind(site, *axes, traffic);
  if (!collective.isOk())
    return collective.takeStatus();
  size_t scratchBytes = plan.sentBytes + plan.receivedBytes;
  return makeStep(
      [collective = *collective, plan = std::move(plan)](void *const *buffers,
                                                         std::byte *scratch) -> Status {
        const auto *in = static_cast<const std::byte *>(buffers[0]);
        const auto *fill = static_cast<const std::byte *>(buffers[1]);
        auto *out = static_cast<std::byte *>(buffers[2]);
        auto copyRuns = [](const std::vector<RunCopy> &runs, const std::byte *from, std::byte *to) {
          for (const RunCopy &run : runs)
            run.copy.run(from + run.fromOffset, to + run.toOffset);
        };
        copyRuns(plan.kept, in, out);
        copyRuns(plan.fills, fill, out);
        if (plan.between.empty())
          return {};
        copyRuns(plan.packs, in, scratch);
        const std::byte *sent = plan.sentBytes > 0 ? scratch : in;
        std::byte *received = plan.receivedBytes > 0 ? scratch + plan.sentBytes : out;
        Status status = collective.run([&](Group &group, const CollectiveSite &site) {
          return group.exchange(site, sent, received, plan.between);
        });
        if (status.isOk())
          copyRuns(plan.unpacks, received, out);
        return status;
      },
      scratchBytes);
}

const RegisteredCall registered({.name = abi::calls::window, .minIns = 2, .maxIns = 2}, bind);

} // namespace
} // namespace sheaf::rt::host
