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
#include <set>
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
  program.inputs = {{"a", {ElementType::f32, {2}, {1}}, {{2}}, 8},
                    {"b=c", {ElementType::i64, {1}, {1}}, {{1}}, 8}};
  return program;
}

std::string gatherError(const std::vector<InputArgument> &arguments) {
  ProgramInfo program = twoInputs();
  Result<InputValues> inputs = InputValues::open(program, arguments, std::nullopt);
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

std::vector<std::byte> randomBox(ElementType type, std::vector<int64_t> dims, const ShardBox &box,
                                 uint64_t seed, uint64_t stream) {
  std::vector<std::byte> data(
      static_cast<size_t>(BoxCopy(dims, box, abi::bytesOf(type)).localBytes()));
  fillRandom(type, dims, box, seed, stream, data.data());
  return data;
}

TEST(Inputs, AreRandomByTheirSeed) {
  auto random = [](ElementType type, uint64_t seed, uint64_t stream) {
    return randomBox(type, {100}, {abi::Shard::whole(100)}, seed, stream);
  };
  EXPECT_EQ(random(ElementType::bf16, 1, 0), random(ElementType::bf16, 1, 0));
  EXPECT_NE(random(ElementType::bf16, 1, 0), random(ElementType::bf16, 2, 0));
  EXPECT_NE(random(ElementType::bf16, 1, 0), random(ElementType::bf16, 1, 1));
  std::vector<std::byte> integers = random(ElementType::i32, 1, 0);
  const auto *values = reinterpret_cast<const int32_t *>(integers.data());
  EXPECT_TRUE(std::all_of(values, values + 100, [](int32_t v) { return v == 0 || v == 1; }));
  EXPECT_EQ(std::set<int32_t>(values, values + 100).size(), 2u);
}

TEST(Inputs, AreTheSameRandomValuesWhateverTheLayout) {
  std::vector<int64_t> dims = {7, 5};
  auto whole =
      randomBox(ElementType::f32, dims, {abi::Shard::whole(7), abi::Shard::whole(5)}, 3, 1);
  for (int64_t row = 0; row < 3; ++row)
    for (int64_t column = 0; column < 2; ++column) {
      ShardBox box = {abi::Shard::whole(7).part(3, row), abi::Shard::whole(5).part(2, column)};
      std::vector<std::byte> expected(9 * 4), part = randomBox(ElementType::f32, dims, box, 3, 1);
      BoxCopy(dims, box, 4).toLocal(whole.data(), expected.data());
      EXPECT_EQ(part, expected);
    }
}

TEST(Outputs, AreFilesAndAnIndexOfAnyNames) {
  ProgramInfo program;
  program.outputs = {{"logits:0/\"x\"\n", {ElementType::f32, {2}, {1}}, {{2}}, 8},
                     {"../up", {ElementType::bf16, {}, {}}, {}, 2}};
  Mesh mesh;
  GlobalOutputs outputs = std::move(*GlobalOutputs::allocate(program, mesh));
  std::vector<Memory> locals;
  for (int i = 0; i < 2; ++i)
    locals.push_back(std::move(*allocateHostMemory(64)));
  outputs.take(0, locals);
  std::filesystem::path out = test::processFolder() / "new" / "out";
  std::filesystem::remove_all(out);
  ASSERT_TRUE(writeOutputs(outputs, out).isOk());
  auto index = nlohmann::json::parse(std::ifstream(out / "outputs.json"));
  EXPECT_EQ(index["logits:0/\"x\"\n"]["file"], "output_0.npy");
  EXPECT_EQ(index["../up"]["dtype"], "bf16");
  EXPECT_EQ(io::NpyArray::open(out / "output_0.npy")->dims(), std::vector<int64_t>{2});
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(out), {}), 3);
}

TEST(Outputs, LeaveNothingWhenTheyCannotBeWritten) {
  std::filesystem::path blocked = test::processFolder() / "blocked";
  std::ofstream(blocked) << "a file";
  ProgramInfo program;
  Mesh mesh;
  EXPECT_FALSE(writeOutputs(*GlobalOutputs::allocate(program, mesh), blocked / "out").isOk());
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

TEST(Environment, SaysWhichPartOfAGpuIsMissing) {
  test::TestExecutable file;
  file.target = "cuda";
  test::AlignedBytes bytes = file.build();
  Result<Executable> executable = Executable::fromBytes(bytes.bytes(), ".");
  ASSERT_TRUE(executable.isOk()) << executable.takeStatus().text();
  Status status = checkTarget(*executable, "");
  if (status.isOk())
    GTEST_SKIP() << "this machine has a GPU";
  EXPECT_EQ(status.code(), StatusCode::invalid);
  EXPECT_TRUE(status.text().starts_with("no usable GPU: ")) << status.text();
}

TEST(Trace, IsJsonWithOneSliceEach) {
  auto trace = nlohmann::json::parse(io::formatTrace(
      {{"", {{"contract", "node\xff", 0, 1000, 3000, 4000}, {"copy", "", 1, 3000, 3500, 0}}}}));
  ASSERT_EQ(trace["traceEvents"].size(), 2u);
  EXPECT_EQ(trace["traceEvents"][0]["dur"], 2.0);
  EXPECT_EQ(trace["traceEvents"][0]["args"]["GB/s"], 2.0);
  EXPECT_EQ(trace["traceEvents"][1]["ts"], 2.0);
}

} // namespace
} // namespace sheaf::rt::launch
