// The tensors of a collective as one long row of elements, of which ranges are sent.
#ifndef SHEAF_RUNTIME_COMM_TENSOR_ROW_H
#define SHEAF_RUNTIME_COMM_TENSOR_ROW_H

#include "runtime/core/communicator.h"

#include <algorithm>

namespace sheaf::rt::comm {

/// Counts elements through all tensors, of one block where there are blocks. So what is cut by bytes is cut alike
/// whether they belong to one tensor or to many.
class TensorRow {
public:
  /// Elements of the row.
  struct Range {
    size_t begin, end;
  };

  /// Those of a range that lie in one tensor.
  struct Run {
    const std::byte *in;
    std::byte *out;
    size_t bytes;
    size_t offset;     ///< bytes of the range before it
    size_t blockBytes; ///< of its tensor

    /// Its place in another block of the tensor.
    const std::byte *inBlock(size_t block) const { return in + block * blockBytes; }
  };

  TensorRow(std::span<const CollectiveBuffer> buffers, size_t elementBytes)
      : buffers(buffers), bytesPerElement(elementBytes) {
    for (const CollectiveBuffer &buffer : buffers)
      total += buffer.size;
  }

  size_t count() const { return total; }
  size_t elementBytes() const { return bytesPerElement; }

  /// Calls `visit(run)` for the runs of a range, in order.
  template <typename Visit> void forEachRun(Range range, const Visit &visit) const {
    size_t first = 0; // Of the tensor.
    for (const CollectiveBuffer &buffer : buffers) {
      size_t begin = std::max(range.begin, first), end = std::min(range.end, first + buffer.size);
      if (begin < end) {
        size_t skipped = (begin - first) * bytesPerElement;
        visit(Run{static_cast<const std::byte *>(buffer.in) + skipped,
                  static_cast<std::byte *>(buffer.out) + skipped, (end - begin) * bytesPerElement,
                  (begin - range.begin) * bytesPerElement, buffer.size * bytesPerElement});
      }
      first += buffer.size;
    }
  }

private:
  std::span<const CollectiveBuffer> buffers;
  size_t bytesPerElement;
  size_t total = 0;
};

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_TENSOR_ROW_H
