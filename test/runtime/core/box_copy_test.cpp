// Copies of boxes: element by element the same as a slice, padding and neighbours untouched.
#include "runtime/core/box_copy.h"

#include <gtest/gtest.h>
#include <random>

namespace sheaf::rt {
namespace {

int64_t product(std::span<const int64_t> dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

/// Row-major, of the element at `index`.
int64_t positionOf(std::span<const int64_t> index, std::span<const int64_t> dims) {
  int64_t position = 0;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    position = position * dims[dim] + index[dim];
  return position;
}

TEST(BoxCopy, KnowsRunsOfTheWholeValue) {
  EXPECT_TRUE(BoxCopy(std::vector<int64_t>{4, 6}, {{2, 2, 2}, {0, 6, 6}}, 4).isContiguous());
  EXPECT_EQ(BoxCopy(std::vector<int64_t>{4, 6}, {{2, 2, 2}, {0, 6, 6}}, 4).globalOffset(), 48);
  EXPECT_TRUE(BoxCopy(std::vector<int64_t>{1, 6}, {{0, 1, 1}, {3, 3, 3}}, 4).isContiguous());
  EXPECT_TRUE(BoxCopy(std::vector<int64_t>{}, {}, 4).isContiguous());
  EXPECT_FALSE(BoxCopy(std::vector<int64_t>{4, 6}, {{0, 4, 4}, {0, 3, 3}}, 4).isContiguous());
  EXPECT_FALSE(BoxCopy(std::vector<int64_t>{3, 6}, {{2, 1, 2}, {0, 6, 6}}, 4).isContiguous());
  EXPECT_EQ(BoxCopy(std::vector<int64_t>{3, 6}, {{2, 1, 2}, {0, 6, 6}}, 4).localBytes(), 48);
}

TEST(BoxCopy, MovesWhatASliceHolds) {
  std::mt19937 random(11);
  auto upTo = [&](int64_t limit) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(limit + 1));
  };
  for (int round = 0; round < 2000; ++round) {
    std::vector<int64_t> dims, blocks;
    ShardBox box;
    for (int64_t rank = upTo(4), dim = 0; dim < rank; ++dim) {
      int64_t extent = upTo(5), begin = upTo(extent), own = upTo(extent - begin);
      if (upTo(1))
        begin = 0, own = extent;
      dims.push_back(extent);
      box.push_back({begin, own, own + (upTo(3) ? 0 : upTo(2))});
      blocks.push_back(box.back().block);
    }
    int64_t elementBytes = 1 + upTo(3);
    std::vector<std::byte> global(static_cast<size_t>(product(dims) * elementBytes)),
        local(static_cast<size_t>(product(blocks) * elementBytes), std::byte{0xee});
    for (std::byte &byte : global)
      byte = static_cast<std::byte>(random() % 200);
    BoxCopy copy(dims, box, elementBytes);
    ASSERT_EQ(copy.localBytes(), static_cast<int64_t>(local.size()));
    std::vector<std::byte> expectedLocal = local;
    std::vector<std::byte> expectedGlobal(global.size(), std::byte{0xdd}), written = expectedGlobal;
    std::vector<int64_t> index(box.size(), 0);
    for (int64_t at = 0; at < product(blocks); ++at) {
      int64_t rest = at;
      bool isInside = true;
      std::vector<int64_t> whole(box.size());
      for (size_t dim = box.size(); dim-- > 0; rest /= blocks[dim]) {
        index[dim] = rest % blocks[dim];
        isInside &= index[dim] < box[dim].extent;
        whole[dim] = index[dim] + box[dim].begin;
      }
      if (!isInside)
        continue;
      for (int64_t byte = 0; byte < elementBytes; ++byte) {
        auto from = static_cast<size_t>(positionOf(whole, dims) * elementBytes + byte);
        expectedLocal[static_cast<size_t>(at * elementBytes + byte)] = global[from];
        expectedGlobal[from] = global[from];
      }
    }
    copy.toLocal(global.data(), local.data());
    ASSERT_EQ(local, expectedLocal) << "round " << round;
    copy.toGlobal(local.data(), written.data());
    ASSERT_EQ(written, expectedGlobal) << "round " << round;
    if (copy.isContiguous() && !local.empty())
      ASSERT_TRUE(std::equal(local.begin(), local.end(), global.begin() + copy.globalOffset()));
  }
}

} // namespace
} // namespace sheaf::rt
