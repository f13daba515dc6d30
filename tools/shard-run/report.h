// What shard-run prints.
#ifndef SHEAF_TOOLS_SHARD_RUN_REPORT_H
#define SHEAF_TOOLS_SHARD_RUN_REPORT_H

#include "runtime/launch/session.h"

#include <ostream>

namespace sheaf::shard_run {

/// Programs, inputs, outputs and variables of an executable.
void printInfo(const rt::Executable &executable, bool isJson, std::ostream &out);

/// What a session did.
struct RunFacts {
  std::vector<double> runMs;
  rt::MemoryUse memory;
  std::optional<rt::launch::WeightUse> weights;
};

/// Times and memory of runs, and what was taken of a weights file.
void printRun(const RunFacts &facts, bool isJson, std::ostream &out);

} // namespace sheaf::shard_run

#endif // SHEAF_TOOLS_SHARD_RUN_REPORT_H
