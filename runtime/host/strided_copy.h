// Copies strided buffers; what `copy` does, for other calls too.
#ifndef SHEAF_RUNTIME_HOST_STRIDED_COPY_H
#define SHEAF_RUNTIME_HOST_STRIDED_COPY_H

#include "runtime/core/strided.h"

namespace sheaf::rt::host {

/// How to copy between two strided buffers of equal dims: decided once, run often.
class StridedCopy {
public:
  /// Both plain, of equal dims and element size.
  StridedCopy(const BufferShape &in, const BufferShape &out);

  /// Copies with the threads of the caller. Elements must not overlap.
  void run(const std::byte *in, std::byte *out) const;

private:
  enum class Kind { nothing, runs, transpose, elements };

  void runContiguous(const std::byte *in, std::byte *out) const;
  void runTranspose(const std::byte *in, std::byte *out) const;
  template <typename T> void runElements(const std::byte *in, std::byte *out) const;

  Kind kind = Kind::nothing;
  int64_t elementBytes;
  StridedSpace<2> outer;              ///< 0: in, 1: out
  StridedSpace<2>::Dim inner{1, {}};  ///< contiguous in the output (runs: in both)
  StridedSpace<2>::Dim second{1, {}}; ///< transpose: contiguous in the input
};

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_STRIDED_COPY_H
