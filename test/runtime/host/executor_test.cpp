// The executor on the host: whole programs, prepared variables, streams, failures, kernels.
#include "runtime/abi/packed_bytes.h"
#include "test/runtime/host/call_runner.h"
#include "test/runtime/process_folder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

namespace sheaf::rt::test {
namespace {

constexpr abi::Storage arena = abi::Storage::arena, input = abi::Storage::input,
                       output = abi::Storage::output, variable = abi::Storage::variable;

/// An executor and all that it refers to.
struct Running {
  AlignedBytes bytes;
  Result<Executable> executable;
  host::HostDevice device{2};
  Result<std::unique_ptr<Executor>> executor;

  explicit Running(const TestExecutable &file, const std::filesystem::path &folder = ".")
      : bytes(file.build()), executable(Executable::fromBytes(bytes.bytes(), folder)),
        executor(executable.isOk() ? Executor::create(*executable, device)
                                   : Result<std::unique_ptr<Executor>>(executable.takeStatus())) {}
};

/// y[8, n] = x[8, k] * weight[k, n], the weight packed by "prepare".
TestExecutable packedProduct(int64_t k, int64_t n) {
  TestExecutable file;
  Tensor weight = ramp<float>({k, n}, 11);
  std::vector<uint8_t> raw(weight.memory.size());
  std::memcpy(raw.data(), weight.memory.data(), raw.size());
  file.constants = {raw};
  auto bytes = static_cast<uint64_t>((k + 63) / 64 * 64 * ((n + 63) / 64 * 64) * 4);
  file.variables = {{"weight", ElementType::f32, {k, n}, 0, true},
                    {"packed", ElementType::f32, {k, n}, UINT32_MAX, false, bytes}};
  std::vector<Param> params = {ints("lhs_contract", {1}), ints("rhs_contract", {0})};
  TestProgram prepare;
  prepare.name = "prepare";
  prepare.buffers = {{ElementType::f32, {k, n}, variable, 0},
                     {ElementType::f32, {k, n}, variable, 1}};
  TestInstruction pack{"pack_weights", {0}, {1}, params};
  pack.params.insert(pack.params.end(), {text("consumer", "contract"), ints("lhs_dims", {8, k})});
  prepare.instructions = {pack};
  TestProgram forward;
  forward.inputs = {{"x", ElementType::f32, {8, k}}};
  forward.outputs = {{"y", ElementType::f32, {8, n}}};
  forward.buffers = {{ElementType::f32, {8, k}, input, 0},
                     {ElementType::f32, {k, n}, variable, 1},
                     {ElementType::f32, {8, n}, output, 0}};
  TestInstruction contract{"contract", {0, 1}, {2}, params};
  contract.params.push_back(ints("weights_packed", {1}));
  forward.instructions = {contract};
  file.programs = {forward, prepare};
  return file;
}

TEST(Executor, PacksWeightsOnceAndFreesWhatOnlyThatNeeded) {
  for (auto [k, n] : {std::pair<int64_t, int64_t>{64, 96}, {37, 19}, {1, 1}}) {
    Running running(packedProduct(k, n));
    ASSERT_TRUE(running.executor.isOk()) << running.executor.takeStatus().text();
    Result<BoundProgram *> program = (*running.executor)->program("forward");
    ASSERT_TRUE(program.isOk()) << program.takeStatus().text();
    Tensor x = ramp<float>({8, k}, 7);
    Result<Memory> in = allocateHostMemory(x.memory.size()),
                   out = allocateHostMemory(static_cast<size_t>(8 * n * 4));
    std::memcpy(in->data(), x.memory.data(), x.memory.size());
    const void *inputs[] = {in->data()};
    void *outputs[] = {out->data()};
    ASSERT_TRUE((*program)->run(inputs, outputs).isOk());
    Tensor expected = call("contract", {x, ramp<float>({k, n}, 11)}, room(ElementType::f32, {8, n}),
                           {ints("lhs_contract", {1}), ints("rhs_contract", {0})});
    EXPECT_EQ(std::memcmp(out->data(), expected.memory.data(), expected.memory.size()), 0);
    MemoryUse use = (*running.executor)->memoryUse();
    EXPECT_EQ(use.variableBytes, (k + 63) / 64 * 64 * ((n + 63) / 64 * 64) * 4);
  }
}

/// A convolution of x, channels last, with a filter packed by "prepare".
TestExecutable packedConv(const Tensor &filter, int64_t channels, int64_t groups) {
  TestExecutable file;
  std::vector<uint8_t> raw(filter.memory.size());
  std::memcpy(raw.data(), filter.memory.data(), raw.size());
  file.constants = {raw};
  auto bytes = static_cast<uint64_t>(abi::packedConvBytes(filter.dims, groups, 4));
  file.variables = {{"filter", ElementType::f32, filter.dims, 0, true},
                    {"packed", ElementType::f32, filter.dims, UINT32_MAX, false, bytes}};
  std::vector<Param> params = {ints("strides", {1, 1}),     ints("dilations", {1, 1}),
                               ints("padding_low", {1, 1}), ints("padding_high", {1, 1}),
                               ints("groups", {groups}),    ints("channels_last", {1})};
  std::vector<int64_t> in = {2, 6, 5, channels}, out = {2, 6, 5, filter.dims[0]};
  TestProgram prepare;
  prepare.name = "prepare";
  prepare.buffers = {{ElementType::f32, filter.dims, variable, 0},
                     {ElementType::f32, filter.dims, variable, 1}};
  TestInstruction pack{"pack_weights", {0}, {1}, params};
  pack.params.insert(pack.params.end(), {text("consumer", "conv"), ints("lhs_dims", in)});
  prepare.instructions = {pack};
  TestProgram forward;
  forward.inputs = {{"x", ElementType::f32, in}};
  forward.outputs = {{"y", ElementType::f32, out}};
  forward.buffers = {{ElementType::f32, in, input, 0},
                     {ElementType::f32, filter.dims, variable, 1},
                     {ElementType::f32, out, output, 0}};
  TestInstruction conv{"conv", {0, 1}, {2}, params};
  conv.params.push_back(ints("weights_packed", {1}));
  forward.instructions = {conv};
  file.programs = {prepare, forward};
  return file;
}

TEST(Executor, PacksFiltersForConvolutionsChannelsLast) {
  for (auto [channels, groups] : {std::pair<int64_t, int64_t>{32, 1}, {19, 1}, {32, 32}, {32, 2}}) {
    Tensor filter = ramp<float>({32, channels / groups, 3, 3}, 11),
           x = ramp<float>({2, channels, 6, 5}, 7), xLast = channelsLast(x);
    Running running(packedConv(filter, channels, groups));
    ASSERT_TRUE(running.executor.isOk()) << running.executor.takeStatus().text();
    Result<BoundProgram *> program = (*running.executor)->program("forward");
    ASSERT_TRUE(program.isOk()) << program.takeStatus().text();
    Tensor expected =
        call("conv", {x, filter}, room(ElementType::f32, {2, 32, 6, 5}),
             {ints("strides", {1, 1}), ints("dilations", {1, 1}), ints("padding_low", {1, 1}),
              ints("padding_high", {1, 1}), ints("groups", {groups})});
    Result<Memory> in = allocateHostMemory(xLast.memory.size()),
                   out = allocateHostMemory(expected.memory.size());
    std::memcpy(in->data(), xLast.memory.data(), xLast.memory.size());
    const void *inputs[] = {in->data()};
    void *outputs[] = {out->data()};
    ASSERT_TRUE((*program)->run(inputs, outputs).isOk());
    // By value: the sign of a zero is free.
    const auto *actual = reinterpret_cast<const float *>(out->data());
    std::vector<float> wanted = channelsLast(expected).values<float>();
    EXPECT_EQ(std::vector<float>(actual, actual + wanted.size()), wanted)
        << channels << " channels in " << groups << " groups";
  }
}

TEST(Executor, RefusesAPackedVariableElsewhere) {
  TestExecutable file = packedProduct(64, 64);
  file.programs[0].instructions = {{"copy", {1}, {2}}};
  file.programs[0].buffers[2].dims = {64, 64};
  file.programs[0].outputs[0].dims = {64, 64};
  Running running(file);
  ASSERT_TRUE(running.executor.isOk());
  Result<BoundProgram *> program = (*running.executor)->program("forward");
  ASSERT_FALSE(program.isOk());
  EXPECT_NE(std::string(program.takeStatus().text()).find("packed variable"), std::string::npos);
}

TEST(Executor, RunsStreamsInTheOrderOfTheirEvents) {
  // Stream 1 doubles what stream 0 has copied, and so on, sixty times over.
  TestExecutable file;
  TestProgram program;
  program.inputs = {{"x", ElementType::i64, {64}}};
  program.outputs = {{"y", ElementType::i64, {64}}};
  constexpr uint32_t steps = 60;
  program.arenaBytes = {(steps + 1) * 512};
  program.numStreams = 3;
  program.numEvents = steps + 1;
  program.buffers = {{ElementType::i64, {64}, input, 0}, {ElementType::i64, {64}, output, 0}};
  for (uint32_t i = 0; i <= steps; ++i)
    program.buffers.push_back({ElementType::i64, {64}, arena, 0, i * 512});
  program.instructions.push_back({"copy", {0}, {2}, {}, 0, {}, {0}});
  for (uint32_t i = 0; i < steps; ++i)
    program.instructions.push_back(
        {"cumulative",
         {2 + i},
         {3 + i},
         {text("kind", "sum"), ints("dim", {0}), ints("reverse", {i % 2})},
         i % 3,
         {i},
         {i + 1}});
  program.instructions.push_back({"copy", {2 + steps}, {1}, {}, 1, {steps}, {}});
  file.programs = {program};
  Running running(file);
  ASSERT_TRUE(running.executor.isOk()) << running.executor.takeStatus().text();
  BoundProgram *bound = *(*running.executor)->program("forward");
  Result<Memory> in = allocateHostMemory(512), out = allocateHostMemory(512);
  auto *x = reinterpret_cast<uint64_t *>(in->data());
  std::vector<uint64_t> expected(64);
  for (uint64_t run = 1; run <= 20; ++run) {
    for (uint64_t i = 0; i < 64; ++i)
      expected[i] = x[i] = i * run + 1;
    for (uint32_t step = 0; step < steps; ++step)
      for (int i = 1; i < 64; ++i)
        step % 2 ? expected[63 - i] += expected[64 - i] : expected[i] += expected[i - 1];
    const void *inputs[] = {in->data()};
    void *outputs[] = {out->data()};
    ASSERT_TRUE(bound->run(inputs, outputs).isOk());
    ASSERT_EQ(std::memcmp(out->data(), expected.data(), 512), 0) << "run " << run;
  }
}

TEST(Executor, NamesTheStepThatFailsAndRunsAgain) {
  TestExecutable file;
  TestProgram program;
  program.inputs = {{"i", ElementType::i64, {1}}};
  program.outputs = {{"y", ElementType::i64, {1}}};
  program.arenaBytes = {64};
  program.numStreams = 2;
  program.numEvents = 1;
  program.buffers = {{ElementType::i64, {1}, input, 0},
                     {ElementType::i64, {1}, arena, 0},
                     {ElementType::i64, {1}, output, 0}};
  TestInstruction gather{"gather", {0, 0}, {1}, {ints("dim", {0})}, 1, {}, {0}};
  gather.location = "embedding/Gather_7";
  program.instructions = {gather, {"copy", {1}, {2}, {}, 0, {0}, {}}};
  file.programs = {program};
  Running running(file);
  ASSERT_TRUE(running.executor.isOk());
  BoundProgram *bound = *(*running.executor)->program("forward");
  Result<Memory> in = allocateHostMemory(8), out = allocateHostMemory(8);
  const void *inputs[] = {in->data()};
  void *outputs[] = {out->data()};
  for (int64_t value : {5, 0, 9, 0}) {
    *reinterpret_cast<int64_t *>(in->data()) = value;
    Status status = bound->run(inputs, outputs);
    if (value == 0)
      EXPECT_TRUE(status.isOk()) << status.text();
    else
      EXPECT_EQ(status.text(), "step 0 (gather): node \"embedding/Gather_7\": index " +
                                   std::to_string(value) + " is out of range for an extent of 1");
  }
  const void *crooked[] = {in->data() + 8};
  EXPECT_NE(std::string(bound->run(crooked, outputs).text()).find("not aligned"),
            std::string::npos);
}

TEST(Executor, ReadsWeightsFromFilesAndChecksTheirSize) {
  std::filesystem::path folder = processFolder();
  std::vector<float> values(64);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i);
  std::ofstream(folder / "w.bin", std::ios::binary)
      .write(reinterpret_cast<const char *>(values.data()), 256);
  for (uint64_t offset : {64, 12}) { // in place, and copied
    TestExecutable file;
    file.variables = {{"w", ElementType::f32, {4}, UINT32_MAX, false, 0, "w.bin", offset, 16, 256}};
    TestProgram program;
    program.outputs = {{"y", ElementType::f32, {4}}};
    program.buffers = {{ElementType::f32, {4}, variable, 0}, {ElementType::f32, {4}, output, 0}};
    program.instructions = {{"copy", {0}, {1}}};
    file.programs = {program};
    Running running(file, folder);
    ASSERT_TRUE(running.executor.isOk()) << running.executor.takeStatus().text();
    EXPECT_EQ((*running.executor)->memoryUse().mappedBytes, offset == 64 ? 64 : 0);
    Result<Memory> out = allocateHostMemory(16);
    void *outputs[] = {out->data()};
    ASSERT_TRUE((*(*running.executor)->program("forward"))->run({}, outputs).isOk());
    EXPECT_EQ(*reinterpret_cast<float *>(out->data()), static_cast<float>(offset / 4));

    file.variables[0].fileBytes = 260;
    Running changed(file, folder);
    ASSERT_FALSE(changed.executor.isOk());
    EXPECT_NE(std::string(changed.executor.takeStatus().text()).find("has 256 bytes but had 260"),
              std::string::npos);
  }
}

TEST(Executor, CountsWhatPrepareReadsFromUnalignedPlaces) {
  std::filesystem::path folder = processFolder();
  std::ofstream(folder / "u.bin", std::ios::binary)
      << std::string(4, 'x') << std::string(1000, 'y');
  // "prepare" copies the weight, which lies at byte `offset`, to a variable that stays.
  for (uint64_t offset : {0, 4}) {
    TestExecutable file;
    file.variables = {
        {"w", ElementType::i8, {1000}, UINT32_MAX, true, 0, "u.bin", offset, 1000, 1004},
        {"kept", ElementType::i8, {1000}, UINT32_MAX}};
    TestProgram prepare, forward;
    prepare.name = "prepare";
    prepare.buffers = {{ElementType::i8, {1000}, variable, 0},
                       {ElementType::i8, {1000}, variable, 1},
                       {ElementType::i8, {500}, variable, 0, 500},
                       {ElementType::i8, {500}, variable, 1, 500}};
    prepare.instructions = {{"copy", {0}, {1}}, {"copy", {2}, {3}}};
    forward.outputs = {{"y", ElementType::i8, {1000}}};
    forward.buffers = {{ElementType::i8, {1000}, variable, 1},
                       {ElementType::i8, {1000}, output, 0}};
    forward.instructions = {{"copy", {0}, {1}}};
    file.programs = {prepare, forward};
    Running running(file, folder);
    ASSERT_TRUE(running.executor.isOk()) << running.executor.takeStatus().text();
    EXPECT_EQ((*running.executor)->memoryUse().peakBytes, offset == 0 ? 1024 : 2048);
    EXPECT_EQ((*running.executor)->memoryUse().variableBytes, 1024);
    Result<Memory> out = allocateHostMemory(1000);
    void *outputs[] = {out->data()};
    ASSERT_TRUE((*(*running.executor)->program("forward"))->run({}, outputs).isOk());
    EXPECT_EQ(std::string(reinterpret_cast<const char *>(out->data()), 1000),
              (std::string(4, 'x') + std::string(1000, 'y')).substr(offset, 1000));
  }
}

/// Weights that a test names.
struct MapSource final : WeightSource {
  std::map<std::string, std::vector<float>, std::less<>> values;

  Result<std::optional<WeightBytes>> find(std::string_view name,
                                          const BufferShape &) const override {
    auto found = values.find(name);
    if (found == values.end())
      return std::optional<WeightBytes>();
    return std::optional(WeightBytes{std::as_bytes(std::span(found->second)), nullptr});
  }
};

TEST(Executor, TakesWeightsFromAnotherSource) {
  TestExecutable file;
  // One that the executable would read from a file that is not there, one that it embeds.
  file.constants = {std::vector<uint8_t>(16, 0)};
  file.variables = {{"w", ElementType::f32, {4}, UINT32_MAX, false, 0, "absent.bin", 0, 16, 256},
                    {"b", ElementType::f32, {4}, 0}};
  TestProgram program;
  program.outputs = {{"y", ElementType::f32, {4}}, {"z", ElementType::f32, {4}}};
  program.buffers = {{ElementType::f32, {4}, variable, 0},
                     {ElementType::f32, {4}, output, 0},
                     {ElementType::f32, {4}, variable, 1},
                     {ElementType::f32, {4}, output, 1}};
  program.instructions = {{"copy", {0}, {1}}, {"copy", {2}, {3}}};
  file.programs = {program};
  AlignedBytes bytes = file.build();
  Result<Executable> executable = Executable::fromBytes(bytes.bytes(), ".");
  ASSERT_TRUE(executable.isOk());
  host::HostDevice device(1);
  MapSource weights;
  weights.values["b"] = {5, 6, 7, 8};
  auto incomplete = Executor::create(*executable, device, {&weights, 0, {}});
  ASSERT_FALSE(incomplete.isOk());
  EXPECT_EQ(incomplete.takeStatus().text(),
            "the weights file lacks 1 of the weights that the program needs: \"w\"");
  weights.values["w"] = {1, 2, 3, 4};
  auto executor = Executor::create(*executable, device, {&weights, 0, {}});
  ASSERT_TRUE(executor.isOk()) << executor.takeStatus().text();
  Result<Memory> y = allocateHostMemory(16), z = allocateHostMemory(16);
  void *outputs[] = {y->data(), z->data()};
  ASSERT_TRUE((*(*executor)->program("forward"))->run({}, outputs).isOk());
  EXPECT_EQ(std::memcmp(y->data(), weights.values["w"].data(), 16), 0);
  EXPECT_EQ(std::memcmp(z->data(), weights.values["b"].data(), 16), 0);
}

TEST(Executor, RefusesKernelsThatAreNoSharedObject) {
  TestExecutable file;
  file.kernels = std::vector<uint8_t>(100, 1);
  Running running(file);
  ASSERT_FALSE(running.executor.isOk());
  EXPECT_NE(std::string(running.executor.takeStatus().text()).find("can't be loaded"),
            std::string::npos);
}

} // namespace
} // namespace sheaf::rt::test
