// Writes the outputs of a run to a folder.
#ifndef SHEAF_RUNTIME_LAUNCH_OUTPUTS_H
#define SHEAF_RUNTIME_LAUNCH_OUTPUTS_H

#include "runtime/core/executable.h"
#include "runtime/core/memory.h"

namespace sheaf::rt::launch {

/// Writes output i to `folder`/output_i.npy and outputs.json, which maps the names to file, dtype and shape; the
/// folder is made when it is missing. All files are written aside and renamed at the end, outputs.json last: after
/// an error none of them is new.
Status writeOutputs(const ProgramInfo &program, const std::vector<Memory> &outputs,
                    const std::filesystem::path &folder);

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_OUTPUTS_H
