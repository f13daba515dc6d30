// A process that is killed at any stage of a save leaves the newest checkpoint readable: the new one or the one before.
#include "runtime/io/checkpoint/series.h"
#include "test/runtime/io/checkpoint/saved_program.h"

#include <csignal>
#include <sys/wait.h>

namespace sheaf::rt::io {
namespace {

using abi::ElementType;

SavedProgram smallProgram() {
  return SavedProgram({{"data", 2}},
                      {savedVariable("w", ElementType::f32, {5, 3}, {{{0, 1, 2}}, {}}),
                       savedVariable("step", ElementType::i64, {}, {}, abi::VariableRole::state)});
}

/// Saves in a process of its own that is killed at stage `numStages`. False: the save was over before.
bool saveAndDie(const Executable &executable, const Values &values, const SaveTarget &target,
                int numStages) {
  pid_t child = fork();
  if (child == 0) {
    int count = 0;
    Status status = saveAll(executable, values, target, 16, [&](std::string_view) {
      if (count++ == numStages)
        kill(getpid(), SIGKILL);
    });
    _exit(status.isOk() ? 0 : 1);
  }
  int result = 0;
  waitpid(child, &result, 0);
  EXPECT_TRUE(WIFSIGNALED(result) || WEXITSTATUS(result) == 0);
  return WIFSIGNALED(result);
}

void save(const Executable &executable, const Values &values, const SaveTarget &target) {
  Status status = saveAll(executable, values, target, 16);
  ASSERT_TRUE(status.isOk()) << status.text();
}

/// The step and the values of the newest checkpoint: of the old ones or the new ones, nothing between.
int64_t newestStep(const std::filesystem::path &series, const Executable &executable,
                   const Values &oldValues, const Values &newValues, int64_t newStep) {
  auto latest = latestCheckpoint(series);
  if (!latest.isOk() || !*latest)
    return -1;
  Result<Checkpoint> checkpoint = Checkpoint::open(**latest);
  EXPECT_TRUE(checkpoint.isOk()) << checkpoint.takeStatus().text();
  if (!checkpoint.isOk())
    return -1;
  EXPECT_TRUE(checkpoint->verify().isOk());
  std::vector<std::byte> w(newValues.at("w").size());
  EXPECT_TRUE(
      checkpoint->read(*checkpoint->find("w"), wholeBox(std::vector<int64_t>{5, 3}), w.data())
          .isOk());
  EXPECT_TRUE(w == oldValues.at("w") || w == newValues.at("w"));
  if (checkpoint->index().step == newStep && (**latest).filename() == stepName(newStep))
    return newStep;
  expectReads(*checkpoint, executable, oldValues);
  return checkpoint->index().step;
}

size_t numEntries(const std::filesystem::path &series) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(series), {}));
}

TEST(Crash, LeavesTheOldOrTheNewCheckpoint) {
  SavedProgram program = smallProgram();
  const Executable &executable = program.executable();
  Values oldValues = randomValues(executable, 1), newValues = randomValues(executable, 2);
  bool wasNew = false;
  int stage = 0;
  for (bool isKilled = true; isKilled; ++stage) {
    ASSERT_LT(stage, 200);
    std::filesystem::path series = newFolder("crash");
    save(executable, oldValues, {series, 1, 1, 1});
    isKilled = saveAndDie(executable, newValues, {series, 2, 0xab, 1}, stage);
    int64_t newest = newestStep(series, executable, oldValues, newValues, 2);
    EXPECT_TRUE(newest == 2 || (newest == 1 && !wasNew)) << "stage " << stage;
    wasNew = newest == 2;
    // The next save goes on as if nothing had been, and takes the rest away.
    save(executable, newValues, {series, 3, 3, 1});
    EXPECT_EQ(newestStep(series, executable, oldValues, newValues, 3), 3);
    EXPECT_EQ(numEntries(series), 1u) << "stage " << stage;
  }
  EXPECT_TRUE(wasNew);
  EXPECT_GT(stage, 15);
}

/// The same for a checkpoint that takes the place of one of its own step, which is the only one there is.
TEST(Crash, LeavesACheckpointThatIsReplaced) {
  SavedProgram program = smallProgram();
  const Executable &executable = program.executable();
  Values oldValues = randomValues(executable, 1), newValues = randomValues(executable, 2);
  int stage = 0;
  for (bool isKilled = true; isKilled; ++stage) {
    ASSERT_LT(stage, 200);
    std::filesystem::path series = newFolder("replace");
    save(executable, oldValues, {series, 1, 1});
    isKilled = saveAndDie(executable, newValues, {series, 1, 0xab}, stage);
    EXPECT_EQ(newestStep(series, executable, oldValues, newValues, 1), 1) << "stage " << stage;
    ASSERT_TRUE(cleanSeries(series).isOk());
    EXPECT_EQ(newestStep(series, executable, oldValues, newValues, 1), 1) << "stage " << stage;
    EXPECT_EQ(numEntries(series), 1u) << "stage " << stage;
  }
  EXPECT_GT(stage, 15);
}

} // namespace
} // namespace sheaf::rt::io
