// Variables of one rank: its part of files and constants, and what they are charged.
#include "runtime/core/variables.h"
#include "test/runtime/executable_builder.h"
#include "test/runtime/process_folder.h"

#include <fstream>
#include <gtest/gtest.h>
#include <numeric>

namespace sheaf::rt::test {
namespace {

/// A device that has memory and nothing else.
class MemoryDevice final : public Device {
public:
  Result<Memory> allocate(abi::Space, size_t bytes, MemoryAccount *account) override {
    return allocateHostMemory(bytes, account);
  }
  bool isHostMemory() const override { return true; }
  Status upload(const std::byte *, std::byte *, size_t) override { return {}; }
  Status download(const std::byte *, std::byte *, size_t) override { return {}; }
  Status drain() override { return {}; }
  Status loadKernels(const abi::Executable &) override { return {}; }
  Result<std::unique_ptr<Step>> bindCall(CallSite &) override { return Status::failed("no calls"); }
  Result<std::unique_ptr<Step>> bindKernel(const KernelSite &) override {
    return Status::failed("no kernels");
  }
  int numThreads(uint32_t) const override { return 1; }
  void enterStream(uint32_t) override {}
  Result<std::unique_ptr<Runner>> makeRunner(Schedule) override {
    return Status::failed("no streams");
  }
  Communicator *connect(Communicator *processes) override { return processes; }
};

/// 0, 1, 2, ... in f32.
std::vector<uint8_t> counted(size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  const auto *bytes = reinterpret_cast<const uint8_t *>(values.data());
  return {bytes, bytes + count * sizeof(float)};
}

/// Weights of a file of 64 floats on three ranks: [4, 16] by rows, uneven ([2, 16] each), and by columns ([4, 6]).
TestExecutable sharded() {
  std::ofstream(processFolder() / "w.bin", std::ios::binary)
      .write(reinterpret_cast<const char *>(counted(64).data()), 256);
  TestExecutable file;
  file.mesh = {{"data", 3}};
  file.constants = {counted(64)};
  auto add = [&](const char *name, bool isByRows, bool isEmbedded) {
    TestVariable variable{name, ElementType::f32, {}, isEmbedded ? 0 : UINT32_MAX};
    if (!isEmbedded) {
      variable.file = "w.bin";
      variable.bytes = variable.fileBytes = 256;
    }
    variable.globalDims = {4, 16};
    variable.dims = isByRows ? std::vector<int64_t>{2, 16} : std::vector<int64_t>{4, 6};
    variable.cuts = isByRows ? TestCuts{{{0, 1, 3}}, {}} : TestCuts{{}, {{0, 1, 3}}};
    file.variables.push_back(variable);
  };
  add("file rows", true, false);
  add("file columns", false, false);
  add("constant rows", true, true);
  add("constant columns", false, true);
  file.variables.push_back({"whole", ElementType::f32, {64}, 0});
  return file;
}

std::vector<float> valuesOf(const Variables &variables, uint32_t index, size_t count) {
  const auto *data = reinterpret_cast<const float *>(variables.data(index));
  return {data, data + count};
}

struct Loaded {
  AlignedBytes bytes;
  std::unique_ptr<Executable> executable;
  MemoryDevice device;
  MemoryAccount account;
  Variables variables;

  Loaded(const TestExecutable &file, int rank, const WeightSource *weights = nullptr)
      : bytes(file.build()) {
    Result<Executable> read = Executable::fromBytes(bytes.bytes(), processFolder());
    EXPECT_TRUE(read.isOk()) << read.takeStatus().text();
    executable = std::make_unique<Executable>(std::move(*read));
    Result<Variables> loaded = Variables::load(*executable, rank, device, account, weights, {});
    EXPECT_TRUE(loaded.isOk()) << loaded.takeStatus().text();
    variables = std::move(*loaded);
  }
};

TEST(Variables, HoldThePartOfTheirRank) {
  const std::vector<float> columns1 = {6,  7,  8,  9,  10, 11, 22, 23, 24, 25, 26, 27,
                                       38, 39, 40, 41, 42, 43, 54, 55, 56, 57, 58, 59};
  const std::vector<float> columns2 = {12, 13, 14, 15, 0, 0, 28, 29, 30, 31, 0, 0,
                                       44, 45, 46, 47, 0, 0, 60, 61, 62, 63, 0, 0};
  for (int rank = 0; rank < 3; ++rank) {
    Loaded loaded(sharded(), rank);
    for (uint32_t first : {0u, 2u}) {
      std::vector<float> rows(32, 0.0f);
      if (rank < 2) // The last rank holds padding.
        std::iota(rows.begin(), rows.end(), static_cast<float>(rank * 32));
      EXPECT_EQ(valuesOf(loaded.variables, first, 32), rows);
      std::vector<float> columns = valuesOf(loaded.variables, first + 1, 24);
      if (rank == 0)
        EXPECT_EQ(columns[6], 16);
      else
        EXPECT_EQ(columns, rank == 1 ? columns1 : columns2);
    }
    EXPECT_EQ(valuesOf(loaded.variables, 4, 64)[63], 63);
    // Blocks of 128 and 96 (128) bytes twice, and the whole.
    EXPECT_EQ(loaded.account.currentBytes(), 4 * 128 + 256);
  }
}

TEST(Variables, UseRunsOfTheWholeValueWhereTheyAreMapped) {
  EXPECT_EQ(Loaded(sharded(), 0).variables.mappedBytes(), 2 * 128 + 256);
  EXPECT_EQ(Loaded(sharded(), 1).variables.mappedBytes(), 2 * 128 + 256);
  EXPECT_EQ(Loaded(sharded(), 2).variables.mappedBytes(), 256);
}

// The plan is one for all ranks: even a part that is aligned on some of them is copied.
TEST(Variables, StagePartsThatOnlyPrepareReads) {
  TestExecutable file = sharded();
  for (TestVariable &variable : file.variables)
    variable.isPrepareOnly = true;
  for (int rank = 0; rank < 3; ++rank) {
    Loaded loaded(file, rank);
    EXPECT_EQ(loaded.account.peakBytes(), 0u);
    for (uint32_t i = 0; i < 4; ++i) {
      const StagedValue *staged = loaded.variables.staged(i);
      ASSERT_NE(staged, nullptr);
      EXPECT_EQ(staged->box.localBytes(), i % 2 ? 96 : 128);
    }
    EXPECT_EQ(loaded.variables.staged(4), nullptr);
  }
}

/// Has every weight, as the whole values of `sharded`.
class WholeWeights final : public WeightSource {
public:
  Result<std::optional<WeightBytes>> find(std::string_view,
                                          const BufferShape &shape) const override {
    if (shape.elements() != 64)
      return Status::invalid("asked for ", shape.str());
    return std::optional(WeightBytes{std::as_bytes(std::span(values)), nullptr});
  }

private:
  std::vector<float> values = std::vector<float>(64, 3.0f);
};

TEST(Variables, TakeTheirPartOfOtherWeights) {
  WholeWeights weights;
  Loaded loaded(sharded(), 2, &weights);
  std::vector<float> columns = valuesOf(loaded.variables, 1, 24);
  EXPECT_EQ(columns[3], 3);
  EXPECT_EQ(columns[4], 0);
  EXPECT_EQ(valuesOf(loaded.variables, 4, 64)[0], 3);
}

/// Gives each rank the block that it asks for, filled with the first row or column of it.
class BlockWeights final : public WeightSource {
public:
  Result<std::optional<WeightBytes>> find(std::string_view, const BufferShape &) const override {
    return Status::invalid("asked for a whole value");
  }
  Result<std::optional<WeightBytes>> findBlock(std::string_view, const BufferShape &shape,
                                               const ShardBox &box) const override {
    int64_t count = rowMajorShape(shape.type, blockDims(box)).elements();
    auto first = static_cast<float>(box.front().begin * 100 + box.back().begin);
    auto values = std::make_shared<std::vector<float>>(
        static_cast<size_t>(std::max<int64_t>(count, 1)), first);
    return std::optional(WeightBytes{
        std::as_bytes(std::span(*values).first(static_cast<size_t>(count))), values, true});
  }
};

TEST(Variables, TakeBlocksAsTheyAre) {
  BlockWeights weights;
  TestExecutable file = sharded();
  Loaded loaded(file, 1, &weights);
  EXPECT_EQ(valuesOf(loaded.variables, 0, 32), std::vector<float>(32, 200));
  EXPECT_EQ(valuesOf(loaded.variables, 1, 24), std::vector<float>(24, 6));
  EXPECT_EQ(loaded.variables.mappedBytes(), 0);
  for (TestVariable &variable : file.variables)
    variable.isPrepareOnly = true;
  Loaded staged(file, 1, &weights);
  ASSERT_NE(staged.variables.staged(1), nullptr);
  std::vector<float> local(24);
  staged.variables.staged(1)->box.toLocal(staged.variables.staged(1)->whole,
                                          reinterpret_cast<std::byte *>(local.data()));
  EXPECT_EQ(local, std::vector<float>(24, 6));
}

/// What no program writes is mapped, unless a checkpoint may be put back into it.
TEST(Variables, OfProgramsThatTrainCanBeRestored) {
  TestExecutable file;
  file.constants = {counted(64)};
  for (const char *name : {"trained", "frozen", "constant"}) {
    TestVariable variable{name, ElementType::f32, {64}, 0};
    variable.role = name[0] == 'c' ? abi::VariableRole::other : abi::VariableRole::parameter;
    file.variables.push_back(variable);
  }
  EXPECT_EQ(Loaded(file, 0).variables.mappedBytes(), 3 * 256);
  TestProgram program;
  program.name = "train_step";
  program.buffers = {{ElementType::f32, {64}, abi::Storage::variable, 0},
                     {ElementType::f32, {64}, abi::Storage::variable, 2}};
  program.instructions = {{"copy", {1}, {0}}};
  file.programs = {program};
  Loaded loaded(file, 0);
  EXPECT_EQ(loaded.variables.mappedBytes(), 256);
  EXPECT_EQ(loaded.account.currentBytes(), 3u * 256);
  std::memset(loaded.variables.data(1), 0, 256);
  EXPECT_EQ(valuesOf(loaded.variables, 2, 64)[63], 63);
}

} // namespace
} // namespace sheaf::rt::test
