// The reader of executables: what it refuses, and that no damaged file harms it.
#include "runtime/core/utf8.h"
#include "test/runtime/executable_builder.h"

#include <gtest/gtest.h>
#include <random>

namespace sheaf::rt::test {
namespace {

constexpr abi::Storage arena = abi::Storage::arena, input = abi::Storage::input,
                       output = abi::Storage::output, variable = abi::Storage::variable;

/// copy input [4] -> arena -> output, with a constant and two streams.
TestExecutable valid() {
  TestExecutable file;
  file.constants = {std::vector<uint8_t>(16, 7)};
  file.variables = {{"weight", ElementType::f32, {4}, 0}};
  TestProgram program;
  program.inputs = {{"x", ElementType::f32, {4}}};
  program.outputs = {{"y", ElementType::f32, {4}}};
  program.arenaBytes = {64};
  program.numStreams = 2;
  program.numEvents = 1;
  program.buffers = {{ElementType::f32, {4}, input, 0},
                     {ElementType::f32, {4}, arena, 0},
                     {ElementType::f32, {4}, output, 0},
                     {ElementType::f32, {4}, variable, 0}};
  TestInstruction first{"copy", {0}, {1}, {}, 0, {}, {0}}, second{"copy", {1}, {2}, {}, 1, {0}, {}};
  program.instructions = {first, second};
  file.programs = {program};
  return file;
}

std::string errorOf(const TestExecutable &file) {
  AlignedBytes bytes = file.build();
  Result<Executable> executable = Executable::fromBytes(bytes.bytes(), ".");
  return executable.isOk() ? "" : std::string(executable.takeStatus().text());
}

/// The error after `change` has been made to the valid file.
template <typename Change> std::string errorAfter(const Change &change) {
  TestExecutable file = valid();
  change(file, file.programs[0]);
  return errorOf(file);
}

void expectError(const std::string &error, const std::string &part) {
  EXPECT_NE(error.find(part), std::string::npos) << "got: " << error << "\nwanted: " << part;
}

TEST(Executable, ReadsAValidFile) {
  EXPECT_EQ(errorOf(valid()), "");
  AlignedBytes bytes = valid().build();
  Result<Executable> executable = Executable::fromBytes(bytes.bytes(), ".");
  ASSERT_TRUE(executable.isOk());
  EXPECT_NE(executable->findProgram("forward"), nullptr);
  EXPECT_EQ(executable->findProgram("backward"), nullptr);
  EXPECT_EQ(executable->programs()[0].buffers[1].shape.strides, std::vector<int64_t>{1});
}

TEST(Executable, RefusesAnotherVersionAndFrame) {
  expectError(errorAfter([](TestExecutable &f, TestProgram &) { f.version = 9; }),
              "format version 9");
  std::vector<std::byte> text(100, std::byte{'x'});
  EXPECT_FALSE(Executable::fromBytes(AlignedBytes(text).bytes(), ".").isOk());
  EXPECT_FALSE(Executable::fromBytes({}, ".").isOk());
}

TEST(Executable, RefusesAHashThatDoesNotMatch) {
  AlignedBytes bytes = valid().build();
  bytes.bytes()[bytes.bytes().size() - 1] ^= std::byte{1};
  Result<Executable> executable = Executable::fromBytes(bytes.bytes(), ".");
  ASSERT_FALSE(executable.isOk());
  expectError(std::string(executable.takeStatus().text()), "hash");
}

TEST(Executable, RefusesBuffersOutsideTheirMemory) {
  expectError(errorAfter([](auto &, TestProgram &p) { p.buffers[1].offset = 52; }),
              "not within the 64 bytes of arena 0");
  expectError(errorAfter([](auto &, TestProgram &p) { p.buffers[1].offset = UINT64_MAX - 3; }),
              "past the 64 bytes");
  expectError(errorAfter([](auto &, TestProgram &p) { p.buffers[1].strides = {-1}; }),
              "reaches from byte -12");
  expectError(errorAfter([](auto &, TestProgram &p) { p.buffers[1].strides = {INT64_MAX}; }),
              "make no sense");
  expectError(errorAfter([](auto &, TestProgram &p) { p.buffers[0].dims = {5}; }), "input \"x\"");
  expectError(errorAfter([](auto &, TestProgram &p) {
                p.buffers[0].dims = {int64_t(1) << 40, int64_t(1) << 40};
              }),
              "too large");
  expectError(errorAfter([](auto &, TestProgram &p) { p.buffers[0].dims = {-4}; }), "negative");
  expectError(errorAfter([](auto &, TestProgram &p) { p.buffers[0].index = 3; }), "does not exist");
  expectError(
      errorAfter([](auto &, TestProgram &p) { p.buffers[0].type = static_cast<ElementType>(99); }),
      "unknown element type 99");
  expectError(errorAfter([](auto &, TestProgram &p) {
                p.buffers[0].storage = static_cast<abi::Storage>(9);
              }),
              "does not exist");
  expectError(errorAfter([](auto &, TestProgram &p) { p.buffers[1].offset = 2; }),
              "multiple of its element size");
  expectError(errorAfter([](auto &, TestProgram &p) { p.buffers[1].strides = {1, 1}; }),
              "2 strides");
  expectError(errorAfter([](auto &, TestProgram &p) { p.buffers[1].strides = {INT64_MAX}; }),
              "make no sense");
  expectError(
      errorAfter([](auto &, TestProgram &p) { p.buffers[0].dims = std::vector<int64_t>(40, 1); }),
      "at most 32");
}

TEST(Executable, RefusesInstructionsThatNameOrWriteWhatTheyMayNot) {
  expectError(errorAfter([](auto &, TestProgram &p) { p.instructions[0].ins = {17}; }),
              "names buffer 17 of 4");
  expectError(errorAfter([](auto &, TestProgram &p) { p.instructions[0].outs = {0}; }),
              "writes input \"x\"");
  expectError(errorAfter([](auto &, TestProgram &p) { p.buffers[1].strides = {0}; }),
              "elements overlap");
  expectError(errorAfter([](auto &, TestProgram &p) {
                p.buffers.push_back({ElementType::f32, {4}, arena, 0, 4});
                p.instructions[0].ins = {4};
              }),
              "is not the same view");
  expectError(errorAfter([](auto &, TestProgram &p) {
                p.instructions[0].params = {ints("a", {1}), ints("a", {2})};
              }),
              "given twice");
}

TEST(Executable, RefusesStreamsThatCouldWaitForEver) {
  expectError(errorAfter([](auto &, TestProgram &p) { p.instructions[0].waits = {0}; }),
              "nothing before it records");
  expectError(errorAfter([](auto &, TestProgram &p) { p.instructions[1].records = {0}; }),
              "recorded before");
  expectError(errorAfter([](auto &, TestProgram &p) { p.instructions[1].stream = 2; }),
              "stream 2 of 2");
  expectError(errorAfter([](auto &, TestProgram &p) { p.numStreams = 0; }), "0 streams");
}

TEST(Executable, RefusesStreamsThatRace) {
  const std::string race = "touch the same bytes, and no event puts them in order";
  // Read after write.
  expectError(errorAfter([](auto &, TestProgram &p) { p.instructions[1].waits = {}; }), race);
  // The same bytes, by another buffer, are written while the second instruction may read them.
  auto reuse = [](std::vector<uint32_t> waits, uint64_t offset) {
    return errorAfter([=](auto &, TestProgram &p) {
      p.arenaBytes = {128};
      p.numEvents = 2;
      p.instructions[1].records = {1};
      p.buffers.push_back({ElementType::f32, {4}, arena, 0, offset});
      p.instructions.push_back({"copy", {0}, {4}, {}, 0, waits, {}});
    });
  };
  expectError(reuse({}, 0), race);
  expectError(reuse({}, 12), race);
  EXPECT_EQ(reuse({}, 16), "");
  EXPECT_EQ(reuse({1}, 0), "");
  // Order passes from event to event, over a third stream.
  auto chain = [](std::vector<uint32_t> waits) {
    return errorAfter([=](auto &, TestProgram &p) {
      p.arenaBytes = {128};
      p.numStreams = 3;
      p.numEvents = 2;
      p.buffers.push_back({ElementType::f32, {4}, arena, 0, 64});
      p.instructions[1].waits = {1};
      p.instructions.insert(p.instructions.begin() + 1,
                            TestInstruction{"copy", {0}, {4}, {}, 2, waits, {1}});
    });
  };
  EXPECT_EQ(chain({0}), "");
  expectError(chain({}), race);
}

TEST(Executable, RefusesValuesThatShareBytesWhileBothAreInUse) {
  // x goes to block 0, at byte 64, and to block 1, at `offset`, then from both to y.
  auto two = [](uint64_t offset, auto change) {
    return errorAfter([=](auto &, TestProgram &p) {
      p.arenaBytes = {128};
      p.numStreams = 1;
      p.numEvents = 0;
      p.buffers = {{ElementType::f32, {4}, input, 0},
                   {ElementType::f32, {4}, output, 0},
                   {ElementType::f32, {4}, arena, 0, 64, {}, 0},
                   {ElementType::f32, {4}, arena, 0, offset, {}, 1}};
      p.instructions = {
          {"copy", {0}, {2}}, {"copy", {0}, {3}}, {"copy", {2}, {1}}, {"copy", {3}, {1}}};
      change(p);
    });
  };
  auto nothing = [](TestProgram &) {};
  for (uint64_t offset : {0, 48, 80, 112})
    EXPECT_EQ(two(offset, nothing), "") << offset;
  for (uint64_t offset : {52, 64, 76})
    expectError(two(offset, nothing), "instruction 1 puts a value into bytes " +
                                          std::to_string(offset) + " to " +
                                          std::to_string(offset + 16) +
                                          " of arena 0, of which another value has 64 to 80 until "
                                          "instruction 2");
  // The first is not needed any more.
  EXPECT_EQ(two(64, [](TestProgram &p) { std::swap(p.instructions[1], p.instructions[2]); }), "");
  // A view of it is.
  auto readView = [](TestProgram &p) {
    std::swap(p.instructions[1], p.instructions[2]);
    p.buffers.push_back({ElementType::f32, {4}, arena, 0, 76, {-1}, 0});
    p.instructions.push_back({"copy", {4}, {1}});
  };
  expectError(two(64, readView), "until instruction 4");
  // What an instruction reads and what it writes in the same place have to be one block.
  auto overwrite = [](TestProgram &p) {
    p.instructions = {{"copy", {0}, {2}}, {"copy", {2}, {3}}};
  };
  expectError(two(64, overwrite), "until instruction 1");
  // Two streams that events keep in order.
  auto streams = [](TestProgram &p) {
    p.numStreams = p.numEvents = 2;
    p.instructions = {{"copy", {0}, {2}, {}, 0, {}, {0}},
                      {"copy", {0}, {3}, {}, 1, {0}, {1}},
                      {"copy", {2}, {1}, {}, 0, {1}, {}}};
  };
  expectError(two(72, streams), "instruction 1 puts a value into bytes 72 to 88");
  EXPECT_EQ(two(80, streams), "");
  // Other memory; and without a block nobody could tell.
  auto onHost = [](TestProgram &p) {
    p.arenaBytes = {128, 128};
    p.buffers[3].index = 1;
  };
  EXPECT_EQ(two(64, onHost), "");
  expectError(two(64, [](TestProgram &p) { p.buffers[3].block = TestBuffer::noBlock; }),
              "buffer 3: it views an arena and does not say which block of it");
  expectError(two(0,
                  [&](TestProgram &p) {
                    onHost(p);
                    p.buffers[3].block = 0;
                  }),
              "block 0 is in arena 0 and in arena 1");
}

TEST(Executable, RefusesVariablesWithoutOneTrueOrigin) {
  expectError(errorAfter([](TestExecutable &f, auto &) { f.variables[0].constant = 5; }),
              "constant 5 of 1");
  expectError(errorAfter([](TestExecutable &f, auto &) { f.constants[0].resize(15); }),
              "its constant 15");
  expectError(errorAfter([](TestExecutable &f, auto &) { f.variables[0].constant = UINT32_MAX; }),
              "has no value");
  expectError(errorAfter([](TestExecutable &f, auto &) { f.variables.push_back(f.variables[0]); }),
              "two variables \"weight\"");
  expectError(errorAfter([](TestExecutable &f, auto &) { f.variables[0].isPrepareOnly = true; }),
              "freed after");
  auto withRange = [](const char *file, uint64_t offset, uint64_t bytes, uint64_t fileBytes) {
    return errorAfter([=](TestExecutable &f, auto &) {
      f.variables[0].constant = UINT32_MAX;
      f.variables[0].file = file;
      f.variables[0].offset = offset;
      f.variables[0].bytes = bytes;
      f.variables[0].fileBytes = fileBytes;
    });
  };
  expectError(withRange("/etc/passwd", 0, 16, 16), "must be a path relative");
  expectError(withRange("w.bin", 8, 16, 16), "not within the 16 bytes");
  expectError(withRange("w.bin", UINT64_MAX - 7, 16, 16), "not within");
  expectError(withRange("w.bin", 0, 12, 16), "file range 12");
  EXPECT_EQ(withRange("w.bin", 0, 16, 16), "");
}

TEST(Executable, TakesDefaultsOfInputsFromVariablesOfTheirType) {
  auto withDefault = [](auto change) {
    return errorAfter([=](TestExecutable &f, TestProgram &p) {
      p.inputs[0].defaultVariable = 0;
      change(f, p);
    });
  };
  EXPECT_EQ(withDefault([](auto &, auto &) {}), "");
  expectError(withDefault([](auto &, TestProgram &p) { p.inputs[0].defaultVariable = 1; }),
              "the default of input \"x\" is variable 1 of 1");
  expectError(withDefault([](auto &, TestProgram &p) { p.outputs[0].defaultVariable = 0; }),
              "output \"y\" has a default");
  expectError(
      withDefault([](TestExecutable &f, auto &) { f.variables[0].type = ElementType::i32; }),
      "of type f32[4] can't be variable \"weight\" of type i32[4]");
  expectError(withDefault([](TestExecutable &f, TestProgram &p) {
                f.variables.push_back({"early", ElementType::f32, {4}, 0, true});
                p.inputs[0].defaultVariable = 1;
              }),
              "can't be variable \"early\"");
}

TEST(Executable, SurvivesDamageToAnyByte) {
  AlignedBytes original = valid().build();
  std::mt19937 random(3);
  int numAccepted = 0;
  for (size_t at = 0; at < original.bytes().size(); ++at) {
    for (int round = 0; round < 4; ++round) {
      AlignedBytes damaged(original.bytes());
      const std::byte values[] = {std::byte{0}, std::byte{0xff}, std::byte{0x7f},
                                  static_cast<std::byte>(random())};
      damaged.bytes()[at] = values[round];
      // With the right hash, so that the checks behind it are reached, where the file still has a place for it.
      const auto *root = abi::GetExecutable(damaged.bytes().data());
      flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t *>(damaged.bytes().data()),
                                     damaged.bytes().size());
      if (abi::VerifyExecutableBuffer(verifier) && root->content_hash() &&
          root->content_hash()->size() == 32)
        storeHash(damaged.bytes());
      numAccepted += Executable::fromBytes(damaged.bytes(), ".").isOk();
    }
  }
  EXPECT_GT(numAccepted, 0); // Names and constants may change; else the hash was not reached.
  for (size_t size = 0; size < original.bytes().size(); size += 3)
    EXPECT_FALSE(
        Executable::fromBytes(AlignedBytes(original.bytes().first(size)).bytes(), ".").isOk());
}

/// Makes the vector in `field` of `table` begin 4 bytes later: the first half of its first number, 1, becomes its
/// length.
void misalign(const void *table, flatbuffers::voffset_t field) {
  auto *offset =
      const_cast<uint8_t *>(static_cast<const flatbuffers::Table *>(table)->GetAddressOf(field));
  flatbuffers::WriteScalar(offset, flatbuffers::ReadScalar<flatbuffers::uoffset_t>(offset) + 4);
}

TEST(Executable, RefusesNumbersThatAreNotAligned) {
  auto errorWith = [](const auto &damage, uint64_t arenaBytes = 64) {
    TestExecutable file = valid();
    file.variables[0].dims = {1, 4};
    TestProgram &p = file.programs[0];
    p.arenaBytes = {arenaBytes};
    p.buffers[1].strides = {1};
    p.instructions[0].params = {ints("a", {1, 1}), floats("b", {5e-324, 1})};
    AlignedBytes bytes = file.build();
    const auto *root = abi::GetExecutable(bytes.bytes().data());
    damage(*root, *root->programs()->Get(0));
    storeHash(bytes.bytes());
    Result<Executable> executable = Executable::fromBytes(bytes.bytes(), ".");
    return executable.isOk() ? "" : std::string(executable.takeStatus().text());
  };
  auto param = [](const abi::Program &p, uint32_t index) {
    return p.instructions()->Get(0)->params()->Get(index);
  };
  expectError(errorWith([](const abi::Executable &root, const abi::Program &) {
                misalign(root.variables()->Get(0)->type(), abi::TensorType::VT_DIMS);
              }),
              "the dims of a type are not aligned");
  expectError(errorWith([](const abi::Executable &,
                           const abi::Program &p) { misalign(&p, abi::Program::VT_ARENA_BYTES); },
                        /*arenaBytes=*/1),
              "the sizes of its arenas are not aligned");
  expectError(errorWith([](const abi::Executable &, const abi::Program &p) {
                misalign(p.buffers()->Get(1), abi::Buffer::VT_STRIDES);
              }),
              "its strides are not aligned");
  expectError(errorWith([&](const abi::Executable &, const abi::Program &p) {
                misalign(param(p, 0), abi::Param::VT_INTS);
              }),
              "the numbers of parameter \"a\" are not aligned");
  expectError(errorWith([&](const abi::Executable &, const abi::Program &p) {
                misalign(param(p, 1), abi::Param::VT_FLOATS);
              }),
              "the numbers of parameter \"b\" are not aligned");
}

TEST(Executable, RefusesNamesThatAreNoText) {
  expectError(errorAfter([](auto &, TestProgram &p) { p.outputs[0].name = "y\xff"; }),
              "output 0 is not UTF-8");
  for (const char *text : {"\x80", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                           "\xc3", "\xf0\x90\x80"})
    EXPECT_FALSE(isUtf8(text));
  for (const char *text : {"", "plain", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x8c\xbe"})
    EXPECT_TRUE(isUtf8(text));
}

TEST(BufferShape, KnowsInterleavedViewsAreDisjoint) {
  BufferShape half{ElementType::f32, {8, 4}, {8, 1}};
  EXPECT_TRUE(areDisjoint(half, 0, half, 16));
  EXPECT_FALSE(areDisjoint(half, 0, half, 12));
  EXPECT_TRUE(areDisjoint(half, 0, half, 8 * 32));
  BufferShape reversed{ElementType::f32, {8, 4}, {8, -1}};
  EXPECT_TRUE(areDisjoint(half, 0, reversed, 28));
  EXPECT_FALSE(areDisjoint(half, 0, reversed, 24));
}

} // namespace
} // namespace sheaf::rt::test
