// Reads and checks a `resize`.
#include "runtime/core/resize_plan.h"

#include "runtime/core/element.h"

#include <cmath>

namespace sheaf::rt {
namespace {

/// Tables of a size that a model in earnest stays far below.
Status checkTaps(const ResizeParams &params, const BufferShape &out) {
  constexpr double maxEntries = 1 << 26;
  double rowTaps = 1;
  for (size_t dim = 0; dim < out.rank(); ++dim) {
    double stretch = params.isAntialiased ? std::max(1.0, 1 / params.scales[dim]) : 1;
    double taps =
        params.mode == ResizeMode::nearest || params.scales[dim] == 1 ? 1 : 4 * (stretch + 1);
    rowTaps *= taps;
    if (rowTaps > maxEntries || taps * static_cast<double>(out.dims[dim]) > maxEntries)
      return Status::invalid("a result of ", out.str(), " would be the sum of too many places");
  }
  return {};
}

/// Whether elements of `type` can be weighed.
bool isWeighable(abi::ElementType type) {
  bool isWide = type == abi::ElementType::i64 || type == abi::ElementType::ui64;
  return !isWide && visitArithmetic<Status>(type, [](auto) { return Status(); }).isOk();
}

} // namespace

Result<ResizePlan> ResizePlan::make(CallSite &site) {
  ResizeParams params = ResizeParams::read(site.params);
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  if (in.type != out.type || in.rank() != out.rank() || in.rank() == 0)
    return Status::invalid("in ", in.str(), " and out ", out.str(),
                           " must have equal types and ranks, not 0");
  bool isCrop = params.coordinates == ResizeCoordinates::tfCropAndResize;
  if (params.scales.size() != in.rank() || (isCrop && params.roi.size() != 2 * in.rank()))
    return Status::invalid("scales must have an entry per dim of in ", in.str(), ", and roi two");
  for (double scale : params.scales)
    if (!(scale > 0) || !std::isfinite(scale))
      return Status::invalid("scale ", scale, " must be positive and finite");
  ResizePlan plan{params.mode == ResizeMode::nearest, params.extrapolationValue, {}};
  if (!plan.isNearest && !isWeighable(in.type))
    return Status::invalid("it does not interpolate elements of type ", abi::nameOf(in.type));
  if (out.elements() == 0)
    return plan;
  if (in.elements() == 0)
    return Status::invalid("in ", in.str(), " is empty, so out ", out.str(),
                           " can't be made of it");
  if (Status status = checkTaps(params, out); !status.isOk())
    return status;
  for (size_t dim = 0; dim < in.rank(); ++dim) {
    ResizeTable table = ResizeTable::make(params, dim, in.rank(), in.dims[dim], out.dims[dim]);
    for (int64_t &place : table.places)
      place *= in.strides[dim] * in.elementBytes();
    plan.tables.push_back(std::move(table));
  }
  return plan;
}

} // namespace sheaf::rt
