// Reads the axes of a mesh off lists of devices.
#include "passes/sharding/configured_mesh.h"

#include "llvm/ADT/StringMap.h"
#include <map>
#include <set>

using namespace llvm;
using namespace mlir;
using namespace sheaf::dist;

namespace sheaf::sharding {
namespace {

/// The cuts of distinct shardings along one axis through all devices.
using Cuts = std::map<DeviceList, SmallVector<AxisList>>;

Expected<Cuts> cutsOf(ArrayRef<DeviceSharding> shardings, ArrayRef<int64_t> order) {
  Cuts cuts;
  for (const DeviceSharding &sharding : shardings) {
    auto [entry, isNew] = cuts.try_emplace(sharding.devices);
    if (!isNew)
      continue;
    auto axes = axesOf(sharding.devices, order);
    if (!axes)
      return createStringError(describe(sharding) + toString(axes.takeError()));
    entry->second = std::move(*axes);
  }
  return cuts;
}

/// The order in which the sharding with the most shards names the devices.
SmallVector<int64_t> finestOrder(ArrayRef<DeviceSharding> shardings, int64_t numDevices) {
  const DeviceSharding *finest = nullptr;
  for (const DeviceSharding &sharding : shardings)
    if (!finest || sharding.devices.owners.size() > finest->devices.owners.size())
      finest = &sharding;
  SmallVector<int64_t> order;
  if (finest)
    for (ArrayRef<int64_t> owners : finest->devices.owners)
      append_range(order, owners);
  // As many different devices as there are.
  std::set<int64_t> distinct(order.begin(), order.end());
  bool isPermutation = static_cast<int64_t>(order.size()) == numDevices &&
                       static_cast<int64_t>(distinct.size()) == numDevices &&
                       *distinct.begin() == 0 && *distinct.rbegin() == numDevices - 1;
  return isPermutation ? order : SmallVector<int64_t>();
}

/// Where the axis through all devices is cut, from 1 to `numDevices`, each dividing the next. A cut that
/// does not fit all others stays within an axis.
SmallVector<int64_t> boundariesOf(const Cuts &cuts, int64_t numDevices) {
  std::set<int64_t> all = {1, numDevices};
  for (const auto &[devices, dims] : cuts)
    for (const AxisList &axes : dims)
      for (Axis axis : axes) {
        all.insert(axis.preSize);
        all.insert(axis.end());
      }
  SmallVector<int64_t> kept;
  for (int64_t cut : all)
    if (all_of(all, [&](int64_t other) { return cut % other == 0 || other % cut == 0; }))
      kept.push_back(cut);
  return kept;
}

} // namespace

std::string describe(const DeviceSharding &sharding) {
  return ("node \"" + sharding.node + "\", sharding of \"" + sharding.tensor + "\": ").str();
}

Expected<MeshAttr> meshOf(ArrayRef<DeviceSharding> shardings, int64_t numDevices,
                          llvm::function_ref<bool(StringRef)> isStored, MLIRContext *context) {
  SmallVector<int64_t> order;
  Expected<Cuts> cuts = cutsOf(shardings, to_vector(seq(numDevices)));
  if (!cuts) {
    order = finestOrder(shardings, numDevices);
    if (order.empty())
      return cuts.takeError();
    Expected<Cuts> reordered = cutsOf(shardings, order);
    if (!reordered) {
      consumeError(reordered.takeError()); // What ranks in their own order lack is easier to read.
      return cuts.takeError();
    }
    consumeError(cuts.takeError());
    cuts = std::move(reordered);
  }
  SmallVector<int64_t> boundaries = boundariesOf(*cuts, numDevices);
  if (boundaries.size() == 1)
    boundaries.push_back(1);
  StringMap<int> uses;
  SmallVector<MeshAxisAttr> axes;
  for (size_t index : seq<size_t>(1, boundaries.size())) {
    int64_t begin = boundaries[index - 1], size = boundaries[index] / begin;
    bool cutsStored = false, cutsOther = false;
    for (const DeviceSharding &sharding : shardings)
      for (const AxisList &list : cuts->at(sharding.devices))
        if (overlaps(list, Axis{0, begin, size}))
          (isStored(sharding.tensor) ? cutsStored : cutsOther) = true;
    std::string name = cutsStored ? "tensor" : cutsOther ? "data" : "replica";
    if (int number = ++uses[name]; number > 1)
      name += std::to_string(number);
    axes.push_back(MeshAxisAttr::get(context, name, size));
  }
  return MeshAttr::get(context, axes, order);
}

} // namespace sheaf::sharding
