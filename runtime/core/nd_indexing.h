// Tuples of indices into the leading dims of a tensor, as gather_nd and scatter_nd take them.
#ifndef SHEAF_RUNTIME_CORE_ND_INDEXING_H
#define SHEAF_RUNTIME_CORE_ND_INDEXING_H

#include "runtime/core/device.h"

namespace sheaf::rt {

/// How indices [batch.., tuples.., depth] choose slices of row-major data [batch.., depth dims.., slice..].
struct NdIndexing {
  int64_t numBatch = 1;
  int64_t tuplesPerBatch = 1;
  int64_t batchElements = 1; ///< of data, per batch element
  int64_t sliceElements = 1;
  std::vector<int64_t> bounds;     ///< of each index of a tuple
  std::vector<int64_t> strides;    ///< of data, elements
  std::vector<int64_t> chosenDims; ///< the dims of what is chosen: batch, tuples, slice

  std::vector<int64_t>
      whole; ///< the parameter: the bounds that messages name, where there are such

  /// Errors: buffers that do not fit.
  static Result<NdIndexing> ofGather(CallSite &site);
  static Result<NdIndexing> ofScatter(CallSite &site);

  int64_t numTuples() const { return numBatch * tuplesPerBatch; }

private:
  static Result<NdIndexing> make(const BufferShape &data, const BufferShape &indices,
                                 int64_t batchDims);
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_ND_INDEXING_H
