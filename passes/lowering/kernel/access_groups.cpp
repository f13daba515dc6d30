// Collapses the factors of a cluster's space, and weighs which of them vectors should walk.
#include "passes/lowering/kernel/access_groups.h"

#include "passes/lowering/kernel/stored_type.h"

#include <limits>

using namespace mlir;
using namespace sheaf;
using namespace sheaf::lowering;

AccessGroups::AccessGroups(graph::ClusterOp cluster, const ClusterBuffers &buffers,
                           const IterationSpace &space, ArrayRef<std::pair<Value, int64_t>> counted)
    : space(space) {
  for (auto [argument, layout] :
       llvm::zip_equal(cluster.getBodyBlock()->getArguments(), buffers.operands))
    addBuffer(argument, layout);
  operandCount = accesses.size();
  for (auto [value, layout] :
       llvm::zip_equal(cluster.getBodyBlock()->getTerminator()->getOperands(), buffers.results))
    addBuffer(value, layout);
  for (auto [value, dim] : counted)
    addAlong(value, dim, /*stride=*/1, accesses.emplace_back(space.numFactors()));
}

void AccessGroups::addAlong(Value value, int64_t dim, int64_t stride, Strides &strides) {
  for (unsigned factor : llvm::reverse(space.dims.find(value)->second[dim])) {
    strides[factor] = stride;
    stride *= space.extents[factor];
  }
}

void AccessGroups::addBuffer(Value value, const BufferLayout &layout) {
  auto type = cast<RankedTensorType>(value.getType());
  Strides &strides = accesses.emplace_back(space.numFactors());
  for (auto [dim, stride] : llvm::enumerate(layout.strides))
    addAlong(value, dim, stride, strides);
  elements.push_back(type.getNumElements());
  bytes.push_back(storedBytesOf(type.getElementType()));
}

SmallVector<AccessGroup> AccessGroups::collapse(const BitVector &factors) const {
  SmallVector<AccessGroup> groups;
  for (unsigned factor : factors.set_bits()) {
    AccessGroup group{space.extents[factor], {factor}, {}};
    for (const Strides &strides : accesses)
      group.strides.push_back(strides[factor]);
    auto continues = [&](auto pair) {
      return std::get<0>(pair) == std::get<1>(pair) * group.extent;
    };
    if (!groups.empty() &&
        llvm::all_of(llvm::zip_equal(groups.back().strides, group.strides), continues)) {
      groups.back().extent *= group.extent;
      groups.back().factors.push_back(factor);
      groups.back().strides = group.strides;
    } else {
      groups.push_back(group);
    }
  }
  return groups;
}

double AccessGroups::costOfLanes(const AccessGroup &group, int64_t numLanes) const {
  double cost = 0;
  for (unsigned i = 0; i < numBuffers(); ++i) {
    double weight = group.strides[i] == 1 ? 1 : group.strides[i] == 0 ? 0.5 : 6;
    cost += weight * static_cast<double>(elements[i]);
  }
  double waste = static_cast<double>(llvm::divideCeil(group.extent, numLanes) * numLanes) /
                 static_cast<double>(std::max<int64_t>(group.extent, 1));
  return cost * waste;
}

double AccessGroups::bestCost(ArrayRef<AccessGroup> groups, int64_t numLanes) const {
  double best = std::numeric_limits<double>::infinity();
  for (const AccessGroup &group : groups)
    best = std::min(best, costOfLanes(group, numLanes));
  return best;
}

AccessGroup AccessGroups::takeLane(SmallVector<AccessGroup> &groups, int64_t numLanes) const {
  if (groups.empty())
    return {1, {}, SmallVector<int64_t>(accesses.size())};
  double best = bestCost(groups, numLanes);
  auto isBest = [&](const AccessGroup &group) { return costOfLanes(group, numLanes) <= best; };
  auto found = std::find_if(groups.rbegin(), groups.rend(), isBest);
  AccessGroup lane = *found;
  groups.erase(std::next(found).base());
  return lane;
}

BitVector AccessGroups::factorsOf(ArrayRef<AccessGroup> groups) const {
  BitVector factors(space.numFactors());
  for (const AccessGroup &group : groups)
    for (unsigned factor : group.factors)
      factors.set(factor);
  return factors;
}
