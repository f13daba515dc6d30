// Jobs of several ranks that are threads: inputs are cut, outputs put together, and the first failure is told.
#include "runtime/comm/thread_communicator.h"
#include "runtime/launch/compare.h"
#include "runtime/launch/job.h"
#include "runtime/launch/rank_team.h"
#include "test/runtime/launch/sharded_models.h"
#include "test/runtime/process_folder.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sheaf::rt::launch {
namespace {

using abi::ElementType;
using ::testing::MatchesRegex;

std::filesystem::path store(const std::string &name, ElementType type, std::vector<int64_t> dims,
                            const std::vector<uint8_t> &data) {
  std::filesystem::path path = test::processFolder() / name;
  std::string header = io::makeNpyHeader(type, dims);
  std::ofstream(path, std::ios::binary) << header << std::string(data.begin(), data.end());
  return path;
}

/// A model on the disk with an input for it.
struct Model {
  ModelFiles files;
  const ProgramInfo *program;
  InputValues inputs;

  static Model open(const test::TestExecutable &file, const InputArgument &argument) {
    std::filesystem::path path = test::processFolder() / "model.sheaf";
    test::writeExecutable(path, file);
    test::writeBytes(test::processFolder() / "w.bin", test::toBytes(test::counted(30)));
    ModelFiles files = std::move(*ModelFiles::open(path, ""));
    const ProgramInfo *program = files.executable().findProgram("forward");
    InputValues inputs = std::move(*InputValues::open(*program, {argument}, std::nullopt));
    return {std::move(files), program, std::move(inputs)};
  }

  Result<JobReport> run(int repeat = 1) const {
    JobRequest request{.program = program, .inputs = &inputs};
    request.run.repeat = repeat;
    return runThreads(files, request, {.timeoutMs = 20'000, .onStuck = [](const Status &) {
                                         ADD_FAILURE() << "a rank did not end";
                                         std::abort();
                                       }});
  }
};

InputArgument counting() {
  std::vector<float> values = test::counted(30);
  for (float &value : values)
    value += 100;
  return {"x", store("x.npy", ElementType::f32, {5, 6}, test::toBytes(values))};
}

std::vector<float> valuesOf(const JobReport &report, size_t output) {
  const auto *data = reinterpret_cast<const float *>(report.outputs.data(output));
  return {data, data + report.outputs.bytes(output) / sizeof(float)};
}

TEST(Job, CutsInputsAndPutsOutputsTogether) {
  Model model = Model::open(test::shardedModel(), counting());
  Result<JobReport> report = model.run(/*repeat=*/3);
  ASSERT_TRUE(report.isOk()) << report.takeStatus().text();
  std::vector<float> x = test::counted(30);
  for (float &value : x)
    value += 100;
  EXPECT_EQ(valuesOf(*report, 0), x);
  EXPECT_EQ(valuesOf(*report, 1), test::counted(30));
  EXPECT_EQ(valuesOf(*report, 2), test::counted(30));
  EXPECT_EQ(valuesOf(*report, 3), std::vector<float>{4});
  ASSERT_EQ(report->ranks.size(), 4u);
  for (const RankReport &rank : report->ranks) {
    EXPECT_EQ(rank.run.runMs.size(), 3u);
    // Per rank: w (36 bytes) and one; x; outputs of 36, 36, 72 and 4 bytes. Blocks of 64.
    EXPECT_EQ(rank.memory.variableBytes, 2 * 64);
    EXPECT_EQ(rank.memory.signatureBytes, (1 + 1 + 1 + 2 + 1) * 64);
    EXPECT_EQ(rank.memory.peakBytes, 8 * 64);
  }
}

TEST(Job, OfOneRankIsTheSame) {
  Model model = Model::open(test::unshardedModel(), counting());
  Result<JobReport> report = model.run();
  ASSERT_TRUE(report.isOk()) << report.takeStatus().text();
  EXPECT_EQ(valuesOf(*report, 2), test::counted(30));
  EXPECT_EQ(report->ranks.size(), 1u);
}

Model lookup(const std::vector<int64_t> &indices) {
  return Model::open(test::lookupModel(),
                     {"index", store("index.npy", ElementType::i64, {3}, test::toBytes(indices))});
}

TEST(Job, TellsTheFirstFailureAndNoEchoes) {
  Model model = lookup({1, 2, 3});
  Result<JobReport> good = model.run();
  ASSERT_TRUE(good.isOk()) << good.takeStatus().text();
  EXPECT_EQ(valuesOf(*good, 0), std::vector<float>{6});
  for (int round = 0; round < 20; ++round) {
    Result<JobReport> report = lookup({0, 9, 0}).run();
    ASSERT_FALSE(report.isOk());
    Status status = report.takeStatus();
    EXPECT_EQ(status.code(), StatusCode::failed);
    EXPECT_EQ(status.text(), "rank 1: program \"forward\": step 0 (gather): node \"the user's "
                             "node\": index 9 is out of range for an extent of 4");
  }
}

TEST(Job, TellsOnceWhatFailsOnAllRanks) {
  Model model = Model::open(test::shardedModel(), counting());
  std::filesystem::remove(test::processFolder() / "w.bin");
  Result<JobReport> report = model.run();
  ASSERT_FALSE(report.isOk());
  Status status = report.takeStatus();
  EXPECT_EQ(status.code(), StatusCode::invalid);
  EXPECT_THAT(std::string(status.text()),
              MatchesRegex("[^ ]*model.sheaf: variable \"w\": can't open .*w.bin.*"));
}

/// Without a body; a failure stops nobody.
RankTeam teamOf(int numRanks) {
  RankTeam team;
  team.numRanks = numRanks;
  team.onFailure = [](int, const Status &) {};
  return team;
}

TEST(Agreement, NamesTheRanksThatFailed) {
  auto agreed = [](const std::vector<std::string> &failures) {
    auto numRanks = static_cast<int>(failures.size());
    comm::ThreadWorld world(numRanks);
    std::vector<std::string> texts(failures.size());
    RankTeam team = teamOf(numRanks);
    team.body = [&](int rank) -> Status {
      auto agreement = Agreement::create(&world.communicator(rank));
      const std::string &failure = failures[static_cast<size_t>(rank)];
      Status status = agreement->agree(failure.empty() ? Status() : Status::invalid(failure));
      texts[static_cast<size_t>(rank)] = status.text();
      return {};
    };
    EXPECT_TRUE(team.run().isOk());
    for (const std::string &text : texts)
      EXPECT_EQ(text, texts[0]);
    return texts[0];
  };
  EXPECT_EQ(agreed({"", "", ""}), "");
  EXPECT_EQ(agreed({"", "no file", ""}), "rank 1: no file");
  EXPECT_EQ(agreed({"", "no file", "no file"}), "ranks 1, 2: no file");
  EXPECT_EQ(agreed({"no file", "no file", "no file"}), "no file");
  EXPECT_EQ(agreed({"", "no file", "no memory"}), "rank 1: no file");
}

TEST(Agreement, NamesTheRanksThatHaveSomethingElse) {
  comm::ThreadWorld world(4);
  RankTeam team = teamOf(4);
  team.body = [&](int rank) {
    auto agreement = Agreement::create(&world.communicator(rank));
    std::vector<std::byte> hash(32, rank % 2 ? std::byte{1} : std::byte{2});
    return agreement->checkSame(hash, "executable");
  };
  EXPECT_EQ(team.run().text(),
            "ranks 1, 3 have another executable than rank 0; give all ranks the same");
}

using RankTeamDeath = testing::Test;

TEST(RankTeamDeath, EndsTheProcessWhenARankDoesNotEnd) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  RankTeam team = teamOf(3);
  team.graceMs = 100;
  team.body = [](int rank) -> Status {
    if (rank == 2)
      std::this_thread::sleep_for(std::chrono::hours(1));
    return rank == 1 ? Status::timedOut("rank 2 did not come") : Status();
  };
  team.onStuck = [](const Status &cause) {
    std::fprintf(stderr, "%s\n", std::string(cause.text()).c_str());
    std::_Exit(4);
  };
  EXPECT_EXIT((void)team.run(), testing::ExitedWithCode(4), "rank 2 did not come");
}

TEST(RankTeam, TakesTheCauseRatherThanItsEchoes) {
  RankTeam team = teamOf(2);
  team.body = [](int rank) -> Status {
    if (rank == 0)
      return Status::aborted("rank 1 failed");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return Status::failed("the disk is full");
  };
  EXPECT_EQ(team.run().text(), "the disk is full");
}

TEST(Compare, MeasuresAgainstTheLargestMagnitude) {
  ProgramInfo program;
  program.outputs = {{"y", {ElementType::f32, {4}, {1}}, {{4}}, 16}};
  Mesh mesh;
  auto outputsOf = [&](std::vector<float> values) {
    GlobalOutputs outputs = std::move(*GlobalOutputs::allocate(program, mesh));
    std::vector<Memory> locals;
    locals.push_back(std::move(*allocateHostMemory(16)));
    std::memcpy(locals[0].data(), values.data(), 16);
    outputs.take(0, locals);
    return outputs;
  };
  auto compare = [&](std::vector<float> actual, std::vector<float> reference) {
    return compareOutputs(outputsOf(actual), outputsOf(reference))[0];
  };
  const float nan = std::nanf(""), inf = INFINITY;
  OutputDifference equal = compare({1, nan, inf, -inf}, {1, nan, inf, -inf});
  EXPECT_EQ(equal.numDifferent, 0);
  EXPECT_TRUE(equal.isWithin(0));
  OutputDifference half = compare({1, 2, 3, 8.5}, {1, 2, 3, 8});
  EXPECT_EQ(half.numDifferent, 1);
  EXPECT_EQ(half.maxAbsolute, 0.5);
  EXPECT_EQ(half.maxRelative, 0.0625);
  EXPECT_FALSE(half.isWithin(0.06));
  EXPECT_TRUE(half.isWithin(0.07));
  EXPECT_FALSE(compare({1, nan, 3, 4}, {1, 2, 3, 4}).isWithin(1e9));
  EXPECT_FALSE(compare({1, inf, 3, 4}, {1, -inf, 3, 4}).isWithin(1e9));
  EXPECT_FALSE(compare({1, 0, 0, 0}, {0, 0, 0, 0}).isWithin(1e9));
  EXPECT_TRUE(compare({-0.0f, 0, 0, 0}, {0, 0, 0, 0}).isWithin(0));
}

TEST(Compare, AcceptsMoreOfNarrowFloatsAndNothingOfIntegers) {
  EXPECT_EQ(defaultTolerance(ElementType::f32), 1e-5);
  EXPECT_EQ(defaultTolerance(ElementType::bf16), 1.0 / 128);
  EXPECT_EQ(defaultTolerance(ElementType::i64), 0);
  EXPECT_EQ(defaultTolerance(ElementType::boolean), 0);
}

} // namespace
} // namespace sheaf::rt::launch
