// Reads the parameters of collectives and finds their groups.
#include "runtime/core/collective.h"

#include "runtime/core/element.h"

#include <algorithm>

namespace sheaf::rt {

std::vector<abi::Shard> RankAxes::shards(int64_t extent) const {
  std::vector<int64_t> sizes;
  for (const AxisPart &part : parts)
    sizes.push_back(part.size);
  return abi::shardsOf(extent, sizes);
}

Result<RankAxes> readAxes(CallSite &site) {
  std::vector<int64_t> numbers = site.params.integers("axes");
  if (numbers.size() % 3 != 0)
    return Status::invalid("parameter \"axes\" has ", numbers.size(),
                           " numbers; each part of an axis takes 3");
  RankAxes axes;
  for (size_t i = 0; i < numbers.size(); i += 3)
    axes.parts.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
  if (Status status = site.place->check(axes.parts); !status.isOk())
    return std::move(status).annotated("parameter \"axes\"");
  axes.size = site.place->groupSize(axes.parts);
  axes.index = site.place->groupIndex(axes.parts);
  return axes;
}

Result<std::vector<abi::Shard>> gatheredShards(const RankAxes &axes, int64_t extent,
                                               int64_t block) {
  std::vector<abi::Shard> shards = axes.shards(extent);
  if (shards[0].block == block)
    return shards;
  bool isRoomy = block > shards[0].block && axes.parts.size() == 1;
  if (!isRoomy)
    return Status::invalid("an extent of ", extent, " is not gathered from ", axes.size,
                           " blocks of ", block, " elements; they have ", shards[0].block);
  for (size_t i = 0; i < shards.size(); ++i) {
    // No overflow: once the extent is covered, nothing more is added.
    int64_t begin = i == 0 ? 0 : std::min(extent, shards[i - 1].begin + shards[i - 1].extent);
    shards[i] = {begin, std::min(block, extent - begin), block};
  }
  return shards;
}

Status checkBlock(const std::vector<abi::Shard> &shards, int64_t block) {
  if (shards[0].block != block)
    return Status::invalid("the block of the cut dim has ", shards[0].block, " elements, not the ",
                           block, " of out");
  return {};
}

Status checkSameBut(const BufferShape &a, const BufferShape &b,
                    std::initializer_list<int64_t> except) {
  bool isSame = a.type == b.type && a.rank() == b.rank();
  for (size_t dim = 0; isSame && dim < a.rank(); ++dim)
    if (std::find(except.begin(), except.end(), static_cast<int64_t>(dim)) == except.end())
      isSame = a.dims[dim] == b.dims[dim];
  if (isSame)
    return {};
  std::string dims;
  for (int64_t dim : except)
    dims += (dims.empty() ? " but for dim " : " and ") + std::to_string(dim);
  return Status::invalid("in ", a.str(), " and out ", b.str(), " must have equal types and dims",
                         dims);
}

Status checkOneType(const std::vector<Operand> &tensors) {
  for (const Operand &tensor : tensors)
    if (tensor.shape.type != tensors[0].shape.type)
      return Status::invalid("tensors ", tensors[0].shape.str(), " and ", tensor.shape.str(),
                             " must have equal types");
  return {};
}

Result<CombineKind> readCombineKind(CallSite &site, abi::ElementType type) {
  auto kind = static_cast<CombineKind>(site.params.choice("kind", {"sum", "max", "min", "mean"}));
  auto accept = [](auto) { return Status(); };
  Status status = kind == CombineKind::mean ? visitFloat<Status>(type, accept)
                                            : visitArithmetic<Status>(type, accept);
  if (!status.isOk())
    return status;
  return kind;
}

Collective::Collective(const CallSite &site, Group *group, std::string_view axes,
                       const abi::Traffic &traffic)
    : group(group), place(site.place), name(site.name), location(site.location), traffic(traffic) {
  if (group)
    ledgerLine = place->ledgerLine(name, axes);
}

Result<Collective> Collective::bind(const CallSite &site, const RankAxes &axes,
                                    const abi::Traffic &traffic) {
  Result<Group *> group = site.place->group(axes.parts, site.stream);
  if (!group.isOk())
    return group.takeStatus();
  return Collective(site, *group, site.place->mesh().text(axes.parts), traffic);
}

Result<Collective> Collective::bindAll(const CallSite &site, const abi::Traffic &traffic) {
  Result<Group *> group = site.place->everyone(site.stream);
  if (!group.isOk())
    return group.takeStatus();
  const Mesh &mesh = site.place->mesh();
  std::vector<AxisPart> all;
  for (const Mesh::Axis &axis : mesh.axes())
    all.push_back({static_cast<int64_t>(all.size()), 1, axis.size});
  return Collective(site, *group, mesh.text(all), traffic);
}

} // namespace sheaf::rt
