// What must be true of the process and the machine before an executable runs.
#ifndef SHEAF_RUNTIME_LAUNCH_ENVIRONMENT_H
#define SHEAF_RUNTIME_LAUNCH_ENVIRONMENT_H

#include "runtime/core/executable.h"

namespace sheaf::rt::launch {

/// Errors: an OpenMP setting with which oneDNN silently computes only part of its results, or with which several ranks
/// that are threads would share CPUs.
Status checkEnvironment(int numThreadRanks = 1);

/// Errors: the executable is for a kind of device that this machine lacks, or for a CPU with features (`flags`: the
/// CPU's, as /proc/cpuinfo names them) that this one lacks.
Status checkTarget(const Executable &executable, std::string_view flags);

/// The `flags` line of /proc/cpuinfo.
std::string cpuFlags();

/// CPUs that this process may use.
int availableCpus();

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_ENVIRONMENT_H
