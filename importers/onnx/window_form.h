// The attributes that convolutions and pooling share: windows, strides, padding.
#ifndef SHEAF_IMPORTERS_ONNX_WINDOW_FORM_H
#define SHEAF_IMPORTERS_ONNX_WINDOW_FORM_H

#include "importers/onnx/node.h"

namespace sheaf::onnx {

struct WindowForm {
  llvm::SmallVector<int64_t> window, strides, dilations, low, high;

  /// Extent of a window with its holes.
  int64_t reach(size_t dim) const { return dilations[dim] * (window[dim] - 1) + 1; }
};

/// Reads strides, dilations, pads and auto_pad of `n` for windows over `space` (the extents of the
/// input's spatial dims). Fails the node on lists of wrong length and entries out of range.
WindowForm readWindowForm(Node &n, llvm::ArrayRef<int64_t> space, llvm::ArrayRef<int64_t> window);

/// The spatial dims of `[b, c, space..]`; fails the node when there are none.
llvm::ArrayRef<int64_t> spaceOf(Node &n, mlir::Value value);

} // namespace sheaf::onnx

#endif
