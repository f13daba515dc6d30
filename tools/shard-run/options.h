// The command line of shard-run.
#ifndef SHEAF_TOOLS_SHARD_RUN_OPTIONS_H
#define SHEAF_TOOLS_SHARD_RUN_OPTIONS_H

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sheaf::shard_run {

struct Options {
  std::string model;
  std::string program = "forward";
  std::vector<std::string> inputs; ///< name=file
  bool hasRandomInputs = false;    ///< for inputs that are not given
  std::optional<uint64_t> seed;    ///< of random inputs and random nodes; 0 unless given
  std::string weights;             ///< empty: where the executable says
  std::string outputDir;           ///< empty: outputs are not written
  std::string profile;             ///< empty: no trace
  int threads = 0;                 ///< 0: all CPUs of this process
  int ranks = 1;
  int repeat = 1;
  int warmup = 0;
  bool isJson = false;
  bool isInfo = false;
};

/// The options, or the exit code of a process that has printed its help or what is wrong.
std::variant<Options, int> parseOptions(int argc, char **argv);

} // namespace sheaf::shard_run

#endif // SHEAF_TOOLS_SHARD_RUN_OPTIONS_H
