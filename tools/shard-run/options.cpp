// Parses the command line of shard-run and teaches it.
#include "tools/shard-run/options.h"

#include <CLI/CLI.hpp>
#include <charconv>

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
  shard-run gpt2.sheaf --random-inputs --repeat 20 --warmup 3
                                                             measure it
  shard-run gpt2.sheaf --random-inputs=7 --profile trace.json
                                                             where the time goes (open in Perfetto)
)";

constexpr const char *footer = R"(
--output-dir gets one .npy file per output (output_0.npy, ...) and outputs.json, which maps the names
of outputs to {file, dtype, shape}. NumPy has no bf16, 8-bit floats or 2- and 4-bit integers: bf16 is
stored as its bits in uint16, small floats as theirs in uint8, small integers in int8 or uint8; input
files may also have the dtypes of ml_dtypes.

Exit codes: 0 done; 1 the file, an input or the request is wrong; 2 usage; 3 the program failed while
it ran.
)";

} // namespace

std::variant<Options, int> parseOptions(int argc, char **argv) {
  Options options;
  CLI::App app(description, "shard-run");
  app.footer(footer);
  app.add_option("model", options.model, "The executable, a .sheaf file")->required();
  app.add_option("--input", options.inputs,
                 "NAME=FILE.npy: the value of an input; repeat it for each. NAME may hold '=': the "
                 "text is cut at the last '=' after which an existing file is named")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  std::string seed;
  // A flag takes a value only after '=', so what follows it on the line is never swallowed.
  app.add_flag("--random-inputs{0}", seed,
               "Inputs that are not given are random (floats in [-1, 1), integers 0 or 1); "
               "--random-inputs=SEED for others");
  app.add_option("--output-dir", options.outputDir, "Write the outputs to this folder")
      ->type_name("DIR");
  app.add_option("--program", options.program, "The program to run (default: forward)")
      ->type_name("NAME");
  app.add_option("--threads", options.threads, "Threads to use (default: one per CPU)")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
  app.add_option("--ranks", options.ranks, "Ranks to run as threads; only 1 is supported yet")
      ->check(CLI::Range(1, 1 << 20))
      ->type_name("N");
  app.add_option("--repeat", options.repeat, "Run this often and report times")
      ->check(CLI::Range(1, 1 << 30))
      ->type_name("N");
  app.add_option("--warmup", options.warmup, "Runs before those that are timed")
      ->check(CLI::Range(0, 1 << 30))
      ->type_name("N");
  app.add_option("--profile", options.profile,
                 "Write a trace of the last run, one slice per instruction (Chrome/Perfetto JSON)")
      ->type_name("FILE");
  app.add_flag("--json", options.isJson, "Print the report as JSON");
  app.add_flag("--info", options.isInfo, "Print what the executable holds, and do not run it");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    bool isHelp = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    int code = app.exit(error);
    return isHelp ? code : usage;
  }
  if (app.count("--random-inputs") > 0) {
    options.seed = 0;
    auto [end, problem] = std::from_chars(seed.data(), seed.data() + seed.size(), *options.seed);
    if (problem != std::errc() || end != seed.data() + seed.size()) {
      std::cerr << "--random-inputs: the seed \"" << seed << "\" is not a number\n";
      return usage;
    }
  }
  return options;
}

} // namespace sheaf::shard_run
