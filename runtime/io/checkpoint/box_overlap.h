// What two boxes of one value have in common.
#ifndef SHEAF_RUNTIME_IO_CHECKPOINT_BOX_OVERLAP_H
#define SHEAF_RUNTIME_IO_CHECKPOINT_BOX_OVERLAP_H

#include "runtime/core/sharding.h"

#include <cstddef>

namespace sheaf::rt::io {

/// The elements that lie in two boxes, as runs of bytes that are together in the memory of both (row-major blocks,
/// padding included).
class BoxOverlap {
public:
  BoxOverlap(const ShardBox &from, const ShardBox &to, int64_t elementBytes);

  bool isEmpty() const { return runBytes == 0; }
  void copy(const std::byte *from, std::byte *to) const;

  /// Calls `visit(from, to, bytes)` with the offsets of each run, in order of both. Stops at a failure, which it
  /// returns.
  template <typename Visit> Status forEachRun(Visit visit) const;

private:
  /// A dim over which runs repeat.
  struct Dim {
    int64_t extent;
    int64_t fromStride, toStride; ///< bytes
  };

  std::vector<Dim> dims;
  int64_t runBytes = 0; ///< 0: the boxes have nothing in common
  int64_t fromOffset = 0, toOffset = 0;
};

/// The box of all of a value.
ShardBox wholeBox(std::span<const int64_t> dims);

/// `box` in memory that has room for its elements alone.
ShardBox withoutPadding(const ShardBox &box);

/// The number of elements that a box has.
int64_t elementsOf(const ShardBox &box);

template <typename Visit> Status BoxOverlap::forEachRun(Visit visit) const {
  if (runBytes == 0)
    return {};
  std::vector<int64_t> index(dims.size(), 0);
  for (int64_t from = fromOffset, to = toOffset;;) {
    if (Status status = visit(from, to, runBytes); !status.isOk())
      return status;
    size_t dim = dims.size();
    for (; dim > 0; --dim) {
      const Dim &d = dims[dim - 1];
      from += d.fromStride;
      to += d.toStride;
      if (++index[dim - 1] < d.extent)
        break;
      from -= d.fromStride * d.extent;
      to -= d.toStride * d.extent;
      index[dim - 1] = 0;
    }
    if (dim == 0)
      return {};
  }
}

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_CHECKPOINT_BOX_OVERLAP_H
