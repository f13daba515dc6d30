// Puts a checkpoint back into the variables of a rank, whatever layout it was saved from.
#ifndef SHEAF_RUNTIME_IO_CHECKPOINT_RESTORE_H
#define SHEAF_RUNTIME_IO_CHECKPOINT_RESTORE_H

#include "runtime/core/variables.h"
#include "runtime/io/checkpoint/checkpoint.h"

namespace sheaf::rt::io {

/// What may differ between a checkpoint and an executable.
struct Leniency {
  bool allowsMissing =
      false;                ///< variables that the checkpoint lacks keep the values that they have
  bool allowsExtra = false; ///< variables that only the checkpoint has are left out
};

/// Errors: lists all saved variables of the executable that the checkpoint lacks, has as another type or shape, and
/// those that only the checkpoint has.
Status checkSameVariables(const Checkpoint &checkpoint, const Executable &executable,
                          const Leniency &leniency = {});

/// Checks the same, then overwrites what `rank` holds of the saved variables. In the layout that was saved the bytes
/// are the same. After an error, variables have either value.
Status restore(const Checkpoint &checkpoint, const Executable &executable, int rank,
               const Variables &variables, const Leniency &leniency = {});

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_CHECKPOINT_RESTORE_H
