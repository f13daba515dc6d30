// What shard-run prints.
#ifndef SHEAF_TOOLS_SHARD_RUN_REPORT_H
#define SHEAF_TOOLS_SHARD_RUN_REPORT_H

#include "runtime/launch/compare.h"
#include "runtime/launch/rank_run.h"

#include <ostream>

namespace sheaf::shard_run {

/// Mesh, programs, inputs, outputs and variables of an executable.
void printInfo(const rt::Executable &executable, bool isJson, std::ostream &out);

/// What a job did.
struct RunFacts {
  std::vector<rt::launch::RankReport> ranks;
  std::optional<rt::launch::WeightUse> weights;
  /// Of each output, after --verify.
  std::optional<std::vector<rt::launch::OutputDifference>> differences;
};

/// Times and memory of runs, what was taken of a weights file, and how far the outputs are from the reference.
void printRun(const RunFacts &facts, bool isJson, std::ostream &out);

} // namespace sheaf::shard_run

#endif // SHEAF_TOOLS_SHARD_RUN_REPORT_H
