// What shard-run prints.
#ifndef SHEAF_TOOLS_SHARD_RUN_REPORT_H
#define SHEAF_TOOLS_SHARD_RUN_REPORT_H

#include "runtime/core/executor.h"

#include <ostream>

namespace sheaf::shard_run {

/// Programs, inputs, outputs and variables of an executable.
void printInfo(const rt::Executable &executable, bool isJson, std::ostream &out);

/// Times and memory of runs.
void printRun(const std::vector<double> &runMs, const rt::MemoryUse &memory, bool isJson,
              std::ostream &out);

} // namespace sheaf::shard_run

#endif // SHEAF_TOOLS_SHARD_RUN_REPORT_H
