// Inputs, outputs and the checks before a run.
#include "runtime/io/npy.h"
#include "runtime/io/trace.h"
#include "runtime/launch/environment.h"
#include "runtime/launch/inputs.h"
#include "runtime/launch/outputs.h"
#include "test/runtime/executable_builder.h"
#include "test/runtime/process_folder.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace sheaf::rt::launch {
namespace {

using abi::ElementType;

std::filesystem::path storeArray(const std::string &name, ElementType type,
                                 std::vector<int64_t> dims, std::string data) {
  std::filesystem::path path = test::processFolder() / name;
  std::ofstream(path, std::ios::binary) << io::makeNpyHeader(type, dims) << data;
  return path;
}

ProgramInfo twoInputs() {
  ProgramInfo program;
  program.inputs = {{"a", {ElementType::f32, {2}, {1}}, 8},
                    {"b=c", {ElementType::i64, {1}, {1}}, 8}};
  return program;
}

std::string gatherError(const std::vector<InputArgument> &arguments) {
  Result<std::vector<Memory>> inputs =
      gatherInputs(twoInputs(), Variables(), arguments, std::nullopt, nullptr);
  return inputs.isOk() ? "" : std::string(inputs.takeStatus().text());
}

TEST(Inputs, AreCutAtTheLastEqualsSignBeforeAFile) {
  std::filesystem::path file = storeArray("x=1.npy", ElementType::f32, {1}, "1234");
  Result<InputArgument> argument = InputArgument::parse("b=c=" + file.string());
  ASSERT_TRUE(argument.isOk());
  EXPECT_EQ(argument->name, "b=c");
  EXPECT_EQ(argument->file, file);
  EXPECT_EQ(InputArgument::parse("a=b=missing.npy")->name, "a=b");
  EXPECT_FALSE(InputArgument::parse("nothing").isOk());
  EXPECT_FALSE(InputArgument::parse("=x.npy").isOk());
}

TEST(Inputs, AreRefusedByNameTypeAndShape) {
  std::filesystem::path good = storeArray("good.npy", ElementType::f32, {2}, "12345678");
  std::filesystem::path wide = storeArray("wide.npy", ElementType::f64, {1}, "12345678");
  std::filesystem::path longer = storeArray("longer.npy", ElementType::f32, {2, 1}, "12345678");
  EXPECT_NE(gatherError({{"z", good}})
                .find("there is no input \"z\"; the inputs are: \"a\" f32[2], \"b=c\" i64[1]"),
            std::string::npos);
  EXPECT_NE(gatherError({}).find("no value: \"a\" f32[2], \"b=c\" i64[1];"), std::string::npos);
  EXPECT_NE(gatherError({{"a", good}, {"a", good}}).find("given twice"), std::string::npos);
  EXPECT_NE(gatherError({{"a", wide}, {"b=c", good}}).find("has dtype \"<f8\" but f32 is wanted"),
            std::string::npos);
  EXPECT_NE(gatherError({{"a", longer}, {"b=c", good}}).find("has shape [2, 1] but [2] is wanted"),
            std::string::npos);
  EXPECT_NE(
      gatherError({{"a", test::processFolder() / "absent.npy"}, {"b=c", good}}).find("can't open"),
      std::string::npos);
}

TEST(Inputs, AreRandomByTheirSeed) {
  BufferShape floats{ElementType::bf16, {100}, {1}}, integers{ElementType::i32, {100}, {1}};
  std::vector<std::byte> first(200), second(200), other(200), whole(400);
  fillRandom(floats, 1, first.data());
  fillRandom(floats, 1, second.data());
  fillRandom(floats, 2, other.data());
  EXPECT_EQ(first, second);
  EXPECT_NE(first, other);
  fillRandom(integers, 1, whole.data());
  const auto *values = reinterpret_cast<const int32_t *>(whole.data());
  EXPECT_TRUE(std::all_of(values, values + 100, [](int32_t v) { return v == 0 || v == 1; }));
}

TEST(Outputs, AreFilesAndAnIndexOfAnyNames) {
  ProgramInfo program;
  program.outputs = {{"logits:0/\"x\"\n", {ElementType::f32, {2}, {1}}, 8},
                     {"../up", {ElementType::bf16, {}, {}}, 2}};
  std::vector<Memory> outputs;
  for (int i = 0; i < 2; ++i)
    outputs.push_back(std::move(*allocateHostMemory(64)));
  std::filesystem::path out = test::processFolder() / "new" / "out";
  std::filesystem::remove_all(out);
  ASSERT_TRUE(writeOutputs(program, outputs, out).isOk());
  auto index = nlohmann::json::parse(std::ifstream(out / "outputs.json"));
  EXPECT_EQ(index["logits:0/\"x\"\n"]["file"], "output_0.npy");
  EXPECT_EQ(index["../up"]["dtype"], "bf16");
  EXPECT_EQ(io::NpyArray::open(out / "output_0.npy")->dims(), std::vector<int64_t>{2});
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(out), {}), 3);
}

TEST(Outputs, LeaveNothingWhenTheyCannotBeWritten) {
  std::filesystem::path blocked = test::processFolder() / "blocked";
  std::ofstream(blocked) << "a file";
  EXPECT_FALSE(writeOutputs(ProgramInfo(), {}, blocked / "out").isOk());
}

TEST(Environment, RefusesSettingsThatBreakTheLibrary) {
  EXPECT_TRUE(checkEnvironment().isOk()) << checkEnvironment().text();
  for (auto [name, value, isFine] : {std::tuple("OMP_DYNAMIC", "true", false),
                                     {"OMP_DYNAMIC", "false", true},
                                     {"OMP_THREAD_LIMIT", "4", false}}) {
    setenv(name, value, 1);
    EXPECT_EQ(checkEnvironment().isOk(), isFine) << name << "=" << value;
    unsetenv(name);
  }
}

TEST(Environment, NamesTheFeaturesThatAreMissing) {
  test::TestExecutable file;
  file.features = "+avx2,+fma,+avx512vnni,+sse4.2,+prfchw,-avx512f";
  test::AlignedBytes bytes = file.build();
  Result<Executable> executable = Executable::fromBytes(bytes.bytes(), ".");
  ASSERT_TRUE(executable.isOk()) << executable.takeStatus().text();
  EXPECT_TRUE(checkTarget(*executable, " avx2 fma f16c bmi1 bmi2 sse4_2 avx512_vnni").isOk());
  Status status = checkTarget(*executable, " avx2 fma f16c bmi2 sse4_2");
  EXPECT_NE(std::string(status.text()).find("lacks: avx512vnni"), std::string::npos)
      << status.text();
}

TEST(Trace, IsJsonWithOneSliceEach) {
  auto trace = nlohmann::json::parse(io::formatTrace(
      {{"contract", "node\xff", 0, 1000, 3000, 4000}, {"copy", "", 1, 3000, 3500, 0}}));
  ASSERT_EQ(trace["traceEvents"].size(), 2u);
  EXPECT_EQ(trace["traceEvents"][0]["dur"], 2.0);
  EXPECT_EQ(trace["traceEvents"][0]["args"]["GB/s"], 2.0);
  EXPECT_EQ(trace["traceEvents"][1]["ts"], 2.0);
}

} // namespace
} // namespace sheaf::rt::launch
