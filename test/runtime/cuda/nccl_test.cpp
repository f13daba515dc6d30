// Ranks that are threads with a GPU each: their collectives, and what becomes of those who wait for a rank in vain.
#include "runtime/comm/thread_communicator.h"
#include "test/runtime/cuda/gpu_program.h"
#include "test/runtime/cuda/standin.h"

#include <gmock/gmock.h>
#include <thread>

namespace sheaf::rt::test {
namespace {

using ::testing::AllOf, ::testing::Each, ::testing::EndsWith, ::testing::HasSubstr, ::testing::Not;

constexpr int numRanks = 3;

/// Stream 1 adds up what all ranks have, then gathers it, `rounds` times.
TestExecutable exchangeFile(uint32_t rounds) {
  TestProgram program;
  program.inputs = {{"x", ElementType::f32, {16}}};
  program.outputs = {{"y", ElementType::f32, {48}}};
  program.numStreams = 2;
  program.numEvents = 2;
  program.arenaBytes = {512};
  program.buffers = {{ElementType::f32, {16}, abi::Storage::input, 0},
                     {ElementType::f32, {48}, abi::Storage::output, 0},
                     {ElementType::f32, {16}, abi::Storage::arena, 0, 0}};
  program.instructions.push_back({"copy", {0}, {2}, {}, 0, {}, {0}});
  for (uint32_t i = 0; i < rounds; ++i) {
    TestInstruction reduce{
        "all_reduce", {2}, {2}, {ints("axes", {0, 1, numRanks}), text("kind", "mean")}, 1};
    TestInstruction gather{
        "all_gather", {2}, {1}, {ints("axes", {0, 1, numRanks}), ints("dims", {0})}, 1};
    if (i == 0)
      reduce.waits = {0};
    reduce.location = "layer" + std::to_string(i);
    gather.location = "block" + std::to_string(i);
    program.instructions.push_back(reduce);
    program.instructions.push_back(gather);
  }
  TestExecutable file;
  file.mesh = {{"data", numRanks}};
  file.programs = {program};
  return file;
}

/// Runs `body(program, communicator)` for each rank of the file's mesh; returns what came of it.
std::vector<std::string> runRanks(const TestExecutable &file, int timeoutMs,
                                  const std::function<Status(GpuProgram &, Communicator &)> &body) {
  int count = 1;
  for (const TestAxis &axis : file.mesh)
    count *= static_cast<int>(axis.size);
  comm::ThreadWorld world(count, timeoutMs);
  std::vector<std::string> errors(static_cast<size_t>(count));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] {
      GpuProgram program(file, rank, &world.communicator(rank));
      Status status = program.bind();
      if (status.isOk()) {
        program.set(0, std::vector<float>(16, static_cast<float>(rank)));
        status = body(program, world.communicator(rank));
      }
      if (!status.isOk())
        world.communicator(rank).abort(status);
      errors[static_cast<size_t>(rank)] = status.text();
    });
  for (std::thread &thread : threads)
    thread.join();
  return errors;
}

/// Adds up over every set of axes of a mesh of 2 x 2 x 2; output i is of the axes whose bits are set in i + 1.
TestExecutable cubeFile() {
  TestProgram program;
  program.inputs = {{"x", ElementType::f32, {16}}};
  program.buffers = {{ElementType::f32, {16}, abi::Storage::input, 0}};
  program.numStreams = 2;
  for (uint32_t set = 1; set < 8; ++set) {
    program.outputs.push_back({"y" + std::to_string(set), ElementType::f32, {16}});
    program.buffers.push_back({ElementType::f32, {16}, abi::Storage::output, set - 1});
    std::vector<int64_t> axes;
    for (int axis = 0; axis < 3; ++axis)
      if (set >> axis & 1)
        axes.insert(axes.end(), {axis, 1, 2});
    program.instructions.push_back(
        {"all_reduce", {0}, {set}, {ints("axes", axes), text("kind", "sum")}, 1});
  }
  TestExecutable file;
  file.mesh = {{"data", 2}, {"seq", 2}, {"tensor", 2}};
  file.programs = {program};
  return file;
}

TEST(Nccl, GroupsOfAMeshOfThreeAxesAreThoseOfItsAxes) {
  EXPECT_THAT(
      runRanks(cubeFile(), 120'000,
               [](GpuProgram &program, Communicator &communicator) {
                 Status status = program.run();
                 for (unsigned set = 1; status.isOk() && set < 8; ++set) {
                   // Axis 0 is the slowest: the 4 of a rank's number.
                   unsigned mask = (set & 1) << 2 | (set & 2) | set >> 2;
                   int sum = 0;
                   for (int rank = 0; rank < 8; ++rank)
                     if (((rank ^ communicator.rank()) & static_cast<int>(~mask)) == 0)
                       sum += rank;
                   EXPECT_THAT(program.get<float>(set - 1, 16), Each(static_cast<float>(sum)))
                       << "axes " << set;
                 }
                 return status;
               }),
      Each(""));
}

TEST(Nccl, MemoryOfCollectivesIsRegisteredOnceAndTakenBack) {
  ASSERT_TRUE(cuda::checkUsable().isOk());
  uint64_t before = registrations();
  EXPECT_THAT(runRanks(exchangeFile(2), 60'000,
                       [](GpuProgram &program, Communicator &) {
                         for (int run = 0; run < 4; ++run)
                           if (Status status = program.run(); !status.isOk())
                             return status;
                         EXPECT_THAT(program.get<float>(0, 48), Each(1.0f));
                         return Status();
                       }),
              Each(""));
  // On each rank the arena and the output.
  EXPECT_EQ(registrations() - before, 2u * numRanks);
  for (int rank = 0; rank < numRanks; ++rank)
    EXPECT_EQ(standinFailure(rank), ""); // Memory that is freed is not registered any more.
}

/// The blocks that the stand-in for NCCL has given and not taken back.
size_t blocksOfNccl() {
  void *library = ::dlopen("libnccl.so.2", RTLD_NOW | RTLD_NOLOAD);
  return reinterpret_cast<size_t (*)()>(::dlsym(library, "sheafStandinMappedBlocks"))();
}

TEST(Nccl, LargeBlocksAreMemoryOfNcclWhereThereAreOtherRanks) {
  TestExecutable file = exchangeFile(2);
  file.programs[0].arenaBytes = {9 << 20};
  uint64_t before = registrations();
  EXPECT_THAT(runRanks(file, 60'000,
                       [](GpuProgram &program, Communicator &) {
                         EXPECT_GE(blocksOfNccl(), 1u); // At least its own.
                         for (int run = 0; run < 3; ++run)
                           if (Status status = program.run(); !status.isOk())
                             return status;
                         EXPECT_THAT(program.get<float>(0, 48), Each(1.0f));
                         return Status();
                       }),
              Each(""));
  EXPECT_EQ(registrations() - before, 2u * numRanks);
  EXPECT_EQ(blocksOfNccl(), 0u);
  for (int rank = 0; rank < numRanks; ++rank)
    EXPECT_EQ(standinFailure(rank), "");
}

TEST(Nccl, WhatOneRankCannotRecordAllIssue) {
  ASSERT_TRUE(cuda::checkUsable().isOk());
  uint64_t launched = graphLaunches();
  {
    PlantedFault fault("break_capture:1@1");
    EXPECT_THAT(runRanks(exchangeFile(2), 60'000,
                         [](GpuProgram &program, Communicator &) {
                           for (int run = 0; run < 4; ++run)
                             if (Status status = program.run(); !status.isOk())
                               return status;
                           EXPECT_THAT(program.get<float>(0, 48), Each(1.0f));
                           return Status();
                         }),
                Each(""));
  }
  EXPECT_EQ(graphLaunches(), launched);
  for (int rank = 0; rank < numRanks; ++rank)
    EXPECT_EQ(standinFailure(rank), "") << "where some record a call and some don't";
}

TEST(Nccl, ARankThatDoesNotComeIsNamedWithTheCollective) {
  for (int numRuns : {0, 3}) { // In the first run, and in a graph.
    std::vector<std::string> errors = runRanks(
        exchangeFile(1), /*timeoutMs=*/3000, [&](GpuProgram &program, Communicator &communicator) {
          for (int run = 0; run < numRuns; ++run)
            if (Status status = program.run(); !status.isOk())
              return status;
          while (communicator.rank() == 1 && communicator.failure().isOk())
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
          return communicator.rank() == 1 ? Status() : program.run();
        });
    for (int rank : {0, 2})
      EXPECT_THAT(errors[static_cast<size_t>(rank)],
                  AllOf(HasSubstr("all_reduce of node \"layer0\""),
                        HasSubstr("rank 1 did not come within 3 s; ranks 0, 2 wait")));
  }
}

TEST(Nccl, ARankThatFailsEndsTheWaitOfTheOthers) {
  std::vector<std::string> errors =
      runRanks(exchangeFile(1), 60'000, [](GpuProgram &program, Communicator &communicator) {
        if (communicator.rank() != 2)
          return program.run();
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        return Status::failed("the disk is full");
      });
  EXPECT_EQ(errors[2], "the disk is full");
  for (int rank : {0, 1})
    EXPECT_THAT(errors[static_cast<size_t>(rank)],
                EndsWith("all_reduce of node \"layer0\": rank 2 failed: the disk is full"));
}

TEST(Nccl, AnErrorThatNcclTellsLaterEndsAllRanks) {
  ASSERT_TRUE(cuda::checkUsable().isOk());
  // From the start on, in runs, and while steps are recorded.
  for (int question = 15; question < 120; ++question) {
    PlantedFault fault(("async_error:" + std::to_string(question) + "@1").c_str());
    std::vector<std::string> errors =
        runRanks(exchangeFile(3), /*timeoutMs=*/60'000, [](GpuProgram &program, Communicator &) {
          for (;;)
            if (Status status = program.run(); !status.isOk())
              return status;
        });
    EXPECT_THAT(errors[1], HasSubstr("unhandled system error"));
    for (int rank : {0, 2})
      EXPECT_THAT(errors[static_cast<size_t>(rank)],
                  AllOf(HasSubstr("rank 1 failed: "), HasSubstr("unhandled system error")));
  }
}

TEST(Nccl, CollectivesInAnotherOrderOnOneRankAreFound) {
  ASSERT_TRUE(cuda::checkUsable().isOk());
  PlantedFault fault("swap_collectives:1@1");
  std::vector<std::string> errors = runRanks(
      exchangeFile(1), 10'000, [](GpuProgram &program, Communicator &) { return program.run(); });
  EXPECT_THAT(errors, Each(Not("")));
  std::string found = standinFailure(0) + standinFailure(1) + standinFailure(2);
  EXPECT_THAT(found, HasSubstr("differs among the ranks of communicator"));
  EXPECT_THAT(found, HasSubstr("rank 1 calls all_gather"));
  resetGpus(numRanks);
}

} // namespace
} // namespace sheaf::rt::test
