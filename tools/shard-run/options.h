// The command line of shard-run.
#ifndef SHEAF_TOOLS_SHARD_RUN_OPTIONS_H
#define SHEAF_TOOLS_SHARD_RUN_OPTIONS_H

#include "runtime/launch/agreement.h"
#include "tools/shard-run/training_options.h"

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
  std::optional<uint64_t>
      seed;            ///< of random inputs, random nodes and the order of samples; 0 unless given
  std::string weights; ///< empty: where the executable says
  std::string outputDir; ///< empty: outputs are not written
  std::string profile;   ///< empty: no trace
  int threads = 0;       ///< of each rank; 0: its share of the CPUs of this process
  int ranks = 0;         ///< 0: as many as the executable is for
  int timeoutS = 60;     ///< 0: none
  int repeat = 1;
  int warmup = 0;
  bool isJson = false;
  bool isInfo = false;
  bool isVerify = false;
  TrainingOptions training;
  std::string reference;               ///< of --verify; empty: the one within the executable
  std::optional<double> tolerance;     ///< of --verify; none: by the types of the outputs
  std::vector<rt::launch::Fact> facts; ///< what of the command line the ranks must have alike
};

/// The options, or the exit code of a process that has printed its help or what is wrong.
std::variant<Options, int> parseOptions(int argc, char **argv);

} // namespace sheaf::shard_run

#endif // SHEAF_TOOLS_SHARD_RUN_OPTIONS_H
