// Reads and checks `gather_nd` and `scatter_nd`.
#include "runtime/core/nd_indexing.h"

namespace sheaf::rt {

Result<NdIndexing> NdIndexing::make(const BufferShape &data, const BufferShape &indices,
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

Result<NdIndexing> NdIndexing::ofGather(CallSite &site) {
  const BufferShape &data = site.ins[0].shape, &indices = site.ins[1].shape,
                    &out = site.outs[0].shape;
  std::vector<int64_t> whole = site.params.integers("whole", {});
  Result<NdIndexing> made = make(data, indices, site.params.integer("batch_dims", 0));
  if (!made.isOk())
    return made;
  if (out.dims != made->chosenDims || out.type != data.type)
    return Status::invalid("out ", out.str(), " does not fit data ", data.str(), " and indices ",
                           indices.str());
  made->whole = std::move(whole);
  return made;
}

Result<NdIndexing> NdIndexing::ofScatter(CallSite &site) {
  const BufferShape &data = site.ins[0].shape, &indices = site.ins[1].shape,
                    &updates = site.ins[2].shape, &out = site.outs[0].shape;
  std::vector<int64_t> whole = site.params.integers("whole", {});
  Result<NdIndexing> made = make(data, indices, 0);
  if (!made.isOk())
    return made;
  if (data.dims != out.dims || data.type != out.type || updates.type != out.type ||
      updates.dims != made->chosenDims)
    return Status::invalid("data ", data.str(), ", indices ", indices.str(), ", updates ",
                           updates.str(), " and out ", out.str(), " do not fit together");
  made->whole = std::move(whole);
  return made;
}

} // namespace sheaf::rt
