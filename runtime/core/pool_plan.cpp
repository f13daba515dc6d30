// Reads and checks `pool` and `pool_argmax`.
#include "runtime/core/pool_plan.h"

#include "runtime/core/window.h"

namespace sheaf::rt {
namespace {

PoolTensor describe(const BufferShape &shape, int64_t lanes) {
  PoolTensor tensor;
  size_t numSpaceDims = shape.rank() - 2;
  int64_t bytes = shape.elementBytes();
  tensor.space = padTo3(shape.dims, numSpaceDims, 1);
  tensor.batchStep = shape.strides[0] * bytes;
  tensor.groupStep = shape.strides[1] * lanes * bytes;
  tensor.steps = padTo3(shape.strides, numSpaceDims, 0);
  for (int64_t &step : tensor.steps)
    step *= bytes;
  return tensor;
}

/// `params` has been checked.
PoolGeometry geometryOf(const WindowParams &params, const std::vector<int64_t> &countHigh,
                        const BufferShape &in, const BufferShape &out, int64_t lanes) {
  PoolGeometry geometry;
  size_t numSpaceDims = in.rank() - 2;
  geometry.window = padTo3(params.window, numSpaceDims, 1);
  geometry.strides = padTo3(params.strides, numSpaceDims, 1);
  geometry.dilations = padTo3(params.dilations, numSpaceDims, 1);
  geometry.low = padTo3(params.low, numSpaceDims, 0);
  geometry.countHigh = padTo3(countHigh, numSpaceDims, 0);
  geometry.lanes = lanes;
  geometry.numBatch = in.dims[0];
  geometry.numGroups = in.dims[1] / lanes;
  geometry.in = describe(in, lanes);
  geometry.out = describe(out, lanes);
  return geometry;
}

} // namespace

Result<PoolGeometry> readPool(CallSite &site) {
  auto kind = static_cast<PoolKind>(
      site.params.choice("kind", {"max", "sum", "avg_include", "avg_exclude"}));
  WindowParams params = WindowParams::read(site.params);
  params.window = site.params.integers("window");
  std::vector<int64_t> countHigh = site.params.integers("count_high", params.high);
  BufferShape in = site.ins[0].shape, out = site.outs[0].shape;
  if (site.params.flag("channels_last", false)) {
    in = channelsSecond(std::move(in));
    out = channelsSecond(std::move(out));
  }
  if (Status status = params.check(in, out); !status.isOk())
    return status;
  if (in.type != out.type || in.dims[0] != out.dims[0] || in.dims[1] != out.dims[1])
    return Status::invalid("in ", in.str(), " and out ", out.str(),
                           " must have equal types, n and c");
  if (countHigh.size() != params.high.size())
    return Status::invalid("count_high has ", countHigh.size(), " entries");
  bool isInnermost = in.dims[1] > 1 && in.strides[1] == 1 && out.strides[1] == 1;
  PoolGeometry geometry = geometryOf(params, countHigh, in, out, isInnermost ? in.dims[1] : 1);
  geometry.kind = kind;
  return geometry;
}

Result<PoolArgmaxPlan> PoolArgmaxPlan::make(CallSite &site) {
  WindowParams params = WindowParams::read(site.params);
  params.window = site.params.integers("window");
  bool isColumnMajor = site.params.flag("storage_order", false);
  const BufferShape &in = site.ins[0].shape, &values = site.outs[0].shape,
                    &indices = site.outs[1].shape;
  if (Status status = params.check(in, values); !status.isOk())
    return status;
  if (in.type != values.type || in.dims[0] != values.dims[0] || in.dims[1] != values.dims[1] ||
      indices.dims != values.dims || indices.type != abi::ElementType::i64)
    return Status::invalid("in ", in.str(), ", values ", values.str(), " and indices ",
                           indices.str(), " do not fit together");
  return PoolArgmaxPlan{geometryOf(params, params.high, in, values, 1), describe(indices, 1),
                        isColumnMajor};
}

} // namespace sheaf::rt
