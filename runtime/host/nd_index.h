// Tuples of indices into the leading dims of a tensor, as gather_nd and scatter_nd take them.
#ifndef SHEAF_RUNTIME_HOST_ND_INDEX_H
#define SHEAF_RUNTIME_HOST_ND_INDEX_H

#include "runtime/core/buffer_shape.h"
#include "runtime/host/index.h"

#include <vector>

namespace sheaf::rt::host {

/// How indices [batch.., tuples.., depth] choose slices of row-major data [batch.., depth dims.., slice..].
struct NdIndexing {
  int64_t numBatch = 1;
  int64_t tuplesPerBatch = 1;
  int64_t batchElements = 1; ///< of data, per batch element
  int64_t sliceElements = 1;
  std::vector<int64_t> bounds;     ///< of each index of a tuple
  std::vector<int64_t> strides;    ///< of data, elements
  std::vector<int64_t> chosenDims; ///< the dims of what is chosen: batch, tuples, slice

  static Result<NdIndexing> make(const BufferShape &data, const BufferShape &indices,
                                 int64_t batchDims) {
    auto rank = static_cast<int64_t>(data.rank()), indexRank = static_cast<int64_t>(indices.rank());
    if (indexRank == 0 || batchDims < 0 || batchDims >= indexRank || batchDims > rank)
      return Status::invalid("batch_dims ", batchDims, " does not fit data ", data.str(),
                             " and indices ", indices.str());
    int64_t depth = indices.dims.back();
    if (batchDims + depth > rank)
      return Status::invalid("indices ", indices.str(), " hold tuples of ", depth,
                             ", too long for data ", data.str());
    NdIndexing result;
    for (int64_t i = 0; i < batchDims; ++i) {
      if (data.dims[i] != indices.dims[i])
        return Status::invalid("batch dim ", i, " of data ", data.str(), " and indices ",
                               indices.str(), " must be equal");
      result.numBatch *= data.dims[i];
      result.chosenDims.push_back(data.dims[i]);
    }
    for (int64_t i = batchDims; i < indexRank - 1; ++i) {
      result.tuplesPerBatch *= indices.dims[i];
      result.chosenDims.push_back(indices.dims[i]);
    }
    for (int64_t i = batchDims; i < batchDims + depth; ++i) {
      result.bounds.push_back(data.dims[i]);
      result.strides.push_back(data.strides[i]);
    }
    for (int64_t i = batchDims + depth; i < rank; ++i) {
      result.sliceElements *= data.dims[i];
      result.chosenDims.push_back(data.dims[i]);
    }
    for (int64_t i = batchDims; i < rank; ++i)
      result.batchElements *= data.dims[i];
    return result;
  }

  int64_t numTuples() const { return numBatch * tuplesPerBatch; }

  /// The element of data where the slice of tuple number `tuple` begins, or -1 when an index is out of range.
  template <typename Index>
  int64_t sliceOf(const Index *indices, int64_t tuple, IndexReader &reader) const {
    auto depth = static_cast<int64_t>(bounds.size());
    int64_t element = tuple / tuplesPerBatch * batchElements;
    for (int64_t i = 0; i < depth; ++i) {
      int64_t index = reader.read(indices[tuple * depth + i], bounds[i], static_cast<size_t>(i));
      if (index < 0)
        return -1;
      element += index * strides[i];
    }
    return element;
  }
};

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_ND_INDEX_H
