// What shard-run settles before any rank starts.
#ifndef SHEAF_TOOLS_SHARD_RUN_PREPARATION_H
#define SHEAF_TOOLS_SHARD_RUN_PREPARATION_H

#include "runtime/launch/inputs.h"
#include "runtime/launch/model_files.h"
#include "tools/shard-run/options.h"

namespace sheaf::shard_run {

/// The files and inputs of a run; the same on every process of a job.
struct Preparation {
  rt::launch::ModelFiles files;
  std::optional<rt::launch::ModelFiles> reference;
  const rt::ProgramInfo *program;
  std::vector<rt::launch::InputArgument> arguments;
  std::optional<uint64_t> inputSeed;
  rt::launch::InputValues inputs;
};

/// Opens the executable and its weights, and checks that they can run here. `numProcesses` as below.
rt::Result<rt::launch::ModelFiles> openModel(const Options &options, int numProcesses);

/// Whether a program of the executable draws random numbers.
bool hasRandomNodes(const rt::Executable &executable);

/// Opens what `options` name. `numProcesses` were started, each a rank; one runs all ranks. Errors: a file or an input
/// that is not what is needed, another number of ranks than the executable is for, an option without effect.
rt::Result<Preparation> prepare(const Options &options, int numProcesses);

/// What of the contents of its files the ranks must have alike, beside the executable.
std::vector<rt::launch::Fact> factsOf(const Preparation &preparation);

} // namespace sheaf::shard_run

#endif // SHEAF_TOOLS_SHARD_RUN_PREPARATION_H
