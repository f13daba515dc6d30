// The algebra of axis lists, against its meaning on every device of small meshes.
#include "dialects/dist/axis.h"
#include "test/dialects/dist/print_axis.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace sheaf::dist;

namespace {

constexpr int64_t kExtents[] = {12, 4};

/// The digit of a coordinate along the mesh that `axis` is.
int64_t partOf(Axis axis, const int64_t *coordinates) {
  return coordinates[axis.index] / (kExtents[axis.index] / axis.end()) % axis.size;
}

/// Which part of a dim cut by `axes` a device holds.
int64_t indexOf(AxisListRef axes, const int64_t *coordinates) {
  int64_t index = 0;
  for (Axis axis : axes)
    index = index * axis.size + partOf(axis, coordinates);
  return index;
}

/// Every part of every axis, of size 2 or more.
std::vector<Axis> allAxes() {
  std::vector<Axis> axes;
  for (unsigned index = 0; index < 2; ++index)
    for (int64_t pre = 1; pre < kExtents[index]; ++pre)
      for (int64_t size = 2; pre * size <= kExtents[index]; ++size)
        if (kExtents[index] % (pre * size) == 0)
          axes.push_back({index, pre, size});
  return axes;
}

/// Every canonical list of at most three axes that don't overlap.
std::vector<AxisList> allLists() {
  std::vector<AxisList> lists = {{}};
  for (size_t i = 0; i < lists.size(); ++i)
    for (Axis axis : allAxes())
      if (lists[i].size() < 3 && !overlaps(lists[i], axis) &&
          (lists[i].empty() || !lists[i].back().isFollowedBy(axis)))
        lists.push_back(concat(lists[i], axis));
  return lists;
}

template <typename Function> void forEachDevice(Function function) {
  for (int64_t x = 0; x < kExtents[0]; ++x)
    for (int64_t y = 0; y < kExtents[1]; ++y) {
      int64_t coordinates[] = {x, y};
      function(coordinates);
    }
}

TEST(AxisTest, AppendMergesNeighbours) {
  AxisList list;
  append(list, {0, 1, 2});
  append(list, {0, 2, 3});
  append(list, {0, 6, 1});
  append(list, {1, 1, 4});
  EXPECT_THAT(list, testing::ElementsAre(Axis{0, 1, 6}, Axis{1, 1, 4}));
}

TEST(AxisTest, OverlapIsSymmetricAndOfDigits) {
  for (Axis lhs : allAxes())
    for (Axis rhs : allAxes()) {
      EXPECT_EQ(lhs.overlaps(rhs), rhs.overlaps(lhs));
      if (lhs.contains(rhs))
        EXPECT_TRUE(lhs.overlaps(rhs));
      if (lhs.isFollowedBy(rhs))
        EXPECT_FALSE(lhs.overlaps(rhs));
    }
}

TEST(AxisTest, SplitsKeepEachDevicesPart) {
  for (const AxisList &list : allLists())
    for (int64_t size = 1; size <= sizeOf(list); ++size) {
      auto parts = splitAt(list, size);
      if (!parts)
        continue;
      EXPECT_EQ(sizeOf(parts->first), size);
      EXPECT_EQ(concat(parts->first, parts->second), list);
      forEachDevice([&](const int64_t *device) {
        EXPECT_EQ(indexOf(list, device), indexOf(parts->first, device) * sizeOf(parts->second) +
                                             indexOf(parts->second, device));
      });
    }
}

TEST(AxisTest, CommonPrefixIsAPrefixOfBothAndTheLongest) {
  std::vector<AxisList> lists = allLists();
  for (size_t i = 0; i < lists.size(); i += 3)
    for (size_t j = 0; j < lists.size(); j += 7) {
      AxisList prefix = commonPrefix(lists[i], lists[j]);
      auto left = dropPrefix(lists[i], prefix), right = dropPrefix(lists[j], prefix);
      ASSERT_TRUE(left && right);
      EXPECT_TRUE(commonPrefix(*left, *right).empty());
      EXPECT_EQ(concat(prefix, *left), lists[i]);
    }
}

TEST(AxisTest, DifferenceAndOthersCoverTheList) {
  std::vector<AxisList> lists = allLists();
  for (size_t i = 0; i < lists.size(); i += 3)
    for (size_t j = 0; j < lists.size(); j += 7) {
      AxisList rest = difference(lists[i], lists[j]);
      EXPECT_FALSE(overlaps(rest, lists[j]));
      SCOPED_TRACE(testing::PrintToString(lists[i]) + " without " +
                   testing::PrintToString(lists[j]));
      AxisList prefix = prefixWithout(lists[i], lists[j]);
      EXPECT_FALSE(overlaps(prefix, lists[j]));
      EXPECT_TRUE(startsWith(lists[i], prefix));
      EXPECT_TRUE(startsWith(rest, prefix));
      if (!overlaps(lists[i], lists[j]))
        EXPECT_EQ(rest, lists[i]);
    }
}

TEST(AxisTest, PrefixDividesAnExtent) {
  EXPECT_THAT(prefixDividing(AxisList{{0, 1, 12}}, 8), testing::ElementsAre(Axis{0, 1, 4}));
  EXPECT_THAT(prefixDividing(AxisList{{1, 1, 4}, {0, 1, 12}}, 12),
              testing::ElementsAre(Axis{1, 1, 4}, Axis{0, 1, 3}));
  EXPECT_THAT(prefixDividing(AxisList{{1, 1, 4}}, 7), testing::IsEmpty());
}

} // namespace
