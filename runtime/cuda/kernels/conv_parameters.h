// What the host gives to the kernels of convolutions.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_CONV_PARAMETERS_H
#define SHEAF_RUNTIME_CUDA_KERNELS_CONV_PARAMETERS_H

#include "runtime/cuda/kernels/parameters.h"

namespace sheaf::rt::cuda {

/// Elements from one index to the next: of the first dim, of the channel, of the places, as three dims.
struct ConvTensor {
  int64_t outer, channel;
  int64_t space[3];
};

/// How windows lie: extents and parameters of three space dims; missing ones come first and have one place.
struct ConvWindows {
  int64_t input[3], result[3], window[3], strides[3], dilations[3], low[3];
};

/// result[n, o, place] = activation(sum over taps and channels of input * filter + bias[o] + residual[n, o, place]),
/// where tap `t` of `place` reads the input at place * stride - low + t * dilation or, transposed, at what gives
/// `place` by that formula.
struct ConvParameters {
  ConvWindows windows;
  ConvTensor input, result;
  int64_t numImages, numChannels;          ///< of the result
  int64_t inputsPerGroup, resultsPerGroup; ///< channels
  /// Elements of the filter from one group, channel of the result within it, and channel summed over to the next.
  int64_t filterGroup, filterResult, filterInput;
  int64_t filterSpace[3];
  bool isTransposed;
  ActivationKind activation;
};

/// filter[o, i, tap] = sum over images and places of input[n, i, place * stride - low + tap * dilation] *
/// gradient[n, o, place], i within the group of o; the filter is row-major. `windows.result` are the gradient's places.
struct ConvFilterParameters {
  ConvWindows windows;
  ConvTensor input, gradient;
  int64_t numImages, numOutputs;
  int64_t inputsPerGroup, outputsPerGroup;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_CONV_PARAMETERS_H
