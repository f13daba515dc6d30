// Computes offset, shape and strides of views of views.
#include "passes/lowering/bufferize/strided_view.h"

using namespace mlir;

namespace sheaf::lowering {

StridedView StridedView::of(exec::BufferType buffer) {
  return {0, SmallVector<int64_t>(buffer.getShape()), buffer.getStrides()};
}

StridedView StridedView::transposed(ArrayRef<int64_t> permutation) const {
  StridedView view{offset, {}, {}};
  for (int64_t dim : permutation) {
    view.shape.push_back(shape[dim]);
    view.strides.push_back(strides[dim]);
  }
  return view;
}

StridedView StridedView::sliced(ArrayRef<int64_t> starts, ArrayRef<int64_t> limits,
                                ArrayRef<int64_t> steps) const {
  StridedView view{offset, {}, {}};
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t extent = (limits[dim] - starts[dim] + steps[dim] - 1) / steps[dim];
    view.shape.push_back(extent);
    view.strides.push_back(strides[dim] * steps[dim]);
    view.offset += starts[dim] * strides[dim];
  }
  if (llvm::is_contained(view.shape, 0))
    view.offset = offset; // No element: any place within the buffer will do.
  return view;
}

StridedView StridedView::broadcast(ArrayRef<int64_t> result, ArrayRef<int64_t> dims) const {
  StridedView view{offset, SmallVector<int64_t>(result), SmallVector<int64_t>(result.size(), 0)};
  for (auto [dim, target] : llvm::enumerate(dims))
    if (shape[dim] == result[target])
      view.strides[target] = strides[dim];
  return view;
}

StridedView StridedView::reversed(ArrayRef<int64_t> dims) const {
  StridedView view = *this;
  for (int64_t dim : dims) {
    if (shape[dim] == 0)
      continue;
    view.offset += (shape[dim] - 1) * strides[dim];
    view.strides[dim] = -strides[dim];
  }
  return view;
}

std::optional<StridedView> StridedView::reshaped(ArrayRef<int64_t> result) const {
  StridedView view{offset, SmallVector<int64_t>(result), SmallVector<int64_t>(result.size(), 1)};
  if (llvm::is_contained(shape, 0))
    return view;
  SmallVector<int64_t> fromShape, fromStrides;
  for (auto [extent, stride] : llvm::zip(shape, strides))
    if (extent != 1) {
      fromShape.push_back(extent);
      fromStrides.push_back(stride);
    }
  // Walks both shapes in groups of equal products; the dims of a group of the source must be
  // steps of one stride.
  size_t from = 0, to = 0;
  while (from < fromShape.size() && to < result.size()) {
    size_t fromEnd = from + 1, toEnd = to + 1;
    int64_t fromProduct = fromShape[from], toProduct = result[to];
    while (fromProduct != toProduct)
      if (toProduct < fromProduct)
        toProduct *= result[toEnd++];
      else
        fromProduct *= fromShape[fromEnd++];
    for (size_t dim = from; dim + 1 < fromEnd; ++dim)
      if (fromStrides[dim] != fromShape[dim + 1] * fromStrides[dim + 1])
        return std::nullopt;
    int64_t stride = fromStrides[fromEnd - 1];
    for (size_t dim = toEnd; dim-- > to;) {
      view.strides[dim] = stride;
      stride *= result[dim];
    }
    from = fromEnd;
    to = toEnd;
  }
  return view;
}

} // namespace sheaf::lowering
