// Programs of parts: what the reader makes of them, and what it refuses.
#include "runtime/abi/part_limits.h"
#include "test/runtime/parts_program.h"

#include <gtest/gtest.h>

namespace sheaf::rt::test {
namespace {

std::string errorOf(const TestExecutable &file) {
  AlignedBytes bytes = file.build();
  Result<Executable> executable = Executable::fromBytes(bytes.bytes(), ".");
  return executable.isOk() ? "" : std::string(executable.takeStatus().text());
}

/// Expects an error that holds `part` after `change` has been made to the valid file.
template <typename Change> void expectError(const std::string &part, const Change &change) {
  TestExecutable file = sumInParts(3);
  change(file);
  std::string error = errorOf(file);
  EXPECT_NE(error.find(part), std::string::npos) << "got: " << error << "\nwanted: " << part;
}

TEST(Parts, AreReadAndNotRunByName) {
  AlignedBytes bytes = sumInParts(3).build();
  Result<Executable> executable = Executable::fromBytes(bytes.bytes(), ".");
  ASSERT_TRUE(executable.isOk()) << executable.takeStatus().text();
  Result<const ProgramInfo *> whole = executable->program("sum");
  ASSERT_TRUE(whole.isOk());
  ASSERT_EQ((*whole)->parts.size(), 3U);
  EXPECT_EQ((*whole)->parts[1].program->name, "sum.trip");
  EXPECT_EQ((*whole)->parts[1].times, 3);
  EXPECT_EQ((*whole)->instructionsPerRun(), 1U + 3 + 2);
  EXPECT_EQ(executable->program("sum.trip").takeStatus().text(),
            "the executable has no program \"sum.trip\"; it has: sum");
  EXPECT_FALSE(executable->variables()[0].isSaved());
}

TEST(Parts, OfOtherProgramsAreRefused) {
  expectError("part 1 is program 9 of 4", [](auto &f) { f.programs[0].parts[1].program = 9; });
  expectError("part 1 is program 4294967295 of 4",
              [](auto &f) { f.programs[0].parts[1].program = UINT32_MAX; });
  expectError("it can't be a part", [](auto &f) { f.programs[0].parts[1].program = 0; });
  expectError("it can't be a part", [](TestExecutable &f) {
    f.programs.push_back({.name = "around", .arenaBytes = {64}, .parts = {{0}}});
  });
  expectError("it can't be a part", [](TestExecutable &f) {
    f.programs.push_back({.name = "prepare"});
    f.programs[0].parts.push_back({4});
  });
  expectError("it has parts; it can't be \"prepare\"", [](TestExecutable &f) {
    f.programs[0] = {.name = "prepare", .arenaBytes = {64}, .parts = {{1}}};
  });
  expectError("it has parts; it can't be", [](TestExecutable &f) {
    f.programs[0].buffers = f.programs[1].buffers;
    f.programs[0].instructions = f.programs[1].instructions;
  });
}

TEST(Parts, RunAtLeastOnceAndNotForEver) {
  expectError("part 1 runs 0 times", [](auto &f) { f.programs[0].parts[1].times = 0; });
  expectError("part 1 runs 4294967295 times",
              [](auto &f) { f.programs[0].parts[1].times = UINT32_MAX; });
  expectError("from once to 2097152 times", [](auto &f) {
    f.programs[0].parts[1].times = uint32_t(abi::maxPartRuns) - 1; // And the begin, and the end.
  });
  EXPECT_EQ(errorOf(sumInParts(uint32_t(abi::maxPartRuns) - 2)), "");
}

TEST(Parts, HaveTheValuesOfTheWhole) {
  expectError("part \"sum.trip\": it has input \"c\", which the whole has not",
              [](auto &f) { f.programs[2].inputs[0].name = "c"; });
  expectError("its input \"b\" is of type", [](auto &f) {
    f.programs[2].inputs[0].type = ElementType::i32;
    f.programs[2].buffers[1].type = ElementType::i32;
  });
  expectError("its input \"b\" is of type", [](auto &f) { f.programs[0].inputs[2].dims = {4, 1}; });
  expectError("its output \"y\" is of type",
              [](auto &f) { f.programs[0].outputs[0].dims = {1, 8}; });
  expectError("none of its parts gives output \"z\"",
              [](auto &f) { f.programs[0].outputs.push_back({"z", ElementType::f32, {1}}); });
  expectError("two of its parts give output \"y\"",
              [](auto &f) { f.programs[1].outputs = f.programs[3].outputs; });
  expectError("only the whole is fed samples", [](TestExecutable &f) {
    f.programs[2].microBatches = 1;
    f.programs[2].inputs = {{"b", ElementType::f32, {1, 4}}, {"a", ElementType::f32, {1, 4}}};
    f.programs[2].buffers[0].dims = {1, 1};
  });
  expectError("is larger than that of the whole",
              [](auto &f) { f.programs[3].arenaBytes = {128}; });
}

TEST(Parts, CarryWhatTheyHaveWritten) {
  expectError("part \"sum.trip\" reads variable \"sum.carried\", which no part has written",
              [](auto &f) { std::swap(f.programs[0].parts[0], f.programs[0].parts[1]); });
  expectError("which no part has written before",
              [](auto &f) { f.programs[1].instructions.clear(); });
  expectError("program \"other\": it uses variable \"sum.carried\", which is carried",
              [](TestExecutable &f) {
                TestProgram other = f.programs[3];
                other.name = "other";
                f.programs.push_back(other);
              });
  expectError("variable \"sum.carried\": it is carried from part to part, so it has no origin",
              [](auto &f) { f.variables[0].splat = {0, 0, 0, 0}; });
  expectError("so it has no origin", [](auto &f) { f.variables[0].isPrepareOnly = true; });
  expectError("nor carried", [](auto &f) { f.variables[0].packedBytes = 64; });
  expectError("the default of input \"x\"",
              [](auto &f) { f.programs[0].inputs[0].defaultVariable = 0; });
}

} // namespace
} // namespace sheaf::rt::test
