// The tool shard-run on executables for several ranks: as threads, as processes under mpirun, and what goes wrong.
#include "runtime/io/npy.h"
#include "test/runtime/launch/sharded_models.h"
#include "test/runtime/process_folder.h"

#include <cstdio>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

namespace sheaf::rt::test {
namespace {

using ::testing::ContainsRegex, ::testing::HasSubstr, ::testing::Not;

/// What a command printed, both ways, and its exit code.
struct Outcome {
  std::string text;
  int code;
};

/// Runs `command` in the folder of this process, with the folder of tools in front of PATH.
Outcome run(const std::string &command) {
  std::filesystem::path tools =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../../bin";
  std::string line = "cd '" + processFolder().string() + "' && PATH='" + tools.string() +
                     "':$PATH timeout -k 5 120 " + command + " 2>&1";
  Outcome outcome;
  FILE *pipe = popen(line.c_str(), "r");
  char buffer[4096];
  while (size_t count = std::fread(buffer, 1, sizeof buffer, pipe))
    outcome.text.append(buffer, count);
  int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

/// Processes that run in the folder of this one, after those that are ending have had some seconds.
int numLeftBehind() {
  int count = 0;
  for (int tries = 0; tries < 50; ++tries) {
    count = 0;
    for (const auto &entry : std::filesystem::directory_iterator("/proc")) {
      std::error_code error; // No process, or not ours.
      count += std::filesystem::read_symlink(entry.path() / "cwd", error) == processFolder();
    }
    if (count == 0)
      break;
    usleep(100'000);
  }
  return count;
}

constexpr const char *mpirun =
    "mpirun --oversubscribe --bind-to none --allow-run-as-root --mca mpi_yield_when_idle 0 "
    "--mca odls_base_sigkill_timeout 0 ";

class ShardRun : public testing::Test {
protected:
  void SetUp() override {
    std::filesystem::path folder = processFolder();
    writeBytes(folder / "w.bin", toBytes(counted(30)));
    TestExecutable sharded = shardedModel();
    AlignedBytes reference = unshardedModel().build();
    sharded.reference.assign(reinterpret_cast<const uint8_t *>(reference.bytes().data()),
                             reinterpret_cast<const uint8_t *>(reference.bytes().data()) +
                                 reference.bytes().size());
    writeExecutable(folder / "sharded.sheaf", sharded);
    writeExecutable(folder / "alone.sheaf", shardedModel());
    writeExecutable(folder / "unsharded.sheaf", unshardedModel());
    writeExecutable(folder / "wrong.sheaf", unshardedModel(/*hasError=*/true));
    writeExecutable(folder / "lookup.sheaf", lookupModel());
  }

  static std::string contents(const std::string &file) {
    std::ifstream stream(processFolder() / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
};

TEST_F(ShardRun, RunsAsManyRanksAsTheMeshHas) {
  Outcome outcome = run("shard-run sharded.sheaf --random-inputs --output-dir out --json");
  ASSERT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_EQ(nlohmann::json::parse(outcome.text)["ranks"], 4);
  ASSERT_EQ(run("shard-run unsharded.sheaf --random-inputs --output-dir plain").code, 0);
  for (int i = 0; i < 4; ++i) {
    std::string name = "/output_" + std::to_string(i) + ".npy";
    EXPECT_FALSE(contents("out" + name).empty());
    EXPECT_EQ(contents("out" + name), contents("plain" + name));
  }
  outcome = run("shard-run sharded.sheaf --random-inputs --ranks 4 --threads 2");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.text, HasSubstr("memory     peak 512 B on rank 0 of 4 (predicted 0 B)"));
}

TEST_F(ShardRun, TellsTheMeshAndHowValuesAreCut) {
  std::string text = run("shard-run sharded.sheaf --info").text;
  EXPECT_THAT(text, HasSubstr("mesh       data=2, tensor=2: 4 ranks; sizes are of one rank"));
  EXPECT_THAT(text, HasSubstr("input    x  f32[5{data}, 6{tensor}], f32[3, 3] per rank"));
  EXPECT_THAT(text, HasSubstr("output   total  f32[1]\n"));
  auto json = nlohmann::json::parse(run("shard-run sharded.sheaf --info --json").text);
  EXPECT_EQ(json["mesh"]["tensor"], 2);
  EXPECT_EQ(json["programs"]["forward"]["inputs"][0]["rank_shape"], (std::vector<int>{3, 3}));
}

TEST_F(ShardRun, RefusesAnotherNumberOfRanks) {
  Outcome outcome = run("shard-run sharded.sheaf --random-inputs --ranks 3");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.text, "error: --ranks 3: sharded.sheaf is for 4 ranks (data=2, tensor=2); run "
                          "it with --ranks 4, or with mpirun -n 4\n");
  outcome = run("shard-run unsharded.sheaf --random-inputs --ranks 2");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.text, HasSubstr("unsharded.sheaf is for 1 rank; run it with --ranks 1"));
}

TEST_F(ShardRun, VerifiesRanksByTheUnshardedProgram) {
  Outcome outcome = run("shard-run sharded.sheaf --random-inputs --verify");
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("verify     rows: bit-equal to the unsharded program\n"));
  outcome = run("shard-run alone.sheaf --random-inputs --verify --reference unsharded.sheaf");
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  outcome = run("shard-run alone.sheaf --random-inputs --verify");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.text, HasSubstr("alone.sheaf holds no unsharded program to compare with"));
  outcome = run("shard-run alone.sheaf --random-inputs --verify --reference sharded.sheaf");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.text, HasSubstr("sharded.sheaf is for 4 ranks"));
  EXPECT_EQ(run("shard-run alone.sheaf --random-inputs --reference unsharded.sheaf").code, 2);
}

TEST_F(ShardRun, RefusesAReferenceOfAnotherModelBeforeItRuns) {
  TestExecutable other = unshardedModel();
  other.programs[0].inputs[0].name = "z";
  writeExecutable(processFolder() / "other.sheaf", other);
  Outcome outcome = run("shard-run alone.sheaf --random-inputs --verify --reference other.sheaf "
                        "--output-dir never");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.text, "error: other.sheaf is of another model: it has no input \"x\" as the "
                          "program of ranks has\n");
  EXPECT_FALSE(std::filesystem::exists(processFolder() / "never"));
  other = unshardedModel();
  other.programs[0].outputs[0].dims.push_back(1);
  writeExecutable(processFolder() / "other.sheaf", other);
  outcome = run("shard-run alone.sheaf --random-inputs --verify --reference other.sheaf");
  EXPECT_THAT(outcome.text, ContainsRegex("other.sheaf is of another model: output \".*\" is "
                                          "f32.*, but f32.* in the program of ranks"));
}

TEST_F(ShardRun, RefusesMoreRanksThanAProcessHasThreadsFor) {
  TestExecutable wide = unshardedModel();
  wide.mesh = {{"a", 1000000}};
  writeExecutable(processFolder() / "wide.sheaf", wide);
  Outcome outcome = run("shard-run wide.sheaf --random-inputs");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.text, HasSubstr("wide.sheaf is for 1000000 ranks (a=1000000), which are too "
                                      "many for one process: at most"));
  EXPECT_THAT(outcome.text, HasSubstr("start it with mpirun -n 1000000"));
}

TEST_F(ShardRun, FailsWhenTheUnshardedProgramSaysOtherwise) {
  std::string command = "shard-run alone.sheaf --random-inputs --verify --reference wrong.sheaf";
  Outcome outcome = run(command);
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.text,
              HasSubstr("verify     total: largest difference 5.0e-01, 1.1e-01 of the "
                        "largest magnitude; 1 of 1 elements differ"));
  EXPECT_THAT(outcome.text, HasSubstr("error: output \"total\" differs from that of the unsharded "
                                      "program by 0.5, which is 0.111111 of its largest "
                                      "magnitude; 1e-05 is accepted"));
  EXPECT_EQ(run(command + " --tolerance 0.2").code, 0);
}

TEST_F(ShardRun, TracesAllRanks) {
  Outcome outcome = run("shard-run sharded.sheaf --random-inputs --profile trace.json");
  ASSERT_EQ(outcome.code, 0) << outcome.text;
  auto trace = nlohmann::json::parse(contents("trace.json"));
  EXPECT_EQ(trace["traceEvents"].size(), 4u * (1 + 4));
  EXPECT_EQ(trace["traceEvents"][10]["args"]["name"], "rank 2 (data=1, tensor=1)");
}

TEST_F(ShardRun, RefusesSettingsThatPutRanksOnTheSameCpus) {
  Outcome outcome = run("env OMP_PROC_BIND=true shard-run sharded.sheaf --random-inputs");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.text, HasSubstr("OMP_PROC_BIND=true is set"));
  EXPECT_EQ(run("env OMP_PROC_BIND=true shard-run unsharded.sheaf --random-inputs").code, 0);
}

TEST_F(ShardRun, RefusesLaunchersThatLeaveRanksAlone) {
  Outcome outcome = run("env SLURM_STEP_NUM_TASKS=4 shard-run sharded.sheaf --random-inputs");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.text, HasSubstr("srun --mpi=pmix"));
}

TEST_F(ShardRun, RunsProcessesAsRanks) {
  std::string arguments = "shard-run sharded.sheaf --random-inputs --verify --output-dir ";
  Outcome outcome = run(mpirun + ("-n 4 " + arguments) + "processes --profile p.json");
  ASSERT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("verify     rows: bit-equal"));
  EXPECT_EQ(nlohmann::json::parse(contents("p.json"))["traceEvents"].size(), 4u * (1 + 4));
  ASSERT_EQ(run(arguments + "threads").code, 0);
  for (int i = 0; i < 4; ++i) {
    std::string name = "/output_" + std::to_string(i) + ".npy";
    EXPECT_EQ(contents("processes" + name), contents("threads" + name));
  }
}

TEST_F(ShardRun, RefusesAnotherNumberOfProcesses) {
  Outcome outcome = run(mpirun + std::string("-n 3 shard-run sharded.sheaf --random-inputs"));
  EXPECT_EQ(outcome.code, 1) << outcome.text;
  std::string error = "error: 3 processes were started but sharded.sheaf is for 4 ranks (data=2, "
                      "tensor=2); start it with mpirun -n 4";
  EXPECT_THAT(outcome.text, HasSubstr(error));
  EXPECT_EQ(outcome.text.find("error: 3 "), outcome.text.rfind("error: 3 ")) << outcome.text;
}

TEST_F(ShardRun, RefusesDifferentExecutables) {
  Outcome outcome = run(mpirun + std::string("-n 3 shard-run sharded.sheaf --random-inputs : -n 1 "
                                             "shard-run alone.sheaf --random-inputs"));
  EXPECT_EQ(outcome.code, 1) << outcome.text;
  EXPECT_THAT(outcome.text,
              ContainsRegex("error: rank 3 \\(host .*\\) has another executable than rank 0"));
}

TEST_F(ShardRun, RefusesRanksWithOtherArguments) {
  std::string command = "shard-run sharded.sheaf --random-inputs ";
  Outcome outcome = run(mpirun + ("-n 2 " + command) + ": -n 1 " + command + "--seed 1 : -n 1 " +
                        command + "--repeat 2 --seed 2");
  EXPECT_EQ(outcome.code, 1) << outcome.text;
  EXPECT_THAT(outcome.text, ContainsRegex("error: ranks 2, 3 \\(host [^)]*\\) have another --seed, "
                                          "rank 3 \\(host .*\\) has another --repeat than rank 0"));
  outcome = run(mpirun + ("-n 3 " + command) + ": -n 1 " + command + "--verify");
  EXPECT_THAT(outcome.text, HasSubstr("has another --verify than rank 0"));
}

TEST_F(ShardRun, RefusesRanksWithOtherContents) {
  std::filesystem::path folder = processFolder();
  auto writeInput = [&](const char *name, float last) {
    std::vector<float> values(30, 1);
    values.back() = last;
    std::vector<uint8_t> data = toBytes(values);
    std::ofstream(folder / name, std::ios::binary)
        << io::makeNpyHeader(ElementType::f32, std::vector<int64_t>{5, 6})
        << std::string(data.begin(), data.end());
  };
  writeInput("a.npy", 1);
  writeInput("same.npy", 1);
  writeInput("b.npy", 2);
  std::string command = "shard-run sharded.sheaf --input x=";
  Outcome outcome = run(mpirun + ("-n 2 " + command) + "a.npy : -n 2 " + command + "same.npy");
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  outcome = run(mpirun + ("-n 3 " + command) + "a.npy : -n 1 " + command + "b.npy");
  EXPECT_EQ(outcome.code, 1) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("has another value of input \"x\" than rank 0"));
  auto writeWeights = [&](const char *name, float last) {
    std::vector<float> values(30, 1);
    values.back() = last;
    std::vector<uint8_t> data = toBytes(values);
    std::string header = R"({"w":{"dtype":"F32","shape":[5,6],"data_offsets":[0,120]}})";
    std::ofstream(folder / name, std::ios::binary)
        << static_cast<char>(header.size()) << std::string(7, '\0') << header
        << std::string(data.begin(), data.end());
  };
  writeWeights("a.safetensors", 1);
  writeWeights("b.safetensors", 2);
  command = "shard-run sharded.sheaf --random-inputs --weights ";
  EXPECT_EQ(run(mpirun + ("-n 4 " + command) + "a.safetensors").code, 0);
  outcome = run(mpirun + ("-n 3 " + command) + "a.safetensors : -n 1 " + command + "b.safetensors");
  EXPECT_EQ(outcome.code, 1) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("has another --weights than rank 0"));
}

TEST_F(ShardRun, NamesTheRankWhoseWeightsAreMissing) {
  std::filesystem::create_directories(processFolder() / "empty");
  writeExecutable(processFolder() / "empty" / "alone.sheaf", shardedModel());
  Outcome outcome = run(mpirun + std::string("-n 2 shard-run alone.sheaf --random-inputs : -n 1 "
                                             "shard-run empty/alone.sheaf --random-inputs : -n 1 "
                                             "shard-run alone.sheaf --random-inputs"));
  EXPECT_EQ(outcome.code, 1) << outcome.text;
  EXPECT_THAT(
      outcome.text,
      ContainsRegex("error: rank 2 \\(host .*\\): empty/alone.sheaf: variable \"w\": can't open"));
}

TEST_F(ShardRun, EndsAllWhenOneFails) {
  std::vector<uint8_t> data = toBytes(std::vector<int64_t>{0, 9, 0});
  std::ofstream(processFolder() / "index.npy", std::ios::binary)
      << io::makeNpyHeader(ElementType::i64, std::vector<int64_t>{3})
      << std::string(data.begin(), data.end());
  std::string arguments = "shard-run lookup.sheaf --input index=index.npy";
  Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.text, HasSubstr("error: rank 1: program \"forward\": step 0 (gather): node "
                                      "\"the user's node\": index 9 is out of range"));
  EXPECT_THAT(outcome.text, Not(HasSubstr("rank 0")));
  outcome = run(mpirun + ("-n 3 " + arguments));
  EXPECT_EQ(outcome.code, 3) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("index 9 is out of range"));
}

TEST_F(ShardRun, EndsWhenARankStopsOrDies) {
  // Rank 1 gets the signal from its own shell once it has computed for a while: the start of MPI mostly waits.
  auto withSignal = [](const std::string &signal) {
    std::string arguments = "shard-run sharded.sheaf --random-inputs --timeout 10 --repeat 2000000";
    std::string untilItRuns = "while [ -d /proc/$p ] && set -- $(cat /proc/$p/stat) && "
                              "[ ${14} -lt 150 ]; do sleep 0.1; done; "; // hundredths of a second
    return run(mpirun + ("-n 1 " + arguments) + " : -n 1 sh -c '" + arguments + " & p=$!; " +
               untilItRuns + "kill -" + signal + " $p; wait $p' : -n 2 " + arguments);
  };
  Outcome outcome = withSignal("STOP");
  EXPECT_EQ(outcome.code, 4) << outcome.text;
  EXPECT_THAT(outcome.text, ContainsRegex("rank 1 \\(host .*\\) did not come within 10 s"));
  EXPECT_EQ(numLeftBehind(), 0);
  outcome = withSignal("KILL");
  EXPECT_NE(outcome.code, 0);
  EXPECT_NE(outcome.code, 124) << outcome.text;
  EXPECT_EQ(numLeftBehind(), 0);
}

} // namespace
} // namespace sheaf::rt::test
