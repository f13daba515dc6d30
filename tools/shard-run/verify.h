// shard-run --verify: what the ranks computed against what one device computes.
#ifndef SHEAF_TOOLS_SHARD_RUN_VERIFY_H
#define SHEAF_TOOLS_SHARD_RUN_VERIFY_H

#include "runtime/launch/compare.h"
#include "runtime/launch/inputs.h"
#include "runtime/launch/model_files.h"
#include "tools/shard-run/options.h"

namespace sheaf::shard_run {

/// The unsharded program: the file that the options name, else the one within the executable of `files`, which must
/// outlive it. Errors: there is none; it is for several ranks, does not have `program`, or has it of another model.
rt::Result<rt::launch::ModelFiles> openReference(const rt::launch::ModelFiles &files,
                                                 const rt::ProgramInfo &program,
                                                 const Options &options);

/// Runs the reference in this process with the inputs of the job, and compares.
rt::Result<std::vector<rt::launch::OutputDifference>>
compareWithReference(const rt::launch::ModelFiles &reference,
                     const std::vector<rt::launch::InputArgument> &arguments,
                     std::optional<uint64_t> inputSeed, const rt::launch::GlobalOutputs &outputs,
                     const Options &options);

/// Fails, with the output that is farthest off, when a difference is larger than the options accept.
rt::Status checkDifferences(const std::vector<rt::launch::OutputDifference> &differences,
                            const Options &options);

} // namespace sheaf::shard_run

#endif // SHEAF_TOOLS_SHARD_RUN_VERIFY_H
