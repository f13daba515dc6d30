// Reads what launchers leave in the environment.
#include "runtime/launch/launcher.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace sheaf::rt::launch {
namespace {

/// The number that a variable begins with ("2(x4)" is 2), 0 when there is none.
int numberIn(const char *variable) {
  const char *value = std::getenv(variable);
  int number = 0;
  if (value) {
    std::string_view text(value);
    std::from_chars(text.data(), text.data() + text.size(), number);
  }
  return number;
}

} // namespace

Status checkLauncher() {
  if (int tasks = numberIn("SLURM_STEP_NUM_TASKS"); tasks > 1)
    return Status::invalid("srun started ", tasks,
                           " tasks without a way to reach each other; use "
                           "srun --mpi=pmix");
  if (int size = numberIn("WORLD_SIZE"); size > 1 && std::getenv("RANK"))
    return Status::invalid("WORLD_SIZE=", size,
                           " and RANK are set, but ranks on the host reach "
                           "each other by MPI; use mpirun -n ",
                           size, ", or unset them to run all ranks in this process");
  return {};
}

int localProcesses() {
  for (const char *variable : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                               "SLURM_NTASKS_PER_NODE", "SLURM_STEP_TASKS_PER_NODE"})
    if (int number = numberIn(variable); number > 0)
      return number;
  return 1;
}

int localRank() {
  for (const char *variable : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"})
    if (std::getenv(variable))
      return numberIn(variable);
  return 0;
}

} // namespace sheaf::rt::launch
