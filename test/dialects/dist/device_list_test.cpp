// Lists of devices and axes, each found again from the other on small meshes.
#include "dialects/dist/device_list.h"
#include "test/dialects/dist/print_axis.h"

#include "mlir/IR/MLIRContext.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace sheaf::dist;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class DeviceListTest : public testing::Test {
protected:
  DeviceListTest() { context.loadDialect<DistDialect>(); }

  MeshAttr mesh(llvm::ArrayRef<int64_t> extents, llvm::ArrayRef<int64_t> devices = {}) {
    llvm::SmallVector<MeshAxisAttr> axes;
    for (int64_t extent : extents)
      axes.push_back(MeshAxisAttr::get(&context, "a" + std::to_string(axes.size()), extent));
    return MeshAttr::get(&context, axes, devices);
  }

  mlir::MLIRContext context;
};

/// Every canonical list of at most two axes of a mesh that don't overlap.
std::vector<AxisList> allLists(llvm::ArrayRef<int64_t> extents) {
  std::vector<Axis> axes;
  for (unsigned index = 0; index < extents.size(); ++index)
    for (int64_t pre = 1; pre < extents[index]; ++pre)
      for (int64_t size = 2; pre * size <= extents[index]; ++size)
        if (extents[index] % (pre * size) == 0)
          axes.push_back({index, pre, size});
  std::vector<AxisList> lists = {{}};
  for (size_t i = 0; i < lists.size(); ++i)
    for (Axis axis : axes)
      if (lists[i].size() < 2 && !overlaps(lists[i], axis) &&
          (lists[i].empty() || !lists[i].back().isFollowedBy(axis)))
        lists.push_back(concat(lists[i], axis));
  return lists;
}

TEST_F(DeviceListTest, ShardsAreRowMajorAndReplicasInOneGroup) {
  // Ranks 0 1 | 2 3: columns of the grid cut the tensor, rows hold the same.
  DeviceList list = deviceListOf({AxisList{{1, 1, 2}}}, mesh({2, 2}));
  EXPECT_THAT(list.parts, ElementsAre(2));
  EXPECT_THAT(list.owners, ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3)));
  list = deviceListOf({AxisList{{1, 1, 2}}, AxisList{{0, 1, 2}}}, mesh({2, 2}));
  EXPECT_THAT(list.owners,
              ElementsAre(ElementsAre(0), ElementsAre(2), ElementsAre(1), ElementsAre(3)));
}

TEST_F(DeviceListTest, EveryPairOfListsIsFoundAgain) {
  const std::vector<int64_t> reversed = {11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
  const std::vector<int64_t> mixed = {3, 1, 0, 2, 7, 5, 4, 6, 11, 9, 8, 10};
  for (const std::vector<int64_t> &extents :
       std::vector<std::vector<int64_t>>{{12}, {2, 6}, {6, 2}, {3, 4}, {4, 3}, {2, 3, 2}, {1, 12}})
    for (const std::vector<int64_t> &devices : {std::vector<int64_t>(), reversed, mixed}) {
      std::vector<AxisList> lists = allLists(extents);
      for (const AxisList &first : lists)
        for (const AxisList &second : lists) {
          if (overlaps(first, second))
            continue;
          DeviceList list = deviceListOf({first, second}, mesh(extents, devices));
          auto found = axesOf(list, mesh(extents, devices));
          ASSERT_TRUE(bool(found)) << llvm::toString(found.takeError());
          EXPECT_THAT(*found, ElementsAre(first, second));
        }
    }
}

std::string reason(const DeviceList &list, MeshAttr mesh) {
  auto found = axesOf(list, mesh);
  return found ? "none" : llvm::toString(found.takeError());
}

TEST_F(DeviceListTest, WhatNoAxesSayIsRefused) {
  // A ring is no row of digits, unless the mesh goes around it.
  DeviceList ring{{4}, {{0}, {1}, {3}, {2}}};
  EXPECT_THAT(reason(ring, mesh({2, 2})), HasSubstr("no axes in any order"));
  EXPECT_EQ(reason(ring, mesh({2, 2}, {0, 1, 3, 2})), "none");
  // Halves of six devices cross an axis of extent 3.
  DeviceList pairs{{3}, {{0, 1}, {2, 3}, {4, 5}}};
  EXPECT_THAT(reason(pairs, mesh({2, 3})), HasSubstr("no axes of the mesh, or parts of them"));
  EXPECT_EQ(reason(pairs, mesh({3, 2})), "none");
  EXPECT_THAT(reason({{2}, {{0}, {1}}}, mesh({4})), HasSubstr("is on 2 of 4 devices"));
  EXPECT_THAT(reason({{2}, {{0}, {4}}}, mesh({2})), HasSubstr("device 4 is out of range"));
  EXPECT_THAT(reason({{2}, {{0}, {0}}}, mesh({2})), HasSubstr("named twice"));
  EXPECT_THAT(reason({{2, 2}, {{0}, {}, {}, {1}}}, mesh({2})),
              HasSubstr("two dims are cut along the same devices"));
  EXPECT_THAT(reason({{2}, {{0, 1}, {}}}, mesh({2})), HasSubstr("no axes in any order"));
  EXPECT_THAT(reason({{}, {}}, mesh({2})), HasSubstr("is on 0 of 2 devices"));
}

} // namespace
