// Ranks that train in threads save together, go on while that is written, and fail together.
#include "runtime/launch/checkpoint_writer.h"

#include "runtime/comm/thread_communicator.h"
#include "runtime/core/executor.h"
#include "runtime/host/host_device.h"
#include "runtime/io/checkpoint/restore.h"
#include "runtime/io/checkpoint/series.h"
#include "runtime/launch/rank_team.h"
#include "test/runtime/executable_builder.h"
#include "test/runtime/process_folder.h"

#include <cstring>
#include <gtest/gtest.h>

namespace sheaf::rt::launch {
namespace {

using abi::ElementType;
using io::Json;

/// Program train_step adds nothing but copies "other" over "w" (f32[7], cut in four), so that both are trained state.
test::TestExecutable trainedProgram(int64_t numRanks, int64_t extent = 7) {
  test::TestExecutable file;
  file.mesh = {{"data", numRanks}};
  int64_t block = abi::blockOf(extent, numRanks);
  for (const char *name : {"w", "other"}) {
    test::TestVariable variable{name, ElementType::f32, {block}};
    variable.globalDims = {extent};
    variable.cuts = {{{0, 1, numRanks}}};
    variable.role = abi::VariableRole::parameter;
    variable.splat = {0, 0, 128, 63}; // 1
    file.variables.push_back(variable);
  }
  test::TestProgram program;
  program.name = "train_step";
  program.buffers = {{ElementType::f32, {block}, abi::Storage::variable, 0},
                     {ElementType::f32, {block}, abi::Storage::variable, 1}};
  program.instructions = {{"copy", {1}, {0}}};
  file.programs = {program};
  return file;
}

/// What each rank of a job does with its executor.
using Body = std::function<Status(Executor &, Agreement &)>;

Status runRanks(const Executable &executable, const Body &body) {
  int numRanks = executable.mesh().numRanks();
  comm::ThreadWorld world(numRanks, /*timeoutMs=*/20'000);
  return RankTeam{
      .numRanks = numRanks,
      .body =
          [&](int rank) {
            Communicator &communicator = world.communicator(rank);
            host::HostDevice device(1);
            auto agreement = Agreement::create(&communicator);
            if (!agreement.isOk())
              return agreement.takeStatus();
            auto executor = Executor::create(executable, device, {.communicator = &communicator});
            return executor.isOk() ? body(**executor, *agreement) : executor.takeStatus();
          },
      .onFailure = [&](int rank, const Status &cause) { world.communicator(rank).abort(cause); },
      .onStuck = [](const Status &) { std::abort(); }}
      .run();
}

float *valuesOf(Executor &executor, uint32_t variable) {
  return reinterpret_cast<float *>(executor.state().data(variable));
}

/// Sets "w" to 10 times the rank plus `add`, of a block of two.
void setBlock(Executor &executor, int rank, float add) {
  for (int i = 0; i < 2; ++i)
    valuesOf(executor, 0)[i] = static_cast<float>(10 * rank + i) + add;
}

std::filesystem::path series(const char *name) { return test::processFolder() / name; }

TEST(CheckpointWriter, SavesWhileVariablesChangeAndRestoresElsewhere) {
  test::AlignedBytes bytes = trainedProgram(4).build();
  Executable executable = std::move(*Executable::fromBytes(bytes.bytes(), "."));
  Status status = runRanks(executable, [&](Executor &executor, Agreement &agreement) -> Status {
    auto writer =
        CheckpointWriter::create(executable, agreement, {.series = series("saved"), .keep = 2});
    if (!writer.isOk())
      return writer.takeStatus();
    for (int64_t step = 1; step <= 5; ++step) {
      setBlock(executor, agreement.rank(), static_cast<float>(100 * step));
      if (Status status = (*writer)->save(executor.state(), step, {{"epoch", step * 2}});
          !status.isOk())
        return status;
      setBlock(executor, agreement.rank(), -1); // Of no effect: the values were copied.
      if (Status status = (*writer)->poll(); !status.isOk())
        return status;
    }
    Status status = (*writer)->finish();
    EXPECT_FALSE((*writer)->isSaving());
    EXPECT_EQ((*writer)->lastCommitted().filename(), "step-000005");
    return status;
  });
  ASSERT_TRUE(status.isOk()) << status.text();
  auto entries = io::readSeries(series("saved"));
  ASSERT_TRUE(entries.isOk());
  EXPECT_EQ(entries->size(), 2u);

  auto checkpoint = io::Checkpoint::openNewest(series("saved"));
  ASSERT_TRUE(checkpoint.isOk()) << checkpoint.takeStatus().text();
  EXPECT_EQ(checkpoint->index().training, Json({{"epoch", 10}}));
  test::AlignedBytes alone = trainedProgram(1).build();
  Executable one = std::move(*Executable::fromBytes(alone.bytes(), "."));
  status = runRanks(one, [&](Executor &executor, Agreement &) -> Status {
    if (Status status = io::restore(*checkpoint, one, 0, executor.state()); !status.isOk())
      return status;
    std::vector<float> w(valuesOf(executor, 0), valuesOf(executor, 0) + 7);
    EXPECT_EQ(w, (std::vector<float>{500, 501, 510, 511, 520, 521, 530}));
    EXPECT_EQ(valuesOf(executor, 1)[6], 1);
    return {};
  });
  EXPECT_TRUE(status.isOk()) << status.text();
}

/// A writer that can't write on one rank fails the save on all of them; a later one succeeds.
TEST(CheckpointWriter, FailsOnAllRanks) {
  test::AlignedBytes bytes = trainedProgram(3).build();
  Executable executable = std::move(*Executable::fromBytes(bytes.bytes(), "."));
  Status status = runRanks(executable, [&](Executor &executor, Agreement &agreement) -> Status {
    bool isFailing = true;
    auto onStage = [&](std::string_view stage) {
      if (stage == "rank file" && agreement.rank() == 2 && isFailing)
        throw std::runtime_error("the disk is full");
    };
    auto writer = CheckpointWriter::create(executable, agreement,
                                           {.series = series("failed"), .onStage = onStage});
    if (!writer.isOk())
      return writer.takeStatus();
    if (Status status = (*writer)->save(executor.state(), 1, Json::object()); !status.isOk())
      return status;
    Status status = (*writer)->finish();
    EXPECT_EQ(status.text(), "can't save step 1: rank 2: the disk is full");
    EXPECT_FALSE((*writer)->isSaving());
    isFailing = false;
    status = (*writer)->save(executor.state(), 2, Json::object());
    return status.isOk() ? (*writer)->finish() : std::move(status);
  });
  ASSERT_TRUE(status.isOk()) << status.text();
  auto entries = io::readSeries(series("failed"));
  ASSERT_TRUE(entries.isOk());
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_TRUE(entries->front().isComplete());
  EXPECT_EQ(entries->front().step, 2);
}

TEST(CheckpointWriter, ListsAllDifferencesOfAnotherProgram) {
  test::AlignedBytes bytes = trainedProgram(1).build();
  Executable executable = std::move(*Executable::fromBytes(bytes.bytes(), "."));
  test::TestExecutable changed = trainedProgram(1, /*extent=*/8);
  changed.variables[1].name = "new";
  test::AlignedBytes otherBytes = changed.build();
  Executable other = std::move(*Executable::fromBytes(otherBytes.bytes(), "."));
  Status status = runRanks(executable, [&](Executor &executor, Agreement &agreement) -> Status {
    auto writer = CheckpointWriter::create(executable, agreement, {.series = series("differs")});
    if (!writer.isOk())
      return writer.takeStatus();
    if (Status status = (*writer)->save(executor.state(), 1, Json::object()); !status.isOk())
      return status;
    return (*writer)->finish();
  });
  ASSERT_TRUE(status.isOk()) << status.text();
  auto checkpoint = io::Checkpoint::openNewest(series("differs"));
  ASSERT_TRUE(checkpoint.isOk());
  std::string text(io::checkSameVariables(*checkpoint, other).text());
  EXPECT_NE(
      text.find("is not of this program: variables 1 missing in the checkpoint: \"new\"; 1 of "
                "another type or shape: \"w\" (f32[7], wanted f32[8]); 1 only in the "
                "checkpoint: \"other\""),
      std::string::npos)
      << text;
  EXPECT_EQ(io::checkSameVariables(*checkpoint, other, {.allowsMissing = true, .allowsExtra = true})
                .text()
                .find("missing"),
            std::string::npos);
}

} // namespace
} // namespace sheaf::rt::launch
