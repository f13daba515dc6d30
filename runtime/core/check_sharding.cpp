// Checks how the values of an executable are cut among its ranks.
#include "runtime/core/check_executable.h"

namespace sheaf::rt {
Result<Sharding> checkSharding(const flatbuffers::Vector<int64_t> *globalDims,
                               const DimCutTables *cuts, const BufferShape &local,
                               const Mesh &mesh) {
  if (!isAligned(globalDims))
    return Status::invalid("its global dims are not aligned");
  Sharding sharding;
  if (globalDims)
    sharding.globalDims.assign(globalDims->begin(), globalDims->end());
  else if (!cuts)
    sharding.globalDims = local.dims;
  if (sharding.globalDims.size() != local.rank())
    return Status::invalid("its type ", local.str(), " has ", local.rank(), " dims but ",
                           sharding.globalDims.size(), " global dims");
  Result<BufferShape> global = checkedShape(local.type, sharding.globalDims);
  if (!global.isOk())
    return global.takeStatus().annotated("global dims");
  if (cuts && cuts->size() != local.rank())
    return Status::invalid("its type ", local.str(), " has ", local.rank(), " dims but ",
                           cuts->size(), " cuts");
  std::vector<AxisPart> all;
  for (flatbuffers::uoffset_t dim = 0; cuts && dim < cuts->size(); ++dim) {
    std::vector<AxisPart> &parts = sharding.cuts.emplace_back();
    const auto *axes = cuts->Get(dim)->axes();
    if (!isAligned(axes))
      return Status::invalid("the cuts of dim ", dim, " are not aligned");
    for (flatbuffers::uoffset_t i = 0; axes && i < axes->size(); ++i) {
      AxisPart part{axes->Get(i)->axis(), axes->Get(i)->pre_size(), axes->Get(i)->size()};
      if (Status status = mesh.check({&part, 1}); !status.isOk())
        return std::move(status).annotated("the cuts of dim ", dim);
      if (part.size > 1) // Else nothing is cut.
        parts.push_back(part);
    }
    all.insert(all.end(), parts.begin(), parts.end());
  }
  if (Status status = mesh.check(all); !status.isOk())
    return std::move(status).annotated("its cuts");
  if (all.empty())
    sharding.cuts.clear();
  // Blocks are the same on every rank.
  std::vector<int64_t> blocks = blockDims(shardBox(sharding, mesh, mesh.coordinatesOf(0)));
  if (blocks != local.dims)
    return Status::invalid("its type is ", local.str(), " but one rank holds ", dimsText(blocks),
                           " of ", sharding.str(mesh));
  return sharding;
}

} // namespace sheaf::rt
