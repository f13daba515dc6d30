// The call `topk`: the first elements of a sort along one dim.
#include "runtime/abi/calls.h"
#include "runtime/host/index.h"
#include "runtime/host/lane_sort.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  int64_t dim = site.params.integer("dim");
  bool isLargest = site.params.flag("largest", true);
  site.params.flag("sorted", true); // The sorted order is one of those that 0 allows.
  const BufferShape &in = site.ins[0].shape, &values = site.outs[0].shape,
                    &indices = site.outs[1].shape;
  if (Status status = checkDim(dim, in.rank()); !status.isOk())
    return status;
  std::vector<int64_t> expected = in.dims;
  if (values.rank() == in.rank())
    expected[dim] = values.dims[dim];
  if (values.dims != expected || indices.dims != expected || values.type != in.type ||
      expected[dim] > in.dims[dim])
    return Status::invalid("values ", values.str(), " and indices ", indices.str(),
                           " are not the first elements along dim ", dim, " of in ", in.str());
  return bindLaneSort(site, dim, isLargest);
}

const RegisteredCall registered({.name = abi::calls::topk, .numOuts = 2, .takesStrides = true},
                                bind);

} // namespace
} // namespace sheaf::rt::host
