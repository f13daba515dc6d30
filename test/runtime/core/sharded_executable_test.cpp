// The reader of executables: meshes and cuts of values, and what it refuses of them.
#include "test/runtime/executable_builder.h"

#include <gtest/gtest.h>
#include <random>

namespace sheaf::rt::test {
namespace {

/// Mesh data=2, tensor=4; input x [6, 8] by data and half of tensor on dim 1 = [3, 4]; weight [5, 3] uneven by data.
TestExecutable valid() {
  TestExecutable file;
  file.mesh = {{"data", 2}, {"tensor", 4}};
  file.devices = {0, 1, 2, 3, 7, 6, 5, 4};
  file.constants = {std::vector<uint8_t>(60, 7)};
  file.variables = {{"weight", ElementType::f32, {3, 3}, 0}};
  file.variables[0].globalDims = {5, 3};
  file.variables[0].cuts = {{{0, 1, 2}}, {}};
  TestProgram program;
  program.inputs = {
      {"x", ElementType::f32, {3, 4}, UINT32_MAX, {6, 8}, {{{0, 1, 2}}, {{1, 2, 2}}}}};
  program.outputs = {
      {"y", ElementType::f32, {3, 4}, UINT32_MAX, {6, 8}, {{{0, 1, 2}}, {{1, 2, 2}}}}};
  program.buffers = {{ElementType::f32, {3, 4}, abi::Storage::input, 0},
                     {ElementType::f32, {3, 4}, abi::Storage::output, 0}};
  program.instructions = {{"copy", {0}, {1}}};
  file.programs = {program};
  return file;
}

/// The error after `change` has been made to the valid file; empty when there is none.
template <typename Change> std::string errorAfter(const Change &change) {
  TestExecutable file = valid();
  change(file);
  AlignedBytes bytes = file.build();
  Result<Executable> executable = Executable::fromBytes(bytes.bytes(), ".");
  return executable.isOk() ? "" : std::string(executable.takeStatus().text());
}

void expectError(const std::string &error, const std::string &part) {
  EXPECT_NE(error.find(part), std::string::npos) << "got: " << error << "\nwanted: " << part;
}

TEST(ShardedExecutable, ReadsMeshAndCuts) {
  AlignedBytes bytes = valid().build();
  Result<Executable> executable = Executable::fromBytes(bytes.bytes(), ".");
  ASSERT_TRUE(executable.isOk()) << executable.takeStatus().text();
  const Mesh &mesh = executable->mesh();
  EXPECT_EQ(mesh.numRanks(), 8);
  EXPECT_EQ(mesh.text(), "data=2, tensor=4");
  EXPECT_EQ(mesh.coordinatesOf(3), (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(mesh.coordinatesOf(7), (std::vector<int64_t>{1, 0}));
  const SignatureInfo &x = executable->programs()[0].inputs[0];
  EXPECT_EQ(x.sharding.globalDims, (std::vector<int64_t>{6, 8}));
  EXPECT_EQ(x.sharding.str(mesh), "[6{data}, 8{tensor:(2)2}]");
  EXPECT_EQ(x.bytes, 48);
  EXPECT_EQ(executable->variables()[0].globalShape().dims, (std::vector<int64_t>{5, 3}));
}

TEST(ShardedExecutable, TakesPartsOfSizeOneAsNoCut) {
  AlignedBytes bytes = [] {
    TestExecutable file = valid();
    file.programs[0].inputs[0] = {"x",        ElementType::f32, {3, 4},
                                  UINT32_MAX, {3, 4},           {{{0, 2, 1}}, {{0, 2, 1}}}};
    return file.build();
  }();
  Result<Executable> executable = Executable::fromBytes(bytes.bytes(), ".");
  ASSERT_TRUE(executable.isOk()) << executable.takeStatus().text();
  EXPECT_FALSE(executable->programs()[0].inputs[0].sharding.isCut());
}

TEST(ShardedExecutable, RefusesMeshesThatAreNone) {
  expectError(errorAfter([](auto &f) { f.mesh[1].name = "data"; }), "two mesh axes \"data\"");
  expectError(errorAfter([](auto &f) { f.mesh[1].name = ""; }), "mesh axis 1 has no name");
  expectError(errorAfter([](auto &f) { f.mesh[1].name = "\xff"; }), "mesh axis 1 has no name");
  expectError(errorAfter([](auto &f) { f.mesh[1].size = 0; }), "\"tensor\" has size 0");
  expectError(errorAfter([](auto &f) { f.mesh[1].size = -4; }), "\"tensor\" has size -4");
  expectError(errorAfter([](auto &f) { f.mesh[1].size = 1 << 20; }), "more than 1048576 ranks");
  expectError(errorAfter([](auto &f) { f.mesh[1].size = INT64_MAX; }), "more than 1048576 ranks");
}

TEST(ShardedExecutable, RefusesDevicesThatAreNoOrderOfTheRanks) {
  EXPECT_EQ(errorAfter([](auto &f) { f.devices = {}; }), "");
  expectError(errorAfter([](auto &f) { f.devices.pop_back(); }), "8 places but 7 devices");
  expectError(errorAfter([](auto &f) { f.devices[7] = 0; }), "each once: 0");
  expectError(errorAfter([](auto &f) { f.devices[7] = 8; }), "each once: 8");
}

TEST(ShardedExecutable, RefusesCutsAlongWhatTheMeshLacks) {
  auto cutBy = [](TestCuts cuts) {
    return errorAfter([&](TestExecutable &f) { f.programs[0].inputs[0].cuts = cuts; });
  };
  expectError(cutBy({{{2, 1, 2}}, {}}), "input \"x\": the cuts of dim 0: there is no mesh axis 2");
  expectError(cutBy({{{1, 1, 3}}, {}}), "\"tensor\" of size 4 has no part (1)3");
  expectError(cutBy({{{1, 2, 4}}, {}}), "has no part (2)4");
  expectError(cutBy({{{1, 0, 2}}, {}}), "has no part (0)2");
  expectError(cutBy({{{1, 2, -2}}, {}}), "has no part (2)-2");
  expectError(cutBy({{{1, INT64_MAX, INT64_MAX}}, {}}), "has no part");
  expectError(errorAfter([](auto &f) {
                f.mesh.clear();
                f.devices.clear();
              }),
              "variable \"weight\": the cuts of dim 0: there is no mesh axis 0");
}

TEST(ShardedExecutable, RefusesPartsThatOverlap) {
  auto cutBy = [](TestCuts cuts) {
    return errorAfter([&](TestExecutable &f) { f.programs[0].inputs[0].cuts = cuts; });
  };
  expectError(cutBy({{{0, 1, 2}, {0, 1, 2}}, {}}),
              "its cuts: parts data and data of a mesh axis overlap");
  expectError(cutBy({{{0, 1, 2}}, {{0, 1, 2}}}),
              "its cuts: parts data and data of a mesh axis overlap");
  expectError(cutBy({{{1, 2, 2}}, {{1, 1, 4}}}),
              "parts tensor:(2)2 and tensor of a mesh axis overlap");
  // Digits of no common number: 12 = 2 * 6 = 3 * 4.
  expectError(errorAfter([](TestExecutable &f) {
                f.mesh = {{"data", 2}, {"tensor", 12}};
                f.devices = {};
                f.programs[0].inputs[0].cuts = {{{1, 1, 2}}, {{1, 3, 2}}};
              }),
              "parts tensor:(1)2 and tensor:(3)2 of a mesh axis overlap");
}

TEST(ShardedExecutable, RefusesTypesThatAreNotTheBlocksOfARank) {
  auto change = [](auto set) {
    return errorAfter([&](TestExecutable &f) { set(f.programs[0].inputs[0]); });
  };
  expectError(change([](TestSignature &s) { s.globalDims = {7, 8}; }),
              "its type is f32[3, 4] but one rank holds [4, 4] of [7{data}, 8{tensor:(2)2}]");
  expectError(change([](TestSignature &s) { s.globalDims = {6}; }), "2 dims but 1 global dims");
  expectError(change([](TestSignature &s) { s.globalDims = {-6, 8}; }), "global dims: ");
  expectError(change([](TestSignature &s) { s.globalDims = {INT64_MAX, INT64_MAX}; }), "too large");
  expectError(change([](TestSignature &s) { s.cuts.pop_back(); }), "2 dims but 1 cuts");
  expectError(errorAfter([](TestExecutable &f) { f.constants[0].resize(36); }),
              "its type f32[5, 3] has 60 bytes but its constant 36");
}

TEST(ShardedExecutable, TakesDefaultsThatAreCutAsTheirInput) {
  auto withDefault = [](TestCuts cuts) {
    return errorAfter([&](TestExecutable &f) {
      f.constants[0].resize(6 * 8 * 4);
      f.variables = {{"x0", ElementType::f32, {3, 4}, 0}};
      f.variables[0].globalDims = {6, 8};
      f.variables[0].cuts = cuts;
      f.programs[0].inputs[0].defaultVariable = 0;
    });
  };
  EXPECT_EQ(withDefault({{{0, 1, 2}}, {{1, 2, 2}}}), "");
  expectError(withDefault({{{0, 1, 2}}, {{1, 1, 2}}}),
              "of type f32[6{data}, 8{tensor:(2)2}] can't be variable \"x0\" of type "
              "f32[6{data}, 8{tensor:(1)2}]");
}

TEST(ShardedExecutable, SurvivesDamageToAnyByte) {
  AlignedBytes original = valid().build();
  std::mt19937 random(5);
  int numAccepted = 0;
  for (size_t at = 0; at < original.bytes().size(); ++at) {
    for (int value : {0, 0xff, 0x7f, 1, static_cast<int>(random() & 0xff)}) {
      AlignedBytes damaged(original.bytes());
      damaged.bytes()[at] = static_cast<std::byte>(value);
      const auto *data = reinterpret_cast<const uint8_t *>(damaged.bytes().data());
      flatbuffers::Verifier verifier(data, damaged.bytes().size());
      if (!abi::VerifyExecutableBuffer(verifier))
        continue;
      const auto *hash = abi::GetExecutable(data)->content_hash();
      if (hash && hash->size() == 32)
        storeHash(damaged.bytes());
      Result<Executable> executable = Executable::fromBytes(damaged.bytes(), ".");
      if (!executable.isOk())
        continue;
      ++numAccepted;
      // What was accepted can be used.
      const Mesh &mesh = executable->mesh();
      for (const VariableInfo &variable : executable->variables())
        EXPECT_EQ(blockDims(shardBox(variable.sharding, mesh, mesh.coordinatesOf(0))),
                  variable.shape.dims);
    }
  }
  EXPECT_GT(numAccepted, 0);
}

} // namespace
} // namespace sheaf::rt::test
