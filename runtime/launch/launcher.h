// How this process was started, and the job of processes it belongs to.
#ifndef SHEAF_RUNTIME_LAUNCH_LAUNCHER_H
#define SHEAF_RUNTIME_LAUNCH_LAUNCHER_H

#include "runtime/launch/agreement.h"

namespace sheaf::rt::launch {

/// Errors: the environment says that a launcher started this process among others whom it can't reach.
Status checkLauncher();

/// Ranks of the job on this machine that are other processes or this one; 1 when the launcher does not say.
int localProcesses();

/// The number of this one among them; 0 when nobody says.
int localRank();

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_LAUNCHER_H
