// Finds the slices that tuples of indices choose.
#ifndef SHEAF_RUNTIME_HOST_ND_INDEX_H
#define SHEAF_RUNTIME_HOST_ND_INDEX_H

#include "runtime/core/nd_indexing.h"
#include "runtime/host/index.h"

namespace sheaf::rt::host {

/// The element of data where the slice of tuple number `tuple` begins, or -1 when an index is out of range.
template <typename Index>
int64_t sliceOf(const NdIndexing &indexing, const Index *indices, int64_t tuple,
                IndexReader &reader) {
  auto depth = static_cast<int64_t>(indexing.bounds.size());
  int64_t element = tuple / indexing.tuplesPerBatch * indexing.batchElements;
  for (int64_t i = 0; i < depth; ++i) {
    int64_t index =
        reader.read(indices[tuple * depth + i], indexing.bounds[i], static_cast<size_t>(i));
    if (index < 0)
      return -1;
    element += index * indexing.strides[i];
  }
  return element;
}

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_ND_INDEX_H
