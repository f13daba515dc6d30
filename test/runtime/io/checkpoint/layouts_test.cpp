// A checkpoint that was saved in one layout is read in any other, to the bit.
#include "test/runtime/io/checkpoint/saved_program.h"

namespace sheaf::rt::io {
namespace {

using abi::ElementType;
using test::TestAxis, test::TestAxisPart, test::TestCuts, test::TestVariable;

/// The element types in turn.
ElementType typeOf(size_t index) {
  const auto &types = abi::EnumValuesElementType();
  return types[index % std::size(types)];
}

/// Values of these extents are saved: scalars, values of no element, fewer elements than ranks, primes.
const std::vector<std::vector<int64_t>> shapes = {{},     {0, 3}, {1},       {3},      {7, 5},
                                                  {8, 4}, {2, 1}, {4, 3, 6}, {11, 13}, {5, 0}};

/// The parts that an axis is taken in: whole, or as two halves of its digits.
std::vector<TestAxisPart> partsOf(uint32_t axis, int64_t size, std::mt19937 &random) {
  if (size == 4 && random() % 2)
    return {{axis, 1, 2}, {axis, 2, 2}};
  return {{axis, 1, size}};
}

/// A mesh, and for each shape a sharding over it.
SavedProgram randomProgram(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<TestAxis> mesh;
  for (size_t axis = 0; axis < random() % 4; ++axis)
    mesh.push_back({std::string(1, static_cast<char>('a' + axis)), 1 + int64_t(random() % 4)});
  std::vector<TestVariable> variables;
  for (size_t i = 0; i < shapes.size(); ++i) {
    TestCuts cuts(shapes[i].size());
    for (uint32_t axis = 0; axis < mesh.size(); ++axis)
      for (const TestAxisPart &part : partsOf(axis, mesh[axis].size, random))
        if (size_t dim = random() % 4; dim < cuts.size()) // Else the part replicates.
          cuts[dim].push_back(part);
    variables.push_back(savedVariable("value " + std::to_string(i), typeOf(i + seed / 7), shapes[i],
                                      shapes[i].empty() ? TestCuts() : cuts));
  }
  return SavedProgram(mesh, variables);
}

TEST(Layouts, OfAnyMeshReadThoseOfAnyOther) {
  for (unsigned seed = 0; seed < 36; ++seed) {
    SavedProgram from = randomProgram(seed / 7 * 7 + seed % 6),
                 to = randomProgram(seed / 7 * 7 + 6);
    Values values = randomValues(from.executable(), seed);
    std::filesystem::path series = newFolder("layouts");
    ASSERT_TRUE(saveAll(from.executable(), values, {series, 7, seed}).isOk());
    Result<Checkpoint> checkpoint = Checkpoint::open(series / "step-000007");
    ASSERT_TRUE(checkpoint.isOk()) << checkpoint.takeStatus().text();
    EXPECT_TRUE(checkpoint->verify().isOk());
    expectReads(*checkpoint, from.executable(), values);
    expectReads(*checkpoint, to.executable(), values);
  }
}

/// Two axes; the matrix is cut in one of the ways that training does.
SavedProgram layout(const std::vector<TestAxis> &mesh, const TestCuts &cuts) {
  return SavedProgram(
      mesh, {savedVariable("w", ElementType::bf16, {7, 10}, cuts),
             savedVariable("m", ElementType::f32, {7, 10}, cuts, abi::VariableRole::state)});
}

TEST(Layouts, AreSixBySix) {
  std::vector<SavedProgram> layouts;
  layouts.push_back(layout({}, {}));
  layouts.push_back(layout({{"data", 4}}, {}));                // ddp
  layouts.push_back(layout({{"data", 4}}, {{{0, 1, 4}}, {}})); // zero3
  layouts.push_back(layout({{"data", 2}, {"tensor", 3}}, {{{0, 1, 2}}, {{1, 1, 3}}}));
  layouts.push_back(layout({{"data", 8}, {"tensor", 2}}, {{}, {{1, 1, 2}, {0, 1, 8}}}));
  layouts.push_back(layout({{"replica", 2}, {"shard", 4}}, {{{1, 2, 2}}, {{1, 1, 2}}}));
  for (const SavedProgram &from : layouts) {
    Values values = randomValues(from.executable(), 1);
    std::filesystem::path series = newFolder("six");
    ASSERT_TRUE(saveAll(from.executable(), values, {series, 0, 1}).isOk());
    Result<Checkpoint> checkpoint = Checkpoint::open(series / "step-000000");
    ASSERT_TRUE(checkpoint.isOk()) << checkpoint.takeStatus().text();
    for (const SavedProgram &to : layouts)
      expectReads(*checkpoint, to.executable(), values);
  }
}

TEST(Layouts, WriteReplicatedBlocksOnce) {
  SavedProgram program = layout({{"data", 4}}, {});
  Values values = randomValues(program.executable(), 1);
  std::filesystem::path series = newFolder("once");
  ASSERT_TRUE(saveAll(program.executable(), values, {series, 0, 1}).isOk());
  Result<Checkpoint> checkpoint = Checkpoint::open(series / "step-000000");
  ASSERT_TRUE(checkpoint.isOk());
  EXPECT_EQ(checkpoint->find("w")->blocks.size(), 1u);
  EXPECT_EQ(checkpoint->index().files.size(), 4u);
  EXPECT_LT(checkpoint->index().files.at("rank-00001.safetensors").bytes, 100);
}

/// A rank that needs one row of a block reads the pieces of that row only: damage elsewhere does not concern it.
TEST(Layouts, ReadOnlyThePiecesThatTheyNeed) {
  SavedProgram program({}, {savedVariable("w", ElementType::ui8, {4, 64})});
  Values values = randomValues(program.executable(), 1);
  std::filesystem::path series = newFolder("pieces");
  ASSERT_TRUE(saveAll(program.executable(), values, {series, 0, 1}, /*pieceBytes=*/64).isOk());
  std::filesystem::path file = series / "step-000000" / rankFileName(0);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  std::FILE *append = std::fopen(file.c_str(), "ab"); // The last byte is of the last row.
  std::fputc(static_cast<int>(values["w"].back()) ^ 1, append);
  std::fclose(append);
  Result<Checkpoint> checkpoint = Checkpoint::open(series / "step-000000");
  ASSERT_TRUE(checkpoint.isOk());
  std::vector<std::byte> row(64);
  EXPECT_TRUE(
      checkpoint->read(*checkpoint->find("w"), {{2, 1, 1}, {0, 64, 64}}, row.data()).isOk());
  EXPECT_TRUE(std::equal(row.begin(), row.end(), values["w"].begin() + 128));
  Status damaged = checkpoint->read(*checkpoint->find("w"), {{3, 1, 1}, {0, 1, 1}}, row.data());
  EXPECT_NE(damaged.text().find("is damaged: bytes 192 to 256 of tensor \"w\""), std::string::npos)
      << damaged.text();
}

} // namespace
} // namespace sheaf::rt::io
