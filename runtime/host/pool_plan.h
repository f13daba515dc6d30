// The geometry of pooling, the same wherever the channels lie.
#ifndef SHEAF_RUNTIME_HOST_POOL_PLAN_H
#define SHEAF_RUNTIME_HOST_POOL_PLAN_H

#include "runtime/core/window.h"

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

  /// `params` has been checked. All channels become lanes where they are innermost.
  static PoolPlan make(const WindowParams &params, const std::vector<int64_t> &countHigh,
                       const BufferShape &in, const BufferShape &out) {
    PoolPlan plan;
    size_t numSpaceDims = in.rank() - 2;
    plan.window = padTo3(params.window, numSpaceDims, 1);
    plan.strides = padTo3(params.strides, numSpaceDims, 1);
    plan.dilations = padTo3(params.dilations, numSpaceDims, 1);
    plan.low = padTo3(params.low, numSpaceDims, 0);
    plan.countHigh = padTo3(countHigh, numSpaceDims, 0);
    bool isInnermost = in.dims[1] > 1 && in.strides[1] == 1 && out.strides[1] == 1;
    plan.lanes = isInnermost ? in.dims[1] : 1;
    plan.numBatch = in.dims[0];
    plan.numGroups = isInnermost ? 1 : in.dims[1];
    plan.in = describe(in, plan.lanes);
    plan.out = describe(out, plan.lanes);
    return plan;
  }

private:
  static PoolTensor describe(const BufferShape &shape, int64_t lanes) {
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
};

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_POOL_PLAN_H
