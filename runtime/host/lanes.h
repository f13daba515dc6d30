// Loops over the lanes of a tensor: the rows of elements along one dim.
#ifndef SHEAF_RUNTIME_HOST_LANES_H
#define SHEAF_RUNTIME_HOST_LANES_H

#include "runtime/core/strided.h"
#include "runtime/host/parallel.h"

namespace sheaf::rt::host {

/// The lanes of several buffers along one dim: where each starts, and the elements from one place in it to the next.
template <size_t N> class Lanes {
public:
  /// `shapes` have equal dims but for `dim`, along which each has its own extent (a buffer that lacks `dim` is given
  /// with an extent of 1 there).
  Lanes(const std::array<const BufferShape *, N> &shapes, int64_t dim)
      : space(stridedSpace<N>(shapes, dim)) {
    for (size_t i = 0; i < N; ++i) {
      extents[i] = shapes[i]->dims[dim];
      strides[i] = shapes[i]->strides[dim];
    }
    space.merge();
  }

  int64_t extent(size_t buffer) const { return extents[buffer]; }
  int64_t stride(size_t buffer) const { return strides[buffer]; }

  /// Calls `body(offsets)` for each lane, with the byte offset of its start in each buffer; on several threads where
  /// lanes of `laneBytes` bytes are worth it.
  template <typename Body> void forEach(int64_t laneBytes, const Body &body) const {
    forEachChunk(laneBytes, [&](auto &&forEachLane) { forEachLane(body); });
  }

  /// The same in two steps, for bodies with memory of their own: calls `chunk(forEachLane)` once per thread, which
  /// calls `forEachLane(body)`.
  template <typename Chunk> void forEachChunk(int64_t laneBytes, const Chunk &chunk) const {
    parallelFor(0, space.count(), grainFor(laneBytes), [&](int64_t begin, int64_t end) {
      chunk([&](const auto &body) {
        StridedCursor<N> cursor(space, begin);
        for (int64_t i = begin; i < end; ++i, cursor.next()) {
          std::array<int64_t, N> offsets;
          for (size_t buffer = 0; buffer < N; ++buffer)
            offsets[buffer] = cursor.offset(buffer);
          body(offsets);
        }
      });
    });
  }

private:
  StridedSpace<N> space;
  std::array<int64_t, N> extents, strides;
};

/// The element type T at a byte offset of a buffer.
template <typename T> T *at(void *buffer, int64_t offsetBytes) {
  return reinterpret_cast<T *>(static_cast<std::byte *>(buffer) + offsetBytes);
}

/// `shape` with a dim of extent 1 put in at `dim`.
inline BufferShape withDim(BufferShape shape, int64_t dim) {
  shape.dims.insert(shape.dims.begin() + dim, 1);
  shape.strides.insert(shape.strides.begin() + dim, 0);
  return shape;
}

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_LANES_H
