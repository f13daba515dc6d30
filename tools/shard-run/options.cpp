// Parses the command line of shard-run and teaches it.
#include "tools/shard-run/options.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>

namespace sheaf::shard_run {
namespace {

/// The exit code for a command line that makes no sense.
constexpr int usage = 2;

constexpr const char *description =
    R"(Runs an executable that shard-compile made.

Examples:
  shard-run gpt2.sheaf --info                                what it takes and gives
  shard-run gpt2.sheaf --input input_ids=ids.npy --output-dir out
                                                             run it; results in out/outputs.json
  shard-run gpt2.sheaf --input input_ids=ids.npy --weights tuned.safetensors --output-dir out
                                                             the same program, other weights
  shard-run gpt2.sheaf --random-inputs --repeat 20 --warmup 3
                                                             measure it
  shard-run gpt2.sheaf --random-inputs --profile trace.json  where the time goes (ui.perfetto.dev)
  shard-run gpt2-tp4.sheaf --random-inputs --ranks 4         four ranks as threads
  mpirun -n 4 shard-run gpt2-tp4.sheaf --random-inputs       the same ranks as processes
  torchrun --no-python --nproc-per-node 4 shard-run ...      the same, without MPI
  shard-run gpt2-tp4.sheaf --random-inputs --verify          compare them with the unsharded program
  shard-run gpt2-train.sheaf --data tokens.npy --steps 1000 --metrics m.jsonl
                                                             train it
)";

constexpr const char *footer = R"(
A program is a function of its inputs: with one --seed, random nodes draw the same numbers in every
run.

--output-dir gets one .npy file per output (output_0.npy, ...) and outputs.json, which maps the names
of outputs to {file, dtype, shape}. NumPy has no bf16, 8-bit floats or 2- and 4-bit integers: bf16 is
stored as its bits in uint16, small floats as theirs in uint8, small integers in int8 or uint8; input
files may also have the dtypes of ml_dtypes.

A training run ends early, with exit code 0 and after the step it is in, on Ctrl-C, SIGTERM or
SIGUSR1; a second one ends it at once.

Exit codes: 0 done; 1 the file, an input or the request is wrong; 2 usage; 3 a rank failed while it
ran, --verify found too large a difference, or --stop-on-nan a number that is not finite; 4 a rank did
not come in time.
)";

/// A whole number in a range; `unit` is what it counts: " of seconds".
CLI::Validator wholeNumber(uint64_t least, uint64_t most, const std::string &unit = "") {
  auto check = [=](std::string &text) {
    uint64_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value >= least && value <= most)
      return std::string();
    return text + " is no whole number" + unit + " from " + std::to_string(least) + " to " +
           std::to_string(most);
  };
  return {check, ""}; // The help does not repeat it.
}

std::string checkTolerance(std::string &text) {
  double value = 0;
  if (CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value >= 0)
    return "";
  return text + " is no finite number that is 0 or more";
}

void addOptions(CLI::App &app, Options &options) {
  app.add_option("model", options.model, "The executable, a .sheaf file")
      ->required()
      ->type_name("");
  app.add_option("--input", options.inputs,
                 "The value of an input; repeat it for each. NAME may hold '=':\n"
                 "the text is cut at the last '=' that leaves the name of a file")
      ->type_name("NAME=FILE.npy")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  app.add_flag(
      "--random-inputs", options.hasRandomInputs,
      "Inputs without a file or a default are random:\nfloats in [-1, 1), integers 0 or 1");
  app.add_option(
         "--seed", options.seed,
         "Of random inputs, of random nodes of the model, and of the order\nof samples; default: 0")
      ->check(wholeNumber(0, UINT64_MAX))
      ->type_name("N");
  app.add_option("--weights", options.weights,
                 "Take the weights from this safetensors file, or from the files\n"
                 "that an index (model.safetensors.index.json) lists, by the names\n"
                 "that they have in the model; weights of one element are part of\n"
                 "the program and stay as they were compiled")
      ->type_name("FILE");
  app.add_option("--output-dir", options.outputDir, "Write the outputs to this folder")
      ->type_name("DIR");
  app.add_option("--program", options.program, "The program to run; default: forward")
      ->type_name("NAME");
  app.add_option("--threads", options.threads,
                 "Threads of each rank; default: the CPUs divided by the ranks\nof this machine")
      ->check(wholeNumber(1, 4096))
      ->type_name("N");
  app.add_option(
         "--ranks", options.ranks,
         "Ranks to run as threads of this process: as many as the mesh\nhas devices, which is "
         "the default")
      ->check(wholeNumber(1, 1 << 20))
      ->type_name("N");
  app.add_option("--timeout", options.timeoutS,
                 "How long a rank waits for another before the job ends;\ndefault: 60, never: 0")
      ->check(wholeNumber(0, 1 << 20, " of seconds"))
      ->type_name("SECONDS");
  app.add_flag(
      "--verify", options.isVerify,
      "Run also the unsharded program on the same inputs and report the\nlargest difference of "
      "each output");
  app.add_option(
         "--reference", options.reference,
         "The unsharded program for --verify: the same model compiled\nwithout --mesh; default: "
         "the one that the executable holds")
      ->type_name("FILE.sheaf");
  app.add_option(
         "--tolerance", options.tolerance,
         "Largest difference that --verify accepts, relative to the largest\nmagnitude of the "
         "output; default: 1e-5, more for floats of 16 and\nfewer bits, none for integers")
      ->check(CLI::Validator(checkTolerance, ""))
      ->type_name("X");
  app.add_option("--repeat", options.repeat, "Run this often and report times")
      ->check(wholeNumber(1, 1 << 30))
      ->type_name("N");
  app.add_option("--warmup", options.warmup, "Runs before those that are timed")
      ->check(wholeNumber(0, 1 << 30))
      ->type_name("N");
  app.add_option("--profile", options.profile,
                 "Write a trace of the last run or step, one slice per instruction\n"
                 "(Chrome/Perfetto JSON)")
      ->type_name("FILE.json");
  app.add_flag("--json", options.isJson, "Print the report as JSON");
  app.add_flag("--info", options.isInfo, "Print what the executable holds, and do not run it");
}

/// A script whose variable is not set gives "": that must not pass for an option that is not given.
void refuseEmptyValues(CLI::App &app) {
  auto check = [](std::string &text) { return text.empty() ? "its value is empty" : ""; };
  for (CLI::Option *option : app.get_options())
    if (option->get_items_expected_max() > 0)
      option->check(CLI::Validator(check, ""));
}

/// What the ranks must have alike: all options but those that each may have for itself. Paths may differ, since hosts
/// may have files elsewhere; of files that are read, the contents are compared later.
std::vector<rt::launch::Fact> factsOf(const CLI::App &app) {
  std::vector<rt::launch::Fact> facts;
  for (const CLI::Option *option : app.get_options()) {
    std::string name = option->get_name();
    if (name == "model" || name == "--help" || name == "--threads" || name == "--timeout")
      continue;
    bool isPath = name == "--input" || option->get_type_name().ends_with("PATH") ||
                  option->get_type_name().starts_with("FILE") ||
                  option->get_type_name().starts_with("DIR");
    facts.push_back({name, isPath ? std::to_string(option->count())
                                  : CLI::detail::join(option->results(), "\n")});
  }
  return facts;
}

/// An option on the command line that --info makes useless, or null.
const CLI::Option *findUseless(const CLI::App &app) {
  for (const CLI::Option *option : app.get_options())
    if (std::string name = option->get_name();
        option->count() > 0 && name != "model" && name != "--info" && name != "--json")
      return option;
  return nullptr;
}

} // namespace

std::variant<Options, int> parseOptions(int argc, char **argv) {
  Options options;
  CLI::App app(description, "shard-run");
  app.footer(footer);
  constexpr size_t nameColumns = 26;
  app.get_formatter()->column_width(nameColumns);
  addOptions(app, options);
  addTrainingOptions(app, options.training);
  refuseEmptyValues(app);
  auto fail = [](const std::string &what) {
    std::cerr << "error: " << what << "; shard-run --help shows what there is\n";
    return usage;
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &help) {
    return app.exit(help);
  } catch (const CLI::ParseError &error) {
    return fail(error.what());
  }
  if (const CLI::Option *useless = options.isInfo ? findUseless(app) : nullptr)
    return fail(useless->get_name() + " has no effect with --info, which runs nothing");
  if (std::string mistake = findTrainingMistake(app, options.training); !mistake.empty())
    return fail(mistake);
  if (!options.isVerify && (!options.reference.empty() || options.tolerance))
    return fail(std::string(options.tolerance ? "--tolerance" : "--reference") +
                " has no effect without --verify");
  options.facts = factsOf(app);
  return options;
}

} // namespace sheaf::shard_run
