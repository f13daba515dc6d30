// Copies the box of a value that one rank holds out of the whole value, and back into it.
#ifndef SHEAF_RUNTIME_CORE_BOX_COPY_H
#define SHEAF_RUNTIME_CORE_BOX_COPY_H

#include "runtime/core/sharding.h"

#include <cstddef>

namespace sheaf::rt {

/// Where the elements of a box lie in the whole value and in the memory of its rank, both row-major.
class BoxCopy {
public:
  /// A box of nothing.
  BoxCopy() = default;
  BoxCopy(std::span<const int64_t> globalDims, const ShardBox &box, int64_t elementBytes);

  /// Of the rank's memory, padding included.
  int64_t localBytes() const { return local; }
  /// True when the memory of the rank would hold the same bytes in the same order as a run of the whole value.
  bool isContiguous() const { return runBytes == local; }
  /// Of the first element, in bytes of the whole value.
  int64_t globalOffset() const { return offset; }

  /// Reads only the bytes of the box, writes only those of its elements: padding stays.
  void toLocal(const std::byte *global, std::byte *local) const;
  void toGlobal(const std::byte *local, std::byte *global) const;

private:
  /// A dim over which runs repeat.
  struct Dim {
    int64_t extent;
    int64_t globalStride; ///< bytes
    int64_t localStride;  ///< bytes
  };

  template <typename Visit> void forEachRun(Visit visit) const;

  std::vector<Dim> dims;
  int64_t runBytes = 0; ///< that are together in both; 0: the box is empty
  int64_t offset = 0;
  int64_t local = 0;
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_BOX_COPY_H
