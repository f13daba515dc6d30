// Sees a convolution as a problem that a library takes.
#ifndef SHEAF_RUNTIME_CUDA_CONV_PROBLEM_H
#define SHEAF_RUNTIME_CUDA_CONV_PROBLEM_H

#include "runtime/core/conv_plan.h"
#include "runtime/cuda/library_convolution.h"

#include <optional>

namespace sheaf::rt::cuda {

/// A problem, and how its input lies in a block with zeros around it: libraries pad both sides of a dim alike.
struct PaddedProblem {
  ConvProblem problem;              ///< its input counts the zeros
  std::optional<BufferShape> whole; ///< that block; none when there are none
  BufferShape given, inside;        ///< the call's input, and how it lies in the block
  int64_t insideOffset = 0;         ///< bytes from the begin of the block
};

/// None when libraries take no such convolution: other types than one of floats, strides, extents that are 0 or too
/// large, or something to add to the result or to apply to it.
std::optional<PaddedProblem> paddedProblem(const ConvPlan &plan, ConvWanted wanted);

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_CONV_PROBLEM_H
