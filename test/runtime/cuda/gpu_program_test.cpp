// Programs on a GPU: their streams, repeated runs, timings and errors.
#include "runtime/cuda/run_queue.h"
#include "test/runtime/cuda/gpu_program.h"
#include "test/runtime/cuda/standin.h"
#include "test/runtime/parts_program.h"

#include <gmock/gmock.h>
#include <numeric>

namespace sheaf::rt::test {
namespace {

constexpr auto arena = abi::Storage::arena;
constexpr auto input = abi::Storage::input;
constexpr auto output = abi::Storage::output;

std::vector<float> counted(size_t count, float first = 0) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

/// Stream 1 transposes what stream 0 has copied, stream 0 transposes it back, and so on.
TestExecutable zigzag(uint32_t steps) {
  TestProgram program;
  program.inputs = {{"x", ElementType::f32, {8, 8}}};
  program.outputs = {{"y", ElementType::f32, {8, 8}}};
  program.arenaBytes = {(steps + 1) * 256};
  program.numStreams = 2;
  program.numEvents = steps + 1;
  program.buffers = {{ElementType::f32, {8, 8}, input, 0}, {ElementType::f32, {8, 8}, output, 0}};
  for (uint32_t i = 0; i <= steps; ++i) {
    program.buffers.push_back({ElementType::f32, {8, 8}, arena, 0, i * 256});
    program.buffers.push_back({ElementType::f32, {8, 8}, arena, 0, i * 256, {1, 8}});
  }
  program.instructions.push_back({"copy", {0}, {2}, {}, 0, {}, {0}});
  for (uint32_t i = 0; i < steps; ++i)
    program.instructions.push_back(
        {"copy", {3 + 2 * i}, {4 + 2 * i}, {}, (i + 1) % 2, {i}, {i + 1}});
  program.instructions.push_back({"copy", {2 + 2 * steps}, {1}, {}, 0, {steps}, {}});
  TestExecutable file;
  file.programs = {program};
  return file;
}

TEST(GpuProgram, RunsStreamsInTheOrderOfTheirEvents) {
  GpuProgram program(zigzag(20));
  ASSERT_TRUE(program.bind().isOk());
  // Issued, recorded as a graph, launched; then with other memory.
  for (int run = 0; run < 5; ++run) {
    if (run == 3)
      program.moveInputs();
    program.set(0, counted(64, static_cast<float>(run)));
    Status status = program.run();
    ASSERT_TRUE(status.isOk()) << status.text();
    EXPECT_EQ(program.get<float>(0, 64), counted(64, static_cast<float>(run))) << "run " << run;
  }
}

TEST(GpuProgram, WaitsForTheGpuOnceAStreamAndLaunchesAGraphFromTheSecondRunOn) {
  for (uint32_t steps : {2, 30}) {
    GpuProgram program(zigzag(steps));
    ASSERT_TRUE(program.bind().isOk());
    program.set(0, counted(64));
    uint64_t launched = graphLaunches();
    for (uint64_t run = 0; run < 4; ++run) {
      uint64_t waits = hostWaits();
      ASSERT_TRUE(program.run().isOk());
      EXPECT_EQ(hostWaits() - waits, 2u) << "at its end, for both streams";
      EXPECT_EQ(graphLaunches() - launched, run);
    }
    // With other memory it is issued again, and recorded after that.
    program.moveInputs();
    program.set(0, counted(64));
    launched = graphLaunches();
    ASSERT_TRUE(program.run().isOk());
    EXPECT_EQ(graphLaunches() - launched, 0u);
    ASSERT_TRUE(program.run().isOk());
    EXPECT_EQ(graphLaunches() - launched, 1u);
  }
}

TEST(GpuProgram, IssuesStepsEachTimeWhereTheyCannotBeRecorded) {
  GpuProgram program(zigzag(6));
  ASSERT_TRUE(program.bind().isOk());
  PlantedFault fault("break_capture:1");
  uint64_t launched = graphLaunches();
  for (int run = 0; run < 4; ++run) {
    program.set(0, counted(64, static_cast<float>(run)));
    Status status = program.run();
    ASSERT_TRUE(status.isOk()) << status.text();
    EXPECT_EQ(program.get<float>(0, 64), counted(64, static_cast<float>(run))) << "run " << run;
  }
  EXPECT_EQ(graphLaunches(), launched);
}

/// Doubles one number by a kernel of a pointer and a parameter of that type, with these buffers.
TestExecutable doubling(std::string_view secondType, std::vector<uint32_t> ins,
                        std::vector<uint32_t> outs) {
  TestProgram program;
  program.inputs = {{"x", ElementType::f32, {}}};
  program.outputs = {{"y", ElementType::f32, {}}};
  program.buffers = {{ElementType::f32, {}, input, 0}, {ElementType::f32, {}, output, 0}};
  TestInstruction kernel{"twice", std::move(ins), std::move(outs)};
  kernel.kind = abi::InstructionKind::kernel;
  kernel.grid = kernel.blockThreads = 1;
  program.instructions = {kernel};
  TestExecutable file;
  file.programs = {program};
  file.ptx = ".version 7.0\n.target sm_80\n.address_size 64\n"
             ".visible .entry twice(.param .u64 in, .param ." +
             std::string(secondType) +
             " out) {\n"
             "  .reg .b64 %rd<3>; .reg .f32 %f<3>;\n"
             "  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];\n"
             "  ld.global.f32 %f1, [%rd1]; add.f32 %f2, %f1, %f1; st.global.f32 [%rd2], %f2; ret;\n"
             "}\n";
  return file;
}

TEST(GpuProgram, KernelsAreGivenTheBuffersThatTheyTake) {
  {
    GpuProgram program(doubling("u64", {0}, {1}));
    ASSERT_TRUE(program.bind().isOk());
    program.set(0, std::vector<float>{3});
    ASSERT_TRUE(program.run().isOk());
    EXPECT_EQ(program.get<float>(0, 1), std::vector<float>{6});
  }
  auto textOf = [](const TestExecutable &file) {
    return std::string(GpuProgram(file).bind().text());
  };
  EXPECT_THAT(textOf(doubling("u64", {}, {1})),
              testing::HasSubstr("its kernel has more than the 1 parameters that it is given"));
  EXPECT_THAT(textOf(doubling("u64", {0, 0}, {1})),
              testing::HasSubstr("its kernel has 2 parameters; it is given 3"));
  EXPECT_THAT(textOf(doubling("u32", {0}, {1})),
              testing::HasSubstr("parameter 1 of its kernel has 4 bytes, which is no pointer"));
}

TEST(GpuProgram, AMissingEventIsFound) {
  for (int wait = 1; wait <= 6; ++wait) {
    {
      GpuProgram program(zigzag(5));
      ASSERT_TRUE(program.bind().isOk());
      program.set(0, counted(64));
      PlantedFault fault(("drop_wait:" + std::to_string(wait)).c_str());
      Status status = program.run();
      EXPECT_FALSE(status.isOk()) << "wait " << wait;
      EXPECT_THAT(standinFailure(0),
                  testing::AnyOf(testing::HasSubstr("nothing orders the two"),
                                 testing::HasSubstr("which nothing has written")));
    }
    resetGpus(1);
  }
}

std::vector<float> turned(std::vector<float> values, uint32_t times) {
  std::ranges::rotate(values, values.begin() + times % values.size());
  return values;
}

TEST(GpuProgram, RunsPartsWithoutTheHost) {
  for (uint32_t times : {1, 2, 5}) {
    GpuProgram program(turnInParts(times));
    ASSERT_TRUE(program.bind().isOk());
    for (int run = 0; run < 5; ++run) {
      if (run == 3)
        program.moveInputs();
      std::vector<float> values = counted(numCells, static_cast<float>(run));
      program.set(0, values);
      uint64_t trips = roundTrips(), launched = graphLaunches(), single = singleOperations();
      Status status = program.run();
      ASSERT_TRUE(status.isOk()) << status.text();
      EXPECT_EQ(roundTrips() - trips, 1u) << times << " trips, run " << run;
      // With other memory it is issued again; the trips, which the input is not for, are not.
      uint64_t graphs = run == 0 ? 0 : run == 3 ? times + 1 : times + 2;
      EXPECT_EQ(graphLaunches() - launched, graphs) << times << " trips, run " << run;
      uint64_t issued = run == 0 ? 1 + 5 * times + 3 : run == 3 ? 1 : 0;
      EXPECT_EQ(singleOperations() - single, issued) << times << " trips, run " << run;
      EXPECT_EQ(program.get<float>(0, numCells), turned(values, times)) << "run " << run;
    }
  }
}

TEST(GpuProgram, TheHostRunsAheadOfManyPartsOnlySoFar) {
  constexpr uint32_t times = 3 * cuda::RunQueue::maxRuns + 5;
  GpuProgram program(turnInParts(times));
  ASSERT_TRUE(program.bind().isOk());
  program.set(0, counted(numCells));
  for (int run = 0; run < 3; ++run) {
    Status status = program.run();
    ASSERT_TRUE(status.isOk()) << status.text();
    EXPECT_EQ(program.get<float>(0, numCells), turned(counted(numCells), times));
  }
}

/// What the stand-in says after `numRuns` runs of parts, the last of them with a fault; "" when it was not planted.
std::string failureOfParts(uint32_t times, int numRuns, const std::string &fault) {
  std::string failure;
  {
    GpuProgram program(turnInParts(times));
    EXPECT_TRUE(program.bind().isOk());
    program.set(0, counted(numCells));
    for (int run = 1; run < numRuns; ++run)
      EXPECT_TRUE(program.run().isOk());
    PlantedFault planted(fault.c_str());
    Status status = program.run();
    std::vector<float> result(numCells);
    auto *to = reinterpret_cast<std::byte *>(result.data());
    Status read = program.device->download(program.output(0), to, 4 * numCells);
    failure = standinFailure(0);
    EXPECT_EQ(failure.empty(), status.isOk() && read.isOk()) << fault;
  }
  resetGpus(1);
  return failure;
}

TEST(GpuProgram, AMissingOrderOfPartsIsFound) {
  // In the first run: 2 waits within each trip and 1 in the end; before all of them but the begin one for the second
  // stream, and behind each trip one for the first.
  constexpr int numWaits = 3 * 2 + 1 + 4 + 3;
  for (int wait = 1; wait <= numWaits; ++wait)
    EXPECT_THAT(failureOfParts(3, 1, "drop_wait:" + std::to_string(wait)),
                testing::AnyOf(testing::HasSubstr("nothing orders the two"),
                               testing::HasSubstr("which nothing has written")))
        << "wait " << wait;
  EXPECT_EQ(failureOfParts(3, 1, "drop_wait:" + std::to_string(numWaits + 1)), "");
  // In the second: a graph for the begin, two for the trips and one for the end.
  for (int graph = 1; graph <= 4; ++graph)
    EXPECT_THAT(failureOfParts(2, 2, "stray_graph:" + std::to_string(graph)),
                testing::HasSubstr("nothing orders the two"))
        << "graph " << graph;
  EXPECT_EQ(failureOfParts(2, 2, "stray_graph:5"), "");
}

TEST(GpuProgram, IssuesThePartThatCannotBeRecorded) {
  GpuProgram program(turnInParts(4));
  ASSERT_TRUE(program.bind().isOk());
  program.set(0, counted(numCells));
  PlantedFault fault("break_capture:2");
  for (int run = 0; run < 4; ++run) {
    uint64_t launched = graphLaunches();
    Status status = program.run();
    ASSERT_TRUE(status.isOk()) << status.text();
    EXPECT_EQ(graphLaunches() - launched, run == 0 ? 0u : 2u) << "the begin and the end";
    EXPECT_EQ(program.get<float>(0, numCells), turned(counted(numCells), 4));
  }
}

TEST(GpuProgram, TimesEachInstructionOfEachRunOfAPart) {
  GpuProgram program(turnInParts(3));
  ASSERT_TRUE(program.bind().isOk());
  program.set(0, counted(numCells));
  std::vector<Timing> timings;
  ASSERT_TRUE(program.run({.timings = &timings, .onStep = {}}).isOk());
  ASSERT_EQ(timings.size(), 1u + 3 * 5 + 3);
  // Each run of a part begins when the one before has ended.
  std::vector<size_t> sizes = {1, 5, 5, 5, 3};
  int64_t end = 0;
  auto timing = timings.begin();
  for (size_t size : sizes) {
    auto next = timing + static_cast<ptrdiff_t>(size);
    for (auto own = timing; own != next; ++own)
      EXPECT_GE(own->startNs, end);
    for (; timing != next; ++timing)
      end = std::max(end, timing->endNs);
  }
}

TEST(GpuProgram, TimesEachInstruction) {
  GpuProgram program(zigzag(4));
  ASSERT_TRUE(program.bind().isOk());
  program.set(0, counted(64));
  std::vector<Timing> timings;
  ASSERT_TRUE(program.run({.timings = &timings, .onStep = {}}).isOk());
  ASSERT_EQ(timings.size(), 6u);
  for (size_t i = 0; i < timings.size(); ++i) {
    EXPECT_GE(timings[i].endNs, timings[i].startNs);
    if (i > 0)
      EXPECT_GE(timings[i].startNs, timings[i - 1].endNs) << "each waits for the one before";
  }
}

TEST(GpuProgram, NamesTheNodeWhoseIndexIsOutOfRange) {
  TestProgram program;
  program.inputs = {{"data", ElementType::f32, {5, 4}}, {"indices", ElementType::i64, {3}}};
  program.outputs = {{"y", ElementType::f32, {3, 4}}};
  program.buffers = {{ElementType::f32, {5, 4}, input, 0},
                     {ElementType::i64, {3}, input, 1},
                     {ElementType::f32, {3, 4}, output, 0}};
  TestInstruction gather{"gather", {0, 1}, {2}, {ints("dim", {0})}};
  gather.location = "embed";
  program.instructions = {gather};
  TestExecutable file;
  file.programs = {program};
  GpuProgram running(file);
  ASSERT_TRUE(running.bind().isOk());
  running.set(0, counted(20));
  for (int64_t bad : {5, -6}) {
    running.set<int64_t>(1, {0, bad, 2});
    Status status = running.run();
    EXPECT_EQ(status.text(), "step 0 (gather): node \"embed\": index " + std::to_string(bad) +
                                 " is out of range for an extent of 5");
    // The next run is not told of it, nor that of a step that failed in the same run.
    running.set<int64_t>(1, {4, -5, 2});
    ASSERT_TRUE(running.run().isOk());
    EXPECT_EQ(running.get<float>(0, 12),
              (std::vector<float>{16, 17, 18, 19, 0, 1, 2, 3, 8, 9, 10, 11}));
  }
}

TEST(GpuProgram, MultipliesMatricesWithBiasAndActivation) {
  TestProgram program;
  program.inputs = {{"a", ElementType::f32, {2, 3}},
                    {"b", ElementType::f32, {3, 4}},
                    {"bias", ElementType::f32, {4}}};
  program.outputs = {{"y", ElementType::f32, {2, 4}}};
  program.buffers = {{ElementType::f32, {2, 3}, input, 0},
                     {ElementType::f32, {3, 4}, input, 1},
                     {ElementType::f32, {4}, input, 2},
                     {ElementType::f32, {2, 4}, output, 0}};
  program.instructions = {{"contract",
                           {0, 1, 2},
                           {3},
                           {ints("lhs_contract", {1}), ints("rhs_contract", {0}),
                            ints("has_bias", {1}), text("activation", "relu")}}};
  TestExecutable file;
  file.programs = {program};
  GpuProgram running(file);
  Status bound = running.bind();
  ASSERT_TRUE(bound.isOk()) << bound.text();
  running.set<float>(0, {1, 2, 3, -1, -2, -3});
  running.set<float>(1, {1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1});
  running.set<float>(2, {10, 0, 0, -100});
  for (int run = 0; run < 3; ++run) {
    Status status = running.run();
    ASSERT_TRUE(status.isOk()) << status.text();
    EXPECT_EQ(running.get<float>(0, 8), (std::vector<float>{11, 2, 3, 0, 9, 0, 0, 0}));
  }
}

TEST(GpuProgram, SaysWhichGpuIsMissing) {
  Result<std::unique_ptr<Device>> device = cuda::openDevice(1000);
  ASSERT_FALSE(device.isOk());
  EXPECT_NE(std::string(device.takeStatus().text()).find("rank number 1000"), std::string::npos);
}

} // namespace
} // namespace sheaf::rt::test
