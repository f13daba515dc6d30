// The call `permute`: every rank of the mesh gets the value of one, or zeros.
#include "runtime/abi/collectives.h"
#include "runtime/core/collective.h"
#include "runtime/host/registry.h"
#include "runtime/host/strided_copy.h"

#include <cstring>

namespace sheaf::rt::host {
namespace {

BoundStep bind(CallSite &site) {
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  if (Status status = checkSameBut(in, out, {}); !status.isOk())
    return status;
  std::vector<int64_t> ranks = site.params.integers("sources");
  int numRanks = site.place->mesh().numRanks();
  if (ranks.size() != static_cast<size_t>(numRanks))
    return Status::invalid("parameter \"sources\" has ", ranks.size(), " ranks; the mesh has ",
                           numRanks);
  std::vector<int> sources;
  for (int64_t rank : ranks) {
    if (rank < -1 || rank >= numRanks)
      return Status::invalid("parameter \"sources\" names rank ", rank, " of ", numRanks);
    sources.push_back(static_cast<int>(rank));
  }
  int64_t bytes = in.elements() * in.elementBytes();
  Result<Collective> collective = Collective::bindAll(site, abi::permuteTraffic(bytes));
  if (!collective.isOk())
    return collective.takeStatus();
  return makeStep([collective = *collective, copy = StridedCopy(in, out),
                   sources = std::move(sources), bytes = static_cast<size_t>(bytes)](
                      void *const *buffers, std::byte *) -> Status {
    if (collective.isAlone()) {
      if (sources[0] < 0)
        std::memset(buffers[1], 0, bytes);
      else
        copy.run(static_cast<const std::byte *>(buffers[0]), static_cast<std::byte *>(buffers[1]));
      return {};
    }
    return collective.run([&](Group &group, const CollectiveSite &site) {
      return group.permute(site, buffers[0], buffers[1], bytes, sources);
    });
  });
}

const RegisteredCall registered({.name = abi::calls::permute}, bind);

} // namespace
} // namespace sheaf::rt::host
