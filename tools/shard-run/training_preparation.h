// What a training run settles before any rank starts.
#ifndef SHEAF_TOOLS_SHARD_RUN_TRAINING_PREPARATION_H
#define SHEAF_TOOLS_SHARD_RUN_TRAINING_PREPARATION_H

#include "runtime/launch/model_files.h"
#include "runtime/launch/training/position.h"
#include "runtime/launch/training/sample_draw.h"
#include "tools/shard-run/training_checkpoint.h"

namespace sheaf::shard_run {

/// Data that feeds a program.
struct FedData {
  std::vector<rt::launch::Column> columns; ///< the feed refers to them
  rt::launch::SampleFeed feed;
};

/// The files and data of a training run; the same on every process of a job.
struct TrainingPreparation {
  rt::launch::ModelFiles files;
  FedData data;
  std::optional<FedData> evalData;
  rt::launch::TrainingPlan plan;
  rt::launch::SampleDraw draw;
  TrainingStart start;
  std::vector<std::string> notes; ///< for the user: what of the data is not used
};

/// Opens what `options` name. `numProcesses` were started, each a rank; one runs all ranks. Errors: a file that can't
/// be used, data that does not fit the programs, a program that is missing, an option without effect.
rt::Result<TrainingPreparation> prepareTraining(const Options &options, int numProcesses);

/// What of the contents of its files the processes must have alike, beside the executable.
std::vector<rt::launch::Fact> factsOf(const TrainingPreparation &preparation);

} // namespace sheaf::shard_run

#endif // SHEAF_TOOLS_SHARD_RUN_TRAINING_PREPARATION_H
