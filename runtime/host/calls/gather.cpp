// The call `gather`: slices of data along one dim, chosen by indices.
#include "runtime/abi/calls.h"
#include "runtime/core/element.h"
#include "runtime/host/index.h"
#include "runtime/host/parallel.h"
#include "runtime/host/registry.h"
#include "runtime/host/strided_copy.h"

#include <cstring>

namespace sheaf::rt::host {
namespace {

/// out[batch, before, index, after] = data[batch, before, indices[batch, index], after]
struct GatherPlan {
  int64_t numBatch, numBefore, numIndices, extent;
  std::vector<int64_t> whole; ///< as IndexReader takes it
  StridedSpace<1> outer;      ///< of data: batch and before dims
  int64_t dimStep;            ///< of data, bytes
  StridedCopy slice;          ///< the dims after
  int64_t sliceBytes;
};

Result<GatherPlan> makePlan(CallSite &site) {
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
  BufferShape after{data.type,
                    {data.dims.begin() + dim + 1, data.dims.end()},
                    {data.strides.begin() + dim + 1, data.strides.end()}};
  BufferShape dense{data.type, after.dims, {out.strides.end() - after.rank(), out.strides.end()}};
  BufferShape before{data.type,
                     {data.dims.begin(), data.dims.begin() + dim},
                     {data.strides.begin(), data.strides.begin() + dim}};
  return GatherPlan{count(data.dims.begin(), data.dims.begin() + batchDims),
                    count(data.dims.begin() + batchDims, data.dims.begin() + dim),
                    count(indices.dims.begin() + batchDims, indices.dims.end()),
                    data.dims[dim],
                    site.params.integers("whole", {}),
                    stridedSpace<1>({&before}),
                    data.strides[dim] * data.elementBytes(),
                    StridedCopy(after, dense),
                    after.elements() * after.elementBytes()};
}

BoundStep bind(CallSite &site) {
  Result<GatherPlan> made = makePlan(site);
  if (!made.isOk())
    return made.takeStatus();
  if (site.outs[0].shape.elements() == 0)
    return makeStep([](void *const *, std::byte *) {});
  return visitIndex<BoundStep>(site.ins[1].shape.type, [&](auto tag) -> BoundStep {
    using Index = typename decltype(tag)::Type;
    return makeStep([plan = std::move(*made)](void *const *buffers, std::byte *) {
      const auto *data = static_cast<const std::byte *>(buffers[0]);
      const auto *indices = static_cast<const Index *>(buffers[1]);
      auto *out = static_cast<std::byte *>(buffers[2]);
      IndexReader reader(plan.extent, plan.whole);
      auto copySlices = [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          int64_t outer = i / plan.numIndices, batch = outer / plan.numBefore;
          int64_t index = reader.read(indices[batch * plan.numIndices + i % plan.numIndices]);
          if (index < 0)
            continue;
          StridedCursor<1> cursor(plan.outer, outer);
          plan.slice.run(data + cursor.offset(0) + index * plan.dimStep, out + i * plan.sliceBytes);
        }
      };
      parallelFor(0, plan.numBatch * plan.numBefore * plan.numIndices,
                  grainFor(2 * plan.sliceBytes), copySlices);
      return reader.finish();
    });
  });
}

const RegisteredCall
    registered({.name = abi::calls::gather, .minIns = 2, .maxIns = 2, .takesStrides = true}, bind);

} // namespace
} // namespace sheaf::rt::host
