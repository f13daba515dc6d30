// Convolutions of any strides and types and their gradients, a thread per result: what cuDNN does not compute, and all
// where it is missing. Sums are taken in the order of the host's loops.
#include "runtime/cuda/kernels/activation.h"
#include "runtime/cuda/kernels/arithmetic.h"
#include "runtime/cuda/kernels/conv_parameters.h"
#include "runtime/cuda/kernels/integer.h"

using namespace sheaf::rt::cuda;

namespace {

/// A place in three space dims.
struct Point {
  int64_t at[3];
};

DEVICE int64_t volume(const int64_t (&extents)[3]) { return extents[0] * extents[1] * extents[2]; }

DEVICE Point pointAt(const int64_t (&extents)[3], int64_t index) {
  return {{index / extents[2] / extents[1], index / extents[2] % extents[1], index % extents[2]}};
}

DEVICE int64_t stepsTo(const int64_t (&steps)[3], const Point &point) {
  return point.at[0] * steps[0] + point.at[1] * steps[1] + point.at[2] * steps[2];
}

/// Where in the input tap `tap` of the window at `place` reads; false: nowhere.
DEVICE bool findInput(const ConvWindows &w, bool isTransposed, const Point &place, const Point &tap,
                      Point &from) {
  for (int dim = 0; dim < 3; ++dim) {
    int64_t reach = tap.at[dim] * w.dilations[dim] - w.low[dim];
    if (isTransposed) {
      int64_t spread = place.at[dim] - reach;
      if (spread < 0 || spread % w.strides[dim] != 0)
        return false;
      from.at[dim] = spread / w.strides[dim];
    } else {
      from.at[dim] = place.at[dim] * w.strides[dim] + reach;
    }
    if (from.at[dim] < 0 || from.at[dim] >= w.input[dim])
      return false;
  }
  return true;
}

/// Calls `finish(channel, element of the result, sum)` for each element of the result with the sum of
/// `multiply(element of the input, element of the filter)`.
template <typename Sum, typename Multiply, typename Finish>
DEVICE void convolve(const ConvParameters &p, const Multiply &multiply, const Finish &finish) {
  int64_t numPlaces = volume(p.windows.result), numTaps = volume(p.windows.window);
  forEach(p.numImages * p.numChannels * numPlaces, [&](int64_t i) {
    Point place = pointAt(p.windows.result, i % numPlaces), from{};
    int64_t channel = i / numPlaces % p.numChannels, n = i / numPlaces / p.numChannels;
    int64_t group = channel / p.resultsPerGroup, within = channel % p.resultsPerGroup;
    int64_t input = n * p.input.outer + group * p.inputsPerGroup * p.input.channel;
    int64_t filter = group * p.filterGroup + within * p.filterResult;
    Sum sum = 0;
    for (int64_t t = 0; t < numTaps; ++t) {
      Point tap = pointAt(p.windows.window, t);
      if (!findInput(p.windows, p.isTransposed, place, tap, from))
        continue;
      int64_t inputAt = input + stepsTo(p.input.space, from);
      int64_t filterAt = filter + stepsTo(p.filterSpace, tap);
      for (int64_t c = 0; c < p.inputsPerGroup; ++c)
        sum += multiply(inputAt + c * p.input.channel, filterAt + c * p.filterInput);
    }
    finish(channel,
           n * p.result.outer + channel * p.result.channel + stepsTo(p.result.space, place), sum);
  });
}

template <typename In, typename Out>
DEVICE void convolveFloats(const ConvParameters &p, const In *input, const In *filter,
                           const Out *bias, const Out *residual, Out *result) {
  using Sum = Wide<Out>;
  convolve<Sum>(
      p,
      [&](int64_t inputAt, int64_t filterAt) {
        return static_cast<Sum>(input[inputAt]) * static_cast<Sum>(filter[filterAt]);
      },
      [&](int64_t channel, int64_t at, Sum sum) {
        if (bias)
          sum += static_cast<Sum>(bias[channel]);
        if (residual)
          sum += static_cast<Sum>(residual[at]);
        result[at] = static_cast<Out>(activate(p.activation, sum));
      });
}

template <typename T>
DEVICE void filterGradient(const ConvFilterParameters &p, const T *input, const T *gradient,
                           T *filter) {
  const ConvWindows &w = p.windows;
  int64_t numPlaces = volume(w.result), numTaps = volume(w.window);
  forEach(p.numOutputs * p.inputsPerGroup * numTaps, [&](int64_t i) {
    Point tap = pointAt(w.window, i % numTaps), from{};
    int64_t in = i / numTaps % p.inputsPerGroup, out = i / numTaps / p.inputsPerGroup;
    int64_t channel = out / p.outputsPerGroup * p.inputsPerGroup + in;
    Wide<T> sum = 0;
    for (int64_t n = 0; n < p.numImages; ++n)
      for (int64_t place = 0; place < numPlaces; ++place) {
        Point at = pointAt(w.result, place);
        if (findInput(w, /*isTransposed=*/false, at, tap, from))
          sum += static_cast<Wide<T>>(input[n * p.input.outer + channel * p.input.channel +
                                            stepsTo(p.input.space, from)]) *
                 static_cast<Wide<T>>(gradient[n * p.gradient.outer + out * p.gradient.channel +
                                               stepsTo(p.gradient.space, at)]);
      }
    filter[i] = static_cast<T>(sum);
  });
}

} // namespace

#define CONVOLUTIONS(name, T)                                                                      \
  KERNEL void conv_##name##_##name(ConvParameters p, const T *input, const T *filter,              \
                                   const T *bias, const T *residual, T *result) {                  \
    convolveFloats(p, input, filter, bias, residual, result);                                      \
  }                                                                                                \
  KERNEL void filter_gradient_##name(ConvFilterParameters p, const T *input, const T *gradient,    \
                                     T *filter) {                                                  \
    filterGradient(p, input, gradient, filter);                                                    \
  }
SHEAF_FOR_FLOATS(CONVOLUTIONS)

KERNEL void conv_f16_f32(ConvParameters p, const _Float16 *input, const _Float16 *filter,
                         const float *bias, const float *residual, float *result) {
  convolveFloats(p, input, filter, bias, residual, result);
}
KERNEL void conv_bf16_f32(ConvParameters p, const __bf16 *input, const __bf16 *filter,
                          const float *bias, const float *residual, float *result) {
  convolveFloats(p, input, filter, bias, residual, result);
}

/// Sums wrap, so those of 64 bits have the right low bits.
KERNEL void conv_integers(ConvParameters p, IntegerType inputType, IntegerType filterType,
                          IntegerType resultType, const char *input, const char *filter,
                          const char *bias, const char *residual, char *result) {
  convolve<uint64_t>(
      p,
      [&](int64_t inputAt, int64_t filterAt) {
        return readInteger(inputType, input, inputAt) * readInteger(filterType, filter, filterAt);
      },
      [&](int64_t channel, int64_t at, uint64_t sum) {
        if (bias)
          sum += readInteger(resultType, bias, channel);
        if (residual)
          sum += readInteger(resultType, residual, at);
        writeInteger(resultType, result, at, sum);
      });
}
