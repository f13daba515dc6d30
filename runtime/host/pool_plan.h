// The geometry of pooling, the same for plain, channels-last and blocked tensors.
#ifndef SHEAF_RUNTIME_HOST_POOL_PLAN_H
#define SHEAF_RUNTIME_HOST_POOL_PLAN_H

#include "runtime/abi/layouts.h"
#include "runtime/host/window.h"

namespace sheaf::rt::host {

/// A tensor as `planes` of three space dims; each place of a plane is `lanes` neighbouring elements.
struct PoolTensor {
  int64_t batchStep = 0,
          groupStep = 0; ///< bytes from one n, and from one group of channels, to the next
  std::array<int64_t, 3> space{}, steps{}; ///< extents and bytes
};

/// Pooling over groups of channels that lie side by side.
struct PoolPlan {
  int64_t numBatch = 0, numGroups = 0, lanes = 1;
  PoolTensor in, out;
  std::array<int64_t, 3> window{}, strides{}, dilations{}, low{}, countHigh{};

  /// `params` has been checked. Blocks of channels, or all channels where they are innermost, become lanes.
  static PoolPlan make(const WindowParams &params, const std::vector<int64_t> &countHigh,
                       const BufferShape &in, const BufferShape &out) {
    PoolPlan plan;
    size_t numSpaceDims = in.rank() - 2;
    plan.window = padTo3(params.window, numSpaceDims, 1);
    plan.strides = padTo3(params.strides, numSpaceDims, 1);
    plan.dilations = padTo3(params.dilations, numSpaceDims, 1);
    plan.low = padTo3(params.low, numSpaceDims, 0);
    plan.countHigh = padTo3(countHigh, numSpaceDims, 0);
    int64_t block = blockOf(in);
    bool isInnermost =
        in.layout.empty() && in.dims[1] > 1 && in.strides[1] == 1 && out.strides[1] == 1;
    plan.lanes = block > 1 ? block : isInnermost ? in.dims[1] : 1;
    plan.numBatch = in.dims[0];
    plan.numGroups = (in.dims[1] + plan.lanes - 1) / plan.lanes;
    plan.in = describe(in, plan.lanes, plan.numGroups);
    plan.out = describe(out, plan.lanes, plan.numGroups);
    return plan;
  }

  /// The channel block of "nChw16c" and its like; 1 for plain; 0 for layouts that are none of these.
  static int64_t blockOf(const BufferShape &shape) {
    if (shape.layout.empty())
      return 1;
    auto layout = abi::parseLayout(shape.layout, shape.rank());
    bool isChannelBlock = layout && layout->blocks.size() == 1 && layout->blocks[0].dim == 1;
    for (size_t i = 0; isChannelBlock && i < shape.rank(); ++i)
      isChannelBlock = layout->outerOrder[i] == static_cast<int64_t>(i);
    return isChannelBlock ? layout->blocks[0].size : 0;
  }

private:
  static PoolTensor describe(const BufferShape &shape, int64_t lanes, int64_t numGroups) {
    PoolTensor tensor;
    size_t numSpaceDims = shape.rank() - 2;
    int64_t bytes = shape.elementBytes();
    tensor.space = padTo3(shape.dims, numSpaceDims, 1);
    if (shape.layout.empty()) {
      tensor.batchStep = shape.strides[0] * bytes;
      tensor.groupStep = shape.strides[1] * lanes * bytes;
      tensor.steps = padTo3(shape.strides, numSpaceDims, 0);
      for (int64_t &step : tensor.steps)
        step *= bytes;
      return tensor;
    }
    tensor.steps[2] = lanes * bytes;
    tensor.steps[1] = tensor.steps[2] * tensor.space[2];
    tensor.steps[0] = tensor.steps[1] * tensor.space[1];
    tensor.groupStep = tensor.steps[0] * tensor.space[0];
    tensor.batchStep = tensor.groupStep * numGroups;
    return tensor;
  }
};

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_POOL_PLAN_H
