// Meshes: what is refused of them, and the groups of ranks that axes and parts of axes make.
#include "runtime/core/place.h"
#include "test/runtime/executable_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sheaf::rt::test {
namespace {

using ::testing::ElementsAre, ::testing::HasSubstr, ::testing::IsEmpty;

std::string errorOf(std::vector<TestAxis> axes, std::vector<uint32_t> devices = {}) {
  TestExecutable file;
  file.mesh = std::move(axes);
  file.devices = std::move(devices);
  AlignedBytes bytes = file.build();
  Result<Executable> executable = Executable::fromBytes(bytes.bytes(), ".");
  return executable.isOk() ? "" : std::string(executable.takeStatus().text());
}

Mesh meshOf(std::vector<TestAxis> axes, std::vector<uint32_t> devices = {}) {
  TestExecutable file;
  file.mesh = std::move(axes);
  file.devices = std::move(devices);
  AlignedBytes bytes = file.build();
  Result<Mesh> mesh = Mesh::read(*abi::GetExecutable(bytes.bytes().data()));
  EXPECT_TRUE(mesh.isOk()) << mesh.takeStatus().text();
  return std::move(*mesh);
}

using Parts = std::vector<AxisPart>;

TEST(Mesh, IsRefusedWhenItsAxesAreBad) {
  EXPECT_THAT(errorOf({{"x", 2}, {"y", 3}}), IsEmpty());
  EXPECT_THAT(errorOf({{"x", 0}}), HasSubstr("mesh axis \"x\" has size 0"));
  EXPECT_THAT(errorOf({{"x", 2}, {"x", 3}}), HasSubstr("two mesh axes \"x\""));
  EXPECT_THAT(errorOf({{"x", int64_t(1) << 40}, {"y", int64_t(1) << 40}}), HasSubstr("ranks"));
}

TEST(Mesh, IsRefusedWhenItsDevicesAreNoPermutation) {
  EXPECT_THAT(errorOf({{"x", 4}}, {3, 1, 0, 2}), IsEmpty());
  EXPECT_THAT(errorOf({{"x", 4}}, {3, 1, 0}), HasSubstr("4 places but 3 devices"));
  EXPECT_THAT(errorOf({{"x", 4}}, {3, 1, 0, 4}), HasSubstr("each once: 4"));
  EXPECT_THAT(errorOf({{"x", 4}}, {3, 1, 0, 1}), HasSubstr("each once: 1"));
}

TEST(Mesh, GroupsRanksByWholeAxes) {
  Mesh mesh = meshOf({{"x", 2}, {"y", 3}});
  EXPECT_EQ(mesh.numRanks(), 6);
  EXPECT_THAT(mesh.groupOf(4, Parts{{0, 1, 2}}), ElementsAre(1, 4));
  EXPECT_THAT(mesh.groupOf(4, Parts{{1, 1, 3}}), ElementsAre(3, 4, 5));
  EXPECT_THAT(mesh.groupOf(4, Parts{{1, 1, 3}, {0, 1, 2}}), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(mesh.groupOf(4, Parts{}), ElementsAre(4));
}

TEST(Mesh, GroupsRanksByDigitsOfAnAxis) {
  Mesh mesh = meshOf({{"x", 12}});
  EXPECT_THAT(mesh.groupOf(7, Parts{{0, 1, 2}}), ElementsAre(1, 7));
  EXPECT_THAT(mesh.groupOf(7, Parts{{0, 2, 3}}), ElementsAre(7, 9, 11));
  EXPECT_THAT(mesh.groupOf(7, Parts{{0, 6, 2}}), ElementsAre(6, 7));
  EXPECT_EQ(mesh.text(Parts{{0, 2, 3}}), "x:(2)3");
  EXPECT_EQ(mesh.text(Parts{{0, 1, 12}}), "x");
}

TEST(Mesh, KnowsTheOrderOfDevices) {
  Mesh mesh = meshOf({{"x", 2}, {"y", 2}}, {3, 1, 0, 2});
  EXPECT_THAT(mesh.groupOf(3, Parts{{1, 1, 2}}), ElementsAre(3, 1));
  EXPECT_THAT(mesh.groupOf(2, Parts{{0, 1, 2}}), ElementsAre(1, 2));
}

// The members of a group agree on it and each finds itself at its index: for every list of two parts.
TEST(Mesh, GivesAllMembersTheSameGroup) {
  for (auto devices : {std::vector<uint32_t>{}, {5, 3, 1, 11, 9, 7, 0, 2, 4, 6, 8, 10}}) {
    Mesh mesh = meshOf({{"x", 4}, {"y", 3}}, devices);
    Parts all = {{0, 1, 4}, {0, 1, 2}, {0, 2, 2}, {1, 1, 3}, {0, 4, 1}};
    int numLists = 0;
    for (const AxisPart &first : all)
      for (const AxisPart &second : all) {
        Parts parts = {first, second};
        if (!mesh.check(parts).isOk())
          continue;
        ++numLists;
        for (int rank = 0; rank < mesh.numRanks(); ++rank) {
          std::vector<int> members = mesh.groupOf(rank, parts);
          ASSERT_EQ(static_cast<int64_t>(members.size()), mesh.groupSize(parts));
          EXPECT_EQ(members[static_cast<size_t>(mesh.groupIndex(rank, parts))], rank);
          for (int member : members)
            EXPECT_EQ(mesh.groupOf(member, parts), members);
        }
      }
    EXPECT_EQ(numLists, 17);
  }
}

TEST(Mesh, RefusesPartsThatItDoesNotHave) {
  Mesh mesh = meshOf({{"x", 12}, {"y", 2}});
  auto error = [&](Parts parts) { return std::string(mesh.check(parts).text()); };
  EXPECT_EQ(error({{0, 1, 12}, {1, 1, 2}}), "");
  EXPECT_EQ(error({{0, 6, 2}, {0, 1, 3}}), "");
  EXPECT_THAT(error({{2, 1, 2}}), HasSubstr("no mesh axis 2"));
  EXPECT_THAT(error({{-1, 1, 2}}), HasSubstr("no mesh axis -1"));
  EXPECT_THAT(error({{0, 1, 5}}), HasSubstr("mesh axis \"x\" of size 12 has no part (1)5"));
  EXPECT_THAT(error({{0, 6, 4}}), HasSubstr("has no part (6)4"));
  EXPECT_THAT(error({{0, 0, 2}}), HasSubstr("has no part (0)2"));
  EXPECT_THAT(error({{0, -1, -2}}), HasSubstr("has no part"));
  EXPECT_THAT(error({{1, 1, 2}, {1, 1, 2}}), HasSubstr("parts y and y of a mesh axis overlap"));
  EXPECT_THAT(error({{0, 1, 4}, {0, 2, 3}}), HasSubstr("overlap"));
  // 12 = 2 * 6 has a digit of 2 that is not above the digits of 3 * 2 * 2.
  EXPECT_THAT(error({{0, 1, 2}, {0, 3, 2}}), HasSubstr("overlap"));
}

TEST(Place, NeedsAsManyRanksAsTheMesh) {
  Result<std::unique_ptr<Place>> place = Place::create(meshOf({{"x", 2}, {"y", 4}}), nullptr);
  ASSERT_FALSE(place.isOk());
  EXPECT_EQ(place.takeStatus().text(),
            "the executable is for 8 ranks (x=2, y=4) but 1 runs; start 8");
  EXPECT_TRUE(Place::create(meshOf({{"x", 1}}), nullptr).isOk());
}

} // namespace
} // namespace sheaf::rt::test
