// Reads and checks a `gather`.
#include "runtime/core/gather_plan.h"

#include "runtime/core/dim_check.h"

#include <algorithm>

namespace sheaf::rt {

Result<GatherPlan> GatherPlan::make(CallSite &site) {
  int64_t dim = site.params.integer("dim"), batchDims = site.params.integer("batch_dims", 0);
  const BufferShape &data = site.ins[0].shape, &indices = site.ins[1].shape,
                    &out = site.outs[0].shape;
  if (Status status = checkDim(dim, data.rank()); !status.isOk())
    return status;
  if (batchDims < 0 || batchDims > dim || batchDims > static_cast<int64_t>(indices.rank()))
    return Status::invalid("batch_dims ", batchDims, " is negative or more than dim ", dim,
                           " or the rank of the indices");
  auto isSameBatch =
      std::equal(data.dims.begin(), data.dims.begin() + batchDims, indices.dims.begin());
  std::vector<int64_t> expected(data.dims.begin(), data.dims.begin() + dim);
  expected.insert(expected.end(), indices.dims.begin() + batchDims, indices.dims.end());
  expected.insert(expected.end(), data.dims.begin() + dim + 1, data.dims.end());
  if (!isSameBatch || out.dims != expected || out.type != data.type)
    return Status::invalid("data ", data.str(), " and indices ", indices.str(), " along dim ", dim,
                           " do not give out ", out.str());
  if (!indices.isRowMajor() || !out.isRowMajor())
    return Status::invalid("indices and out must be row-major");

  auto count = [](auto first, auto last) {
    int64_t product = 1;
    for (; first != last; ++first)
      product *= *first;
    return product;
  };
  BufferShape before{data.type,
                     {data.dims.begin(), data.dims.begin() + dim},
                     {data.strides.begin(), data.strides.begin() + dim}};
  return GatherPlan{count(data.dims.begin() + batchDims, data.dims.begin() + dim),
                    count(indices.dims.begin() + batchDims, indices.dims.end()),
                    data.dims[dim],
                    data.strides[dim] * data.elementBytes(),
                    site.params.integers("whole", {}),
                    stridedSpace<1>({&before}),
                    {data.type,
                     {data.dims.begin() + dim + 1, data.dims.end()},
                     {data.strides.begin() + dim + 1, data.strides.end()}}};
}

} // namespace sheaf::rt
