// Programs of parts on a device: what they compute, share and tell.
#include "test/runtime/host/call_runner.h"
#include "test/runtime/parts_program.h"

#include <filesystem>

namespace sheaf::rt::test {
namespace {

/// A program of an executable, bound on the device under test, with memory for its signature.
struct Running {
  AlignedBytes bytes;
  Result<Executable> executable;
  std::unique_ptr<Device> device;
  std::unique_ptr<Executor> executor;
  BoundProgram *program = nullptr;
  std::vector<Memory> memory;
  std::vector<const void *> inputs;
  std::vector<void *> outputs;

  Running(TestExecutable file, const std::string &name)
      : bytes((file.target = targetUnderTest(), file.build())),
        executable(Executable::fromBytes(bytes.bytes(), ".")),
        device(std::move(*openDeviceUnderTest(/*threads=*/2))) {
    EXPECT_TRUE(executable.isOk()) << executable.takeStatus().text();
    auto created = Executor::create(*executable, *device);
    EXPECT_TRUE(created.isOk()) << created.takeStatus().text();
    executor = std::move(*created);
    auto bound = executor->program(name);
    EXPECT_TRUE(bound.isOk()) << bound.takeStatus().text();
    program = *bound;
    for (const SignatureInfo &input : program->info().inputs)
      inputs.push_back(allocate(input.bytes));
    for (const SignatureInfo &output : program->info().outputs)
      outputs.push_back(allocate(output.bytes));
  }

  /// Zeros.
  std::byte *allocate(int64_t bytes) {
    auto count = static_cast<size_t>(bytes);
    memory.push_back(std::move(*device->allocate(abi::Space::device, count, nullptr)));
    std::vector<std::byte> zeros(count);
    EXPECT_TRUE(device->upload(zeros.data(), memory.back().data(), count).isOk());
    return memory.back().data();
  }
  void set(size_t input, const std::vector<float> &values) {
    EXPECT_TRUE(device
                    ->upload(reinterpret_cast<const std::byte *>(values.data()),
                             memory[input].data(), values.size() * sizeof(float))
                    .isOk());
  }
  std::vector<float> result() const {
    std::vector<float> values(4);
    EXPECT_TRUE(device
                    ->download(static_cast<const std::byte *>(outputs[0]),
                               reinterpret_cast<std::byte *>(values.data()), 16)
                    .isOk());
    return values;
  }
};

TEST(Parts, RunInOrderAndAsOftenAsTold) {
  for (uint32_t times : {1, 2, 300}) {
    Running running(sumInParts(times), "sum");
    running.set(0, {1, 2, 3, 4});
    running.set(1, {2});
    running.set(2, {1, 10, 100, 1000});
    for (int run = 0; run < 2; ++run) { // The second begins anew.
      ASSERT_TRUE(running.program->run(running.inputs, running.outputs).isOk());
      auto n = static_cast<float>(times);
      EXPECT_EQ(running.result(),
                (std::vector<float>{1 + 2 * n, 2 + 20 * n, 3 + 200 * n, 4 + 2000 * n}));
    }
    EXPECT_EQ(running.executor->memoryUse().arenaBytes, 64);
    EXPECT_EQ(running.executor->memoryUse().variableBytes, 64);
  }
}

TEST(Parts, TellEveryInstructionOfEveryRun) {
  Running running(sumInParts(3), "sum");
  std::vector<Timing> timings = {{1, 2}};
  std::vector<size_t> steps;
  RunObserver observer{&timings, [&](size_t index, size_t count) {
                         steps.push_back(index);
                         EXPECT_EQ(count, 6U);
                       }};
  ASSERT_TRUE(running.program->run(running.inputs, running.outputs, observer).isOk());
  ASSERT_EQ(timings.size(), 6U);
  for (size_t i = 0; i < timings.size(); ++i) {
    EXPECT_LE(timings[i].startNs, timings[i].endNs);
    if (i > 0)
      EXPECT_LE(timings[i - 1].endNs, timings[i].startNs);
  }
  EXPECT_EQ(steps, (std::vector<size_t>{0, 1, 2, 3, 4, 5}));
}

/// Trips gather element `trip` of the input, which has 2, and count the trips in a carried index.
TestExecutable gatherInTrips(uint32_t times) {
  constexpr abi::Storage input = abi::Storage::input, output = abi::Storage::output,
                         variable = abi::Storage::variable;
  TestExecutable file;
  file.constants = {{1, 0, 0, 0, 0, 0, 0, 0}, std::vector<uint8_t>(8, 0)};
  file.variables = {{"one", ElementType::i64, {1, 1}, 0},
                    {"zero", ElementType::i64, {1, 1}, 1},
                    {"trip", ElementType::i64, {1, 1}}};
  file.variables[2].role = abi::VariableRole::carried;
  TestSignature x{"x", ElementType::f32, {2, 4}}, y{"y", ElementType::f32, {1, 1, 4}};
  TestBuffer index{ElementType::i64, {1, 1}, variable, 2};
  TestProgram whole, begin, trip;
  whole.inputs = {x};
  whole.outputs = {y};
  whole.parts = {{1}, {2, times}};
  begin.name = "begin";
  begin.buffers = {{ElementType::i64, {1, 1}, variable, 1}, index};
  begin.instructions = {{"copy", {0}, {1}}};
  trip.name = "trip";
  trip.inputs = {x};
  trip.outputs = {y};
  trip.buffers = {{ElementType::f32, {2, 4}, input, 0},
                  index,
                  {ElementType::f32, {1, 1, 4}, output, 0},
                  {ElementType::i64, {1, 1}, variable, 0}};
  trip.instructions = {
      {"gather", {0, 1}, {2}, {ints("dim", {0})}},
      {"contract",
       {3, 3, 1},
       {1},
       {ints("lhs_contract", {1}), ints("rhs_contract", {0}), ints("has_addend", {1})}}};
  file.programs = {whole, begin, trip};
  return file;
}

TEST(Parts, StopAtAFailureAndSayWhichRunItWas) {
  Running good(gatherInTrips(2), "forward");
  good.set(0, {1, 2, 3, 4, 5, 6, 7, 8});
  ASSERT_TRUE(good.program->run(good.inputs, good.outputs).isOk());
  EXPECT_EQ(good.result(), (std::vector<float>{5, 6, 7, 8}));
  Running bad(gatherInTrips(4), "forward");
  std::vector<Timing> timings;
  Status status = bad.program->run(bad.inputs, bad.outputs, {&timings, {}});
  ASSERT_FALSE(status.isOk());
  std::string error(status.text());
  EXPECT_EQ(error.find("part \"trip\", run 3 of 4: step 0 (gather): node \"the user's node\": "),
            0U)
      << error;
  EXPECT_EQ(timings.size(), 1U + 2 * 3); // Nothing of the fourth.
}

TEST(Parts, ShareTheThreadsOfTheDevice) {
  auto countThreads = [] {
    std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
  };
  AlignedBytes bytes = turnInParts(5).build();
  Result<Executable> executable = Executable::fromBytes(bytes.bytes(), ".");
  ASSERT_TRUE(executable.isOk()) << executable.takeStatus().text();
  host::HostDevice device(/*threads=*/1);
  auto executor = Executor::create(*executable, device);
  ASSERT_TRUE(executor.isOk());
  auto program = (*executor)->program("forward");
  ASSERT_TRUE(program.isOk());
  alignas(memoryAlignment) float x[numCells] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, y[numCells] = {};
  std::vector<const void *> inputs = {x};
  std::vector<void *> outputs = {y};
  auto before = countThreads();
  for (int run = 0; run < 3; ++run) {
    std::ranges::fill(y, 0.0f);
    ASSERT_TRUE((*program)->run(inputs, outputs).isOk());
    EXPECT_EQ(std::vector<float>(y, y + numCells), (std::vector<float>{5, 6, 7, 8, 0, 1, 2, 3, 4}));
  }
  EXPECT_EQ(countThreads(), before + 1) << "two parts have a second stream";
}

TEST(Parts, ThatCannotBeBoundAreNamed) {
  TestExecutable file = sumInParts(2);
  file.programs[2].instructions[0].name = "no_such_call";
  AlignedBytes bytes = file.build();
  Result<Executable> executable = Executable::fromBytes(bytes.bytes(), ".");
  ASSERT_TRUE(executable.isOk());
  host::HostDevice device(1);
  auto executor = Executor::create(*executable, device);
  ASSERT_TRUE(executor.isOk());
  std::string error((*executor)->program("sum").takeStatus().text());
  EXPECT_NE(error.find("part \"sum.trip\": step 0 (no_such_call)"), std::string::npos) << error;
}

} // namespace
} // namespace sheaf::rt::test
