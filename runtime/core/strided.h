// Walks several strided buffers of equal extents side by side.
#ifndef SHEAF_RUNTIME_CORE_STRIDED_H
#define SHEAF_RUNTIME_CORE_STRIDED_H

#include "runtime/core/buffer_shape.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

namespace sheaf::rt {

/// Extents, and for each of N buffers the bytes from one index of a dim to the next. Outermost first.
template <size_t N> struct StridedSpace {
  struct Dim {
    int64_t extent;
    std::array<int64_t, N> steps;
  };
  std::vector<Dim> dims;

  int64_t count() const {
    int64_t product = 1;
    for (const Dim &dim : dims)
      product *= dim.extent;
    return product;
  }

  /// Drops dims of extent 1 and sees neighbours that one step walks as one dim.
  void merge() {
    std::vector<Dim> merged;
    for (const Dim &dim : dims) {
      if (dim.extent == 1)
        continue;
      bool isOne = !merged.empty();
      for (size_t i = 0; isOne && i < N; ++i)
        isOne = merged.back().steps[i] == dim.steps[i] * dim.extent;
      if (isOne)
        merged.back() = {merged.back().extent * dim.extent, dim.steps};
      else
        merged.push_back(dim);
    }
    dims = std::move(merged);
  }

  /// Puts the dim with the largest step in buffer `which` first.
  void sortBySteps(size_t which) {
    // By insertion: few dims, and equal ones must keep their order.
    for (size_t i = 1; i < dims.size(); ++i)
      for (size_t j = i;
           j > 0 && std::abs(dims[j - 1].steps[which]) < std::abs(dims[j].steps[which]); --j)
        std::swap(dims[j - 1], dims[j]);
  }
};

/// The space of `shapes`, which have equal dims, without the dim `except` (-1: with all).
template <size_t N>
StridedSpace<N> stridedSpace(const std::array<const BufferShape *, N> &shapes,
                             int64_t except = -1) {
  StridedSpace<N> space;
  for (size_t dim = 0; dim < shapes[0]->rank(); ++dim) {
    if (static_cast<int64_t>(dim) == except)
      continue;
    typename StridedSpace<N>::Dim entry{shapes[0]->dims[dim], {}};
    for (size_t i = 0; i < N; ++i)
      entry.steps[i] = shapes[i]->strides[dim] * shapes[i]->elementBytes();
    space.dims.push_back(entry);
  }
  return space;
}

/// A place in a strided space: byte offsets into the N buffers.
template <size_t N> class StridedCursor {
public:
  /// At the row-major index `index`.
  StridedCursor(const StridedSpace<N> &space, int64_t index) : space(space) {
    for (size_t dim = space.dims.size(); dim-- > 0;) {
      position[dim] = index % space.dims[dim].extent;
      index /= space.dims[dim].extent;
      for (size_t i = 0; i < N; ++i)
        offsets[i] += position[dim] * space.dims[dim].steps[i];
    }
  }

  int64_t offset(size_t buffer) const { return offsets[buffer]; }

  void next() {
    for (size_t dim = space.dims.size(); dim-- > 0;) {
      const auto &entry = space.dims[dim];
      if (++position[dim] < entry.extent) {
        for (size_t i = 0; i < N; ++i)
          offsets[i] += entry.steps[i];
        return;
      }
      position[dim] = 0;
      for (size_t i = 0; i < N; ++i)
        offsets[i] -= (entry.extent - 1) * entry.steps[i];
    }
  }

private:
  const StridedSpace<N> &space;
  std::array<int64_t, maxRank> position{};
  std::array<int64_t, N> offsets{};
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_STRIDED_H
