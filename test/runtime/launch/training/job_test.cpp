// Jobs of thread ranks: what is told, what is saved and where runs end.
#include "runtime/abi/calls.h"
#include "runtime/launch/training/job.h"
#include "test/runtime/launch/sharded_models.h"
#include "test/runtime/launch/training/data_files.h"

#include <csignal>
#include <gmock/gmock.h>
#include <mutex>

namespace sheaf::rt::launch {
namespace {

using abi::ElementType;
using ::testing::ElementsAre, ::testing::HasSubstr;

/// On two ranks: takes two samples a step, one on each rank; its loss is always 1.
rt::test::TestExecutable stepModel() {
  rt::test::TestExecutable file;
  file.mesh = {{"data", 2}};
  file.constants = {rt::test::toBytes(std::vector<float>{1})};
  file.variables = {{"one", ElementType::f32, {}, 0}};
  rt::test::TestProgram program;
  program.name = "train_step";
  program.microBatches = 1;
  program.inputs = {{"x", ElementType::f32, {1, 1}, UINT32_MAX, {1, 2}, {{}, {{0, 1, 2}}}}};
  program.outputs = {{"loss", ElementType::f32, {}}};
  program.buffers = {{ElementType::f32, {}, abi::Storage::variable, 0},
                     {ElementType::f32, {}, abi::Storage::output, 0}};
  program.instructions = {{abi::calls::copy, {0}, {1}}};
  file.programs = {program};
  return file;
}

/// What savers of all ranks were asked for.
struct Saved {
  std::mutex mutex;
  std::vector<int64_t> steps;
  int numPolls = 0, numEnds = 0;
};

class CountingSaver final : public TrainingSaver {
public:
  explicit CountingSaver(Saved &counts) : counts(counts) {}

  Status save(const Variables &variables, const TrainingPosition &position) override {
    EXPECT_NE(variables.data(0), nullptr);
    std::lock_guard lock(counts.mutex);
    counts.steps.push_back(position.step);
    return {};
  }
  Status poll() override {
    std::lock_guard lock(counts.mutex);
    ++counts.numPolls;
    return {};
  }
  Status finish() override {
    std::lock_guard lock(counts.mutex);
    ++counts.numEnds;
    return {};
  }
  std::string saved() const override { return "there"; }

private:
  Saved &counts;
};

/// Notes steps, and does something after each.
class Notes final : public TrainingListener {
public:
  Status onStep(const StepFacts &facts) override {
    steps.push_back(facts.step);
    EXPECT_EQ(facts.metrics.loss(), 1);
    return afterStep ? afterStep(facts.step) : Status();
  }
  Status onEval(const EvalFacts &) override { return {}; }
  void onWarning(std::string_view) override {}
  void onStop(int64_t step) override { stop = step; }

  std::vector<int64_t> steps;
  int64_t stop = 0;
  std::function<Status(int64_t)> afterStep;
};

class TrainingJob : public ::testing::Test {
protected:
  TrainingJob() : files(open()), columns(test::columnsOf({{"", data()}})) {
    const ProgramInfo &program = *files.executable().findProgram("train_step");
    feed.emplace(std::move(*SampleFeed::match(program, columns, "")));
    request = {.feed = &*feed,
               .plan = {.numSamples = feed->numSamples(), .samplesPerStep = 2, .steps = 5},
               .start = {},
               .listener = &notes,
               .onProgress = {},
               .makeSaver = [this](Session &, Agreement &, TrainingPosition &) {
                 return Result<std::unique_ptr<TrainingSaver>>(
                     std::make_unique<CountingSaver>(saved));
               }};
  }

  static ModelFiles open() {
    std::filesystem::path path = rt::test::processFolder() / "step.sheaf";
    rt::test::writeExecutable(path, stepModel());
    return std::move(*ModelFiles::open(path, ""));
  }
  static std::filesystem::path data() {
    return test::storeCounted<float>("steps.npy", ElementType::f32, {5});
  }

  Result<TrainingJobReport> train() {
    return trainThreads(files, request, {.timeoutMs = 20'000, .onStuck = [](const Status &) {
                                           ADD_FAILURE() << "a rank did not end";
                                           std::abort();
                                         }});
  }

  Saved saved;
  Notes notes;
  ModelFiles files;
  std::vector<Column> columns;
  std::optional<SampleFeed> feed;
  TrainingRequest request;
};

TEST_F(TrainingJob, SavesNowAndThenAndAtTheEnd) {
  request.saveEvery = 2;
  Result<TrainingJobReport> report = train();
  ASSERT_TRUE(report.isOk()) << report.takeStatus().text();
  EXPECT_THAT(notes.steps, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(saved.steps, ElementsAre(2, 2, 4, 4, 5, 5)); // by both ranks
  EXPECT_EQ(saved.numPolls, 10);
  EXPECT_EQ(saved.numEnds, 2);
  EXPECT_EQ(report->training.saved, "there");
  EXPECT_EQ(report->training.end, TrainingEnd::done);
  EXPECT_EQ(report->training.position, (TrainingPosition{5, 2, 2, 0}));
  EXPECT_EQ(report->ranks.size(), 2u);
}

TEST_F(TrainingJob, GoesOnFromARestoredPosition) {
  auto make = request.makeSaver;
  request.makeSaver = [&](Session &session, Agreement &agreement, TrainingPosition &position) {
    position = {.step = 3, .epoch = 1, .sample = 2, .seed = 0};
    return make(session, agreement, position);
  };
  Result<TrainingJobReport> report = train();
  ASSERT_TRUE(report.isOk()) << report.takeStatus().text();
  EXPECT_THAT(notes.steps, ElementsAre(4, 5));
  EXPECT_THAT(saved.steps, ElementsAre(5, 5));
  EXPECT_EQ(report->training.stepsRun, 2);
  EXPECT_EQ(report->training.position, (TrainingPosition{5, 2, 2, 0}));
}

TEST_F(TrainingJob, DoesNothingWhenAllIsDone) {
  request.start = {.step = 5, .epoch = 2, .sample = 2, .seed = 0};
  ASSERT_TRUE(train().isOk());
  EXPECT_TRUE(notes.steps.empty());
  EXPECT_TRUE(saved.steps.empty());
}

TEST_F(TrainingJob, SavesWhenItIsAskedToStop) {
  StopSignal stop;
  request.stop = &stop;
  notes.afterStep = [](int64_t step) {
    if (step == 2)
      std::raise(SIGINT);
    return Status();
  };
  Result<TrainingJobReport> report = train();
  ASSERT_TRUE(report.isOk()) << report.takeStatus().text();
  EXPECT_EQ(report->training.end, TrainingEnd::stopped);
  EXPECT_THAT(notes.steps, ElementsAre(1, 2, 3)); // The third is the one that it was in.
  EXPECT_EQ(notes.stop, 3);
  EXPECT_THAT(saved.steps, ElementsAre(3, 3));
}

TEST_F(TrainingJob, FailsOnAllRanksWhenOneFails) {
  notes.afterStep = [](int64_t step) {
    return step == 2 ? Status::failed("the disk is full") : Status();
  };
  Result<TrainingJobReport> report = train();
  ASSERT_FALSE(report.isOk());
  EXPECT_EQ(report.takeStatus().text(), "rank 0: the disk is full");
  EXPECT_EQ(saved.numEnds, 0);
}

TEST_F(TrainingJob, RefusesAPositionOutOfTheData) {
  request.start.sample = 6;
  Result<TrainingJobReport> report = train();
  ASSERT_FALSE(report.isOk());
  EXPECT_THAT(std::string(report.takeStatus().text()), HasSubstr("can't go on from sample 6"));
}

TEST(StepMetrics, RefusesWhatCantBeTold) {
  auto refusal = [](std::vector<rt::test::TestSignature> outputs) {
    rt::test::TestExecutable file;
    rt::test::TestProgram program;
    program.name = "train_step";
    program.outputs = std::move(outputs);
    file.programs = {program};
    rt::test::AlignedBytes bytes = file.build();
    Result<Executable> executable = Executable::fromBytes(bytes.bytes(), "");
    EXPECT_TRUE(executable.isOk()) << executable.takeStatus().text();
    constexpr std::string_view needed[] = {"loss"}, taken[] = {"step"};
    return std::string(StepMetrics::check(executable->programs().front(), needed, taken).text());
  };
  rt::test::TestSignature loss{"loss", ElementType::f32, {}};
  EXPECT_EQ(refusal({loss, {"skipped", ElementType::boolean, {}}}), "");
  EXPECT_EQ(refusal({}), "program \"train_step\" has no output \"loss\"");
  EXPECT_EQ(refusal({loss, {"y", ElementType::f32, {2}}}),
            "output \"y\" f32[2] of program \"train_step\" is no scalar that could be told");
  EXPECT_THAT(refusal({loss, {"y", ElementType::f8E5M2, {}}}), HasSubstr("is no scalar"));
  EXPECT_THAT(refusal({loss, {"step", ElementType::i64, {}}}),
              HasSubstr("has the name of something that is told anyway"));
}

} // namespace
} // namespace sheaf::rt::launch
