// Computes which bytes strided views touch.
#include "runtime/core/buffer_shape.h"

#include "runtime/abi/contract_strides.h"
#include "runtime/core/checked.h"

#include <algorithm>
#include <cstdlib>

namespace sheaf::rt {

int64_t BufferShape::elements() const {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

bool BufferShape::isRowMajor() const {
  if (elements() == 0)
    return true;
  int64_t expected = 1;
  for (size_t dim = rank(); dim-- > 0; expected *= dims[dim])
    if (dims[dim] != 1 && strides[dim] != expected)
      return false;
  return true;
}

BufferShape rowMajorShape(abi::ElementType type, std::vector<int64_t> dims) {
  BufferShape shape{type, std::move(dims), {}};
  shape.strides = abi::rowMajorStrides(shape.dims);
  return shape;
}

std::string dimsText(std::span<const int64_t> dims) {
  std::string text = "[";
  for (size_t dim = 0; dim < dims.size(); ++dim)
    text += (dim ? ", " : "") + std::to_string(dims[dim]);
  return text + "]";
}

std::string BufferShape::str() const { return abi::nameOf(type) + dimsText(dims); }

std::optional<ByteExtent> byteExtent(const BufferShape &shape) {
  std::optional<int64_t> count = checkedElements(shape.dims);
  if (!count)
    return std::nullopt;
  if (*count == 0)
    return ByteExtent{};
  int64_t low = 0, high = 0;
  for (size_t dim = 0; dim < shape.rank(); ++dim) {
    std::optional<int64_t> span = checkedMultiply(shape.dims[dim] - 1, shape.strides[dim]);
    std::optional<int64_t> sum = span ? checkedAdd(*span < 0 ? low : high, *span) : std::nullopt;
    if (!sum)
      return std::nullopt;
    (*span < 0 ? low : high) = *sum;
  }
  std::optional<int64_t> begin = checkedMultiply(low, shape.elementBytes());
  std::optional<int64_t> past = checkedAdd(high, 1);
  std::optional<int64_t> end = past ? checkedMultiply(*past, shape.elementBytes()) : std::nullopt;
  if (!begin || !end)
    return std::nullopt;
  return ByteExtent{*begin, *end};
}

bool hasDistinctElements(const BufferShape &shape) {
  if (shape.elements() <= 1)
    return true;
  // Sorted by stride, each dim must step over all that the smaller ones reach.
  std::vector<std::pair<int64_t, int64_t>> steps; // |stride|, extent
  for (size_t dim = 0; dim < shape.rank(); ++dim)
    if (shape.dims[dim] > 1)
      steps.push_back({std::abs(shape.strides[dim]), shape.dims[dim]});
  std::sort(steps.begin(), steps.end());
  int64_t reach = 0;
  for (auto [stride, extent] : steps) {
    if (stride <= reach)
      return false;
    reach += stride * (extent - 1);
  }
  return true;
}

namespace {

/// The bytes a view touches modulo `pitch`, or none when they wrap or its larger strides are no multiples of it.
std::optional<ByteExtent> extentWithinPitch(const BufferShape &shape, int64_t offset,
                                            int64_t pitch) {
  int64_t low = 0, high = 0;
  for (size_t dim = 0; dim < shape.rank(); ++dim) {
    int64_t step = shape.strides[dim] * shape.elementBytes();
    if (shape.dims[dim] <= 1 || step % pitch == 0)
      continue;
    if (std::abs(step) > pitch)
      return std::nullopt;
    int64_t span = step * (shape.dims[dim] - 1);
    (span < 0 ? low : high) += span;
  }
  int64_t begin = offset + low;
  int64_t start = ((begin % pitch) + pitch) % pitch;
  int64_t end = start + (high - low) + shape.elementBytes();
  if (end > pitch)
    return std::nullopt;
  return ByteExtent{start, end};
}

} // namespace

bool areDisjoint(const BufferShape &a, int64_t aOffset, const BufferShape &b, int64_t bOffset) {
  std::optional<ByteExtent> aExtent = byteExtent(a), bExtent = byteExtent(b);
  if (!aExtent || !bExtent)
    return false;
  if (aExtent->isEmpty() || bExtent->isEmpty() ||
      aOffset + aExtent->end <= bOffset + bExtent->begin ||
      bOffset + bExtent->end <= aOffset + aExtent->begin)
    return true;
  for (const BufferShape *shape : {&a, &b}) {
    for (int64_t stride : shape->strides) {
      int64_t pitch = std::abs(stride) * shape->elementBytes();
      if (pitch == 0)
        continue;
      std::optional<ByteExtent> aPart = extentWithinPitch(a, aOffset, pitch);
      std::optional<ByteExtent> bPart = extentWithinPitch(b, bOffset, pitch);
      if (aPart && bPart && (aPart->end <= bPart->begin || bPart->end <= aPart->begin))
        return true;
    }
  }
  return false;
}

} // namespace sheaf::rt
