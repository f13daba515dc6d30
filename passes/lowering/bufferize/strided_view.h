// Views as arithmetic: what movement ops do to offset, shape and strides.
#ifndef SHEAF_PASSES_LOWERING_BUFFERIZE_STRIDED_VIEW_H
#define SHEAF_PASSES_LOWERING_BUFFERIZE_STRIDED_VIEW_H

#include "dialects/exec/exec.h"
#include <optional>

namespace sheaf::lowering {

/// Elements of a buffer: the first is `offset` elements after the buffer's first.
struct StridedView {
  int64_t offset = 0;
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<int64_t> strides;

  /// All of a buffer that is not opaque.
  static StridedView of(exec::BufferType buffer);

  StridedView transposed(llvm::ArrayRef<int64_t> permutation) const;
  StridedView sliced(llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> limits,
                     llvm::ArrayRef<int64_t> steps) const;
  /// Dim `i` becomes dim `dims[i]` of `result`; all else repeats.
  StridedView broadcast(llvm::ArrayRef<int64_t> result, llvm::ArrayRef<int64_t> dims) const;
  StridedView reversed(llvm::ArrayRef<int64_t> dims) const;
  /// None when no strides walk the elements in the order of the new shape.
  std::optional<StridedView> reshaped(llvm::ArrayRef<int64_t> result) const;
};

} // namespace sheaf::lowering

#endif
