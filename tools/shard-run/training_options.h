// The options of shard-run that train.
#ifndef SHEAF_TOOLS_SHARD_RUN_TRAINING_OPTIONS_H
#define SHEAF_TOOLS_SHARD_RUN_TRAINING_OPTIONS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sheaf::shard_run {

struct TrainingOptions {
  std::vector<std::string> data, evalData; ///< [name=]path
  std::string tokenType;                   ///< of raw files; empty: not told
  std::string labels;                      ///< empty: "labels"
  std::optional<int64_t> steps, epochs;
  bool isUnshuffled = false;
  int64_t evalEvery = 0; ///< 0: at the end only
  int64_t logEvery = 0;  ///< 0: as often as is good
  std::string metrics;   ///< empty: none are written
  bool stopsOnNan = false;
  bool checksReplicas = false;
  int64_t checkReplicasEvery = 0; ///< 0: at the end and before saves only
  std::string checkpoint;         ///< the folder of checkpoints; empty: none are written
  int64_t saveEvery = 0;          ///< 0: at the end only
  int keep = 0;                   ///< checkpoints that stay; 0: all
  bool resumes = false;
  bool allowsOtherData = false; ///< than before

  /// Whether shard-run trains.
  bool isOn() const { return !data.empty(); }
};

void addTrainingOptions(CLI::App &app, TrainingOptions &options);

/// What makes no sense about the parsed command line; empty: nothing.
std::string findTrainingMistake(const CLI::App &app, const TrainingOptions &options);

} // namespace sheaf::shard_run

#endif // SHEAF_TOOLS_SHARD_RUN_TRAINING_OPTIONS_H
