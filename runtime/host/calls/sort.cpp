// The call `sort`: stable, along one dim.
#include "runtime/abi/calls.h"
#include "runtime/host/index.h"
#include "runtime/host/lane_sort.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  int64_t dim = site.params.integer("dim");
  bool isDescending = site.params.flag("descending", false);
  const BufferShape &in = site.ins[0].shape, &values = site.outs[0].shape,
                    &indices = site.outs[1].shape;
  if (Status status = checkDim(dim, in.rank()); !status.isOk())
    return status;
  if (values.dims != in.dims || indices.dims != in.dims || values.type != in.type)
    return Status::invalid("in ", in.str(), ", values ", values.str(), " and indices ",
                           indices.str(), " must have equal dims");
  return bindLaneSort(site, dim, isDescending);
}

const RegisteredCall registered({.name = abi::calls::sort, .numOuts = 2, .takesStrides = true},
                                bind);

} // namespace
} // namespace sheaf::rt::host
