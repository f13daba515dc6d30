// Decides which runs of a window are kept, filled, sent and received.
#include "runtime/core/window_plan.h"

#include "runtime/abi/collectives.h"
#include "runtime/abi/window.h"
#include "runtime/core/checked.h"
#include "runtime/core/dim_check.h"

namespace sheaf::rt {
namespace {

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
          result.kept.push_back({runIn(in, dim, transfer.count), runIn(out, dim, transfer.count),
                                 bytesBefore(in, transfer.fromOffset),
                                 bytesBefore(out, transfer.toOffset)});
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
    result.fills.push_back({from, to, 0, bytesBefore(out, begin)});
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
      result.packs.push_back({runIn(in, dim, transfer.count), packed,
                              bytesBefore(in, transfer.fromOffset), fromOffset});
    if (!isContiguous && transfer.to == member)
      result.unpacks.push_back(
          {packed, runIn(out, dim, transfer.count), toOffset, bytesBefore(out, transfer.toOffset)});
    sent += bytes;
    received += bytes;
  }

  const BufferShape &in, &out;
  size_t dim;
  int64_t member;
  bool isContiguous = true; ///< Runs are, in both tensors.
  WindowPlan result;
};

struct DimWindow {
  int64_t dim = 0, extent = 0, places = 0;
  abi::Window window;
};

/// Checks what a file of unknown origin says, so that no arithmetic overflows.
Result<DimWindow> readParams(CallSite &site) {
  const BufferShape &in = site.ins[0].shape, &fill = site.ins[1].shape, &out = site.outs[0].shape;
  Params &params = site.params;
  DimWindow read{params.integer("dim"),
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

} // namespace

Result<WindowPlan> WindowPlan::bind(CallSite &site) {
  Result<RankAxes> axes = readAxes(site);
  if (!axes.isOk())
    return axes.takeStatus();
  Result<DimWindow> params = readParams(site);
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
  plan.collective = std::move(*collective);
  return plan;
}

} // namespace sheaf::rt
