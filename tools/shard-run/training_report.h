// What shard-run prints after training.
#ifndef SHEAF_TOOLS_SHARD_RUN_TRAINING_REPORT_H
#define SHEAF_TOOLS_SHARD_RUN_TRAINING_REPORT_H

#include "runtime/launch/training/job.h"

#include <ostream>

namespace sheaf::shard_run {

/// Steps, the last loss and validation, speed, memory and traffic.
void printTraining(const rt::launch::TrainingJobReport &report, bool isJson, std::ostream &out);

} // namespace sheaf::shard_run

#endif // SHEAF_TOOLS_SHARD_RUN_TRAINING_REPORT_H
