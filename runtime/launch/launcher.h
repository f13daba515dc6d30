// How this process was started, and the job of processes it belongs to.
#ifndef SHEAF_RUNTIME_LAUNCH_LAUNCHER_H
#define SHEAF_RUNTIME_LAUNCH_LAUNCHER_H

#include "runtime/comm/tcp_place.h"
#include "runtime/launch/agreement.h"

#include <optional>

namespace sheaf::rt::launch {

/// The place that variables give this process, as torchrun and Kubernetes set them: RANK, WORLD_SIZE, MASTER_ADDR,
/// MASTER_PORT and LOCAL_RANK; none: it is alone, or MPI knows its place. Ranks meet at SHEAF_PORT, or the port behind
/// MASTER_PORT, which is torchrun's own. Errors: a variable is missing or makes no sense.
Result<std::optional<comm::TcpPlace>> placeByVariables();

/// Errors: the environment says that a launcher started this process among others whom it can't reach.
Status checkLauncher();

/// Ranks of the job on this machine that are other processes or this one; 1 when the launcher does not say.
int localProcesses();

/// The number of this one among them; 0 when nobody says.
int localRank();

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_LAUNCHER_H
