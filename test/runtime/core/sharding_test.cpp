// Boxes: together the ranks hold every element of a value, each once per replica.
#include "runtime/core/sharding.h"
#include "test/runtime/executable_builder.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

namespace sheaf::rt {
namespace {

Mesh meshOf(const std::vector<int64_t> &extents) {
  test::TestExecutable file;
  for (size_t axis = 0; axis < extents.size(); ++axis)
    file.mesh.push_back({std::string(1, static_cast<char>('a' + axis)), extents[axis]});
  test::AlignedBytes bytes = file.build();
  return std::move(*Mesh::read(*abi::GetExecutable(bytes.bytes().data())));
}

TEST(ShardBox, IsTheWholeValueWithoutCuts) {
  Sharding sharding{{4, 0}};
  ShardBox box = shardBox(sharding, meshOf({2}), std::vector<int64_t>{1});
  EXPECT_EQ(box, (ShardBox{{0, 4, 4}, {0, 0, 0}}));
  EXPECT_FALSE(hasPadding(box));
  EXPECT_TRUE(shardBox({{}}, meshOf({}), {}).empty());
}

TEST(ShardBox, LeavesLastPartsShortOrEmpty) {
  Sharding sharding{{5}, {{{0, 1, 4}}}};
  Mesh mesh = meshOf({4});
  std::vector<abi::Shard> expected = {{0, 2, 2}, {2, 2, 2}, {4, 1, 2}, {5, 0, 2}};
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_EQ(shardBox(sharding, mesh, std::vector{i}), ShardBox{expected[static_cast<size_t>(i)]});
}

TEST(ShardBox, CutsBlocksOfTheFirstAxisAgain) {
  // 10 by a=2 is 5, by b=3 is 2: b's last part of each is short.
  Sharding sharding{{10}, {{{0, 1, 2}, {1, 1, 3}}}};
  Mesh mesh = meshOf({2, 3});
  EXPECT_EQ(shardBox(sharding, mesh, std::vector<int64_t>{1, 0}), (ShardBox{{5, 2, 2}}));
  EXPECT_EQ(shardBox(sharding, mesh, std::vector<int64_t>{0, 2}), (ShardBox{{4, 1, 2}}));
  EXPECT_TRUE(hasPadding(shardBox(sharding, mesh, std::vector<int64_t>{0, 2})));
  EXPECT_EQ(blockDims(shardBox(sharding, mesh, std::vector<int64_t>{0, 2})),
            std::vector<int64_t>{2});
}

TEST(ShardBox, TakesDigitsOfAnAxis) {
  // Places 0 to 7 of a=8, digits of 4, 2, 1: the middle one cuts.
  Sharding sharding{{2}, {{{0, 2, 2}}}};
  for (int64_t place = 0; place < 8; ++place)
    EXPECT_EQ(shardBox(sharding, meshOf({8}), std::vector{place})[0].begin, place / 2 % 2);
}

/// Cuts of `rank` dims by parts of mesh axes of extents `axes` that do not overlap, by chance.
std::vector<std::vector<AxisPart>> randomCuts(std::span<const int64_t> axes, size_t rank,
                                              std::mt19937 &random) {
  std::vector<std::vector<AxisPart>> cuts(rank);
  for (size_t axis = 0; axis < axes.size(); ++axis)
    for (int64_t preSize = 1, rest = axes[axis]; rest > 1;) {
      int64_t size = 2; // A divisor of what is left.
      while (rest % size != 0 || (size < rest && random() % 2))
        ++size;
      if (random() % 4) {
        std::vector<AxisPart> &dim = cuts[random() % rank];
        dim.insert(dim.begin() + static_cast<ptrdiff_t>(random() % (dim.size() + 1)),
                   {static_cast<int64_t>(axis), preSize, size});
      }
      preSize *= size;
      rest /= size;
    }
  return cuts;
}

TEST(ShardBox, TilesTheValueOncePerReplica) {
  std::mt19937 random(7);
  constexpr int64_t extents[] = {1, 2, 3, 4, 6, 8, 12};
  for (int round = 0; round < 2000; ++round) {
    std::vector<int64_t> axes(1 + random() % 3);
    for (int64_t &axis : axes)
      axis = extents[random() % std::size(extents)];
    Mesh mesh = meshOf(axes);
    Sharding sharding{std::vector<int64_t>(1 + random() % 3)};
    for (int64_t &dim : sharding.globalDims)
      dim = static_cast<int64_t>(random() % 14);
    sharding.cuts = randomCuts(axes, sharding.globalDims.size(), random);
    int64_t numParts = 1;
    for (const std::vector<AxisPart> &dim : sharding.cuts)
      for (const AxisPart &part : dim)
        numParts *= part.size;

    std::map<std::vector<int64_t>, int64_t> holders; // of each element
    int64_t numFirst = 0;
    for (int rank = 0; rank < mesh.numRanks(); ++rank) {
      ShardBox box = shardBox(sharding, mesh, mesh.coordinatesOf(rank));
      numFirst += isFirstHolder(sharding, mesh, mesh.coordinatesOf(rank));
      std::vector<int64_t> at;
      for (const abi::Shard &shard : box) {
        ASSERT_LE(0, shard.extent);
        ASSERT_LE(shard.extent, shard.block);
        at.push_back(shard.begin);
      }
      size_t dim = 0;
      for (const abi::Shard &shard : box)
        if (shard.extent == 0)
          dim = box.size(); // Holds nothing.
      while (dim < box.size()) {
        ++holders[at];
        for (dim = 0; dim < box.size(); ++dim) {
          if (++at[dim] < box[dim].begin + box[dim].extent)
            break;
          at[dim] = box[dim].begin;
        }
      }
    }
    ASSERT_EQ(numFirst, numParts) << sharding.str(mesh);
    int64_t count = 1;
    for (int64_t dim : sharding.globalDims)
      count *= dim;
    ASSERT_EQ(static_cast<int64_t>(holders.size()), count) << sharding.str(mesh);
    for (const auto &[element, number] : holders)
      ASSERT_EQ(number, mesh.numRanks() / numParts) << sharding.str(mesh);
  }
}

} // namespace
} // namespace sheaf::rt
