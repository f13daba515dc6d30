// Walks over places of a tensor: row-major, with any step per dim.
#ifndef SHEAF_DIALECTS_GRAPH_FOLD_PLACES_H
#define SHEAF_DIALECTS_GRAPH_FOLD_PLACES_H

#include "dialects/graph/fold/constant.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace sheaf::graph {

/// Row-major strides of a shape, in elements.
llvm::SmallVector<int64_t> stridesOf(llvm::ArrayRef<int64_t> shape);

/// Where to find the elements of a box of `shape`: at `offset`, `steps[i]` apart along dim i.
struct Places {
  llvm::ArrayRef<int64_t> shape;
  llvm::SmallVector<int64_t> steps;
  int64_t offset = 0;

  /// Calls `visit` with each place, in row-major order of the box.
  void forEach(llvm::function_ref<void(int64_t)> visit) const;
};

/// The elements of `source` at `places`, as a constant; null when it is too large.
mlir::Attribute takePlaces(const Constant &source, mlir::RankedTensorType result,
                           const Places &places);

} // namespace sheaf::graph

#endif
