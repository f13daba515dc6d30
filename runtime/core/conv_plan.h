// What a `conv` or `conv_transpose` computes.
#ifndef SHEAF_RUNTIME_CORE_CONV_PLAN_H
#define SHEAF_RUNTIME_CORE_CONV_PLAN_H

#include "runtime/core/activation.h"
#include "runtime/core/device.h"
#include "runtime/core/window.h"

#include <array>

namespace sheaf::rt {

struct ConvParams {
  WindowParams window; ///< its `window` comes from the filter
  int64_t groups = 1;
  Activation activation = Activation::none;
  bool hasBias = false;
  bool hasResidual = false;
  bool isPacked = false;
  bool allowsTf32 = false;
  bool isChannelsLast = false; ///< input, residual and result are [n, space.., c]

  /// Input, residual or result as [n, c, space..].
  BufferShape ordered(const BufferShape &shape) const {
    return isChannelsLast ? channelsSecond(shape) : shape;
  }

  static ConvParams read(Params &params, bool isTransposed);
};

/// A checked convolution; its input and result are [n, c, space..]. For a transposed one `input` is the
/// gradient (what conv gives) and `result` what conv takes.
struct ConvPlan {
  ConvParams params;
  BufferShape input, filter, result; ///< filter [o, c / groups, window..], o and c of conv
  bool isTransposed = false;

  /// Errors: channels, groups or extents that do not fit.
  static Result<ConvPlan> make(ConvParams params, const BufferShape &input,
                               const BufferShape &filter, const BufferShape &result,
                               bool isTransposed);
};

/// The checked convolution that a `conv` or, when `isTransposed`, a `conv_transpose` computes.
Result<ConvPlan> readConvolution(CallSite &site, bool isTransposed);

/// The checked convolution whose filter gradient a `conv_filter_gradient` gives: its result is the gradient.
Result<ConvPlan> readFilterGradient(CallSite &site);

/// The space of a convolution as three dims; missing ones come first and have one place.
struct ConvSpace {
  using Three = std::array<int64_t, 3>;

  explicit ConvSpace(const ConvPlan &plan);

  Three input, result, window, strides, dilations, low;
};

/// Where the operands are among the instruction's buffers.
struct ConvBuffers {
  size_t bias = 0, residual = 0, result = 2;
  bool isResidualInPlace = false;
};

/// Checks bias and residual and finds the buffers.
Result<ConvBuffers> findConvBuffers(const CallSite &site, const ConvPlan &plan);

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_CONV_PLAN_H
