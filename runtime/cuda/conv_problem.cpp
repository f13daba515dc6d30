// Tells a library what a convolution is.
#include "runtime/cuda/conv_problem.h"

#include <limits>

namespace sheaf::rt::cuda {
namespace {

using Three = ConvSpace::Three;

/// Libraries count in 32 bits.
constexpr int64_t maxElements = std::numeric_limits<int32_t>::max();

bool isTaken(const BufferShape &shape, abi::ElementType type) {
  return shape.type == type && shape.isRowMajor() && shape.elements() > 0 &&
         shape.elements() <= maxElements;
}

bool isPlain(const ConvPlan &plan) {
  return abi::isFloat(plan.input.type) && abi::bytesOf(plan.input.type) > 1 &&
         isTaken(plan.input, plan.input.type) && isTaken(plan.filter, plan.input.type) &&
         isTaken(plan.result, plan.input.type) && !plan.params.hasBias &&
         !plan.params.hasResidual && plan.params.activation == Activation::none;
}

/// The last `count` of `list`, behind `first`.
std::vector<int> dims(std::vector<int> first, const Three &list, size_t count) {
  for (size_t dim = 3 - count; dim < 3; ++dim)
    first.push_back(static_cast<int>(list[dim]));
  return first;
}

std::vector<int> firstDims(const BufferShape &shape) {
  return {static_cast<int>(shape.dims[0]), static_cast<int>(shape.dims[1])};
}

/// Lays `input` into a block with zeros around it, `low` of them before the places of each space dim.
void pad(PaddedProblem &padded, const BufferShape &input, const Three &low) {
  size_t numSpaceDims = input.rank() - 2;
  const std::vector<int> &extents = padded.problem.input;
  std::vector<int64_t> whole{input.dims[0], input.dims[1]};
  whole.insert(whole.end(), extents.end() - static_cast<ptrdiff_t>(numSpaceDims), extents.end());
  padded.whole = rowMajorShape(input.type, std::move(whole));
  padded.given = padded.inside = input;
  padded.inside.strides = padded.whole->strides;
  for (size_t dim = 0; dim < numSpaceDims; ++dim)
    padded.insideOffset +=
        low[3 - numSpaceDims + dim] * padded.whole->strides[dim + 2] * input.elementBytes();
}

} // namespace

std::optional<PaddedProblem> paddedProblem(const ConvPlan &plan, ConvWanted wanted) {
  if (!isPlain(plan))
    return std::nullopt;
  ConvSpace space(plan);
  const BufferShape &input = plan.isTransposed ? plan.result : plan.input;
  const BufferShape &output = plan.isTransposed ? plan.input : plan.result;
  Three extents = plan.isTransposed ? space.result : space.input;
  const Three &places = plan.isTransposed ? space.input : space.result;
  Three padding{}, added{}; // by the library, and by us in front
  Three high = padTo3(plan.params.window.high, input.rank() - 2, 0);
  bool isPadded = false;
  for (size_t dim = 0; dim < 3; ++dim) {
    int64_t reach = space.dilations[dim] * (space.window[dim] - 1) + 1;
    int64_t room = extents[dim] + 2 * space.low[dim] - reach;
    // More than the windows reach behind the input is of no consequence.
    if (room >= 0 && room / space.strides[dim] + 1 == places[dim]) {
      padding[dim] = space.low[dim];
      continue;
    }
    added[dim] = space.low[dim];
    extents[dim] += space.low[dim] + high[dim];
    isPadded = true;
  }
  if (double(input.dims[0]) * double(input.dims[1]) * double(extents[0]) * double(extents[1]) *
          double(extents[2]) >
      double(maxElements))
    return std::nullopt;
  size_t count = std::max<size_t>(2, input.rank() - 2); // A line is an image of one row.
  PaddedProblem padded;
  padded.problem = {.wanted = wanted,
                    .type = plan.input.type,
                    .input = dims(firstDims(input), extents, count),
                    .filter = dims(firstDims(plan.filter), space.window, count),
                    .output = dims(firstDims(output), places, count),
                    .padding = dims({}, padding, count),
                    .strides = dims({}, space.strides, count),
                    .dilations = dims({}, space.dilations, count),
                    .groups = static_cast<int>(plan.params.groups),
                    .allowsTf32 = plan.params.allowsTf32};
  if (isPadded)
    pad(padded, input, added);
  return padded;
}

} // namespace sheaf::rt::cuda
