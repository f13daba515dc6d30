// Finds ranks whose copies of a variable are no copies any more.
#ifndef SHEAF_RUNTIME_LAUNCH_TRAINING_REPLICA_CHECK_H
#define SHEAF_RUNTIME_LAUNCH_TRAINING_REPLICA_CHECK_H

#include "runtime/core/executable.h"
#include "runtime/core/variables.h"
#include "runtime/launch/agreement.h"

namespace sheaf::rt::launch {

/// Compares, to the last bit, what several ranks hold of the variables that a checkpoint would save: by hashes, of
/// which each rank tells one per variable. All ranks call it between the same steps. Errors, the same on all: copies
/// differ; names one variable, two of its ranks, and how many variables there are.
Status checkReplicas(const Executable &executable, const Variables &variables,
                     Agreement &agreement);

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_TRAINING_REPLICA_CHECK_H
