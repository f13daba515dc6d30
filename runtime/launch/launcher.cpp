// Reads what launchers leave in the environment.
#include "runtime/launch/launcher.h"

#include "runtime/comm/mpi_communicator.h"

#include <algorithm>
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

/// The whole number that a variable is, from `least` to `most`; the text is for messages.
Result<int> numberOf(const char *variable, int least, int most, const char *advice) {
  const char *value = std::getenv(variable);
  if (!value || !*value)
    return Status::invalid("RANK and WORLD_SIZE are set but ", variable, " is not; ", advice);
  std::string_view text(value);
  int number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most)
    return Status::invalid(variable, "=", text, " is no whole number from ", least, " to ", most);
  return number;
}

bool isSet(const char *variable) {
  const char *value = std::getenv(variable);
  return value && *value;
}

/// Whether RANK and WORLD_SIZE say where this process is. MPI's launcher knows better, unless torchrun runs under it.
bool isPlacedByVariables() {
  return isSet("RANK") && isSet("WORLD_SIZE") &&
         (isSet("TORCHELASTIC_RUN_ID") || !comm::MpiProcess::isLaunched());
}

constexpr int maxPort = 65535;

Result<int> findPort() {
  if (isSet("SHEAF_PORT"))
    return numberOf("SHEAF_PORT", 1, maxPort, "");
  Result<int> port = numberOf("MASTER_PORT", 1, maxPort - 1,
                              "set it on all ranks to a number below that of a free port of the "
                              "host of rank 0, or SHEAF_PORT to that port");
  return port.isOk() ? Result<int>(*port + 1) : port.takeStatus();
}

} // namespace

Result<std::optional<comm::TcpPlace>> placeByVariables() {
  constexpr int maxRanks = 1 << 20;
  std::optional<comm::TcpPlace> none;
  if (isSet("RANK") != isSet("WORLD_SIZE") && !comm::MpiProcess::isLaunched()) {
    const char *one = isSet("RANK") ? "RANK" : "WORLD_SIZE";
    return Status::invalid(one, "=", std::getenv(one), " is set but ",
                           isSet("RANK") ? "WORLD_SIZE" : "RANK",
                           " is not; a launcher sets both; unset it to run all ranks in this "
                           "process");
  }
  if (!isPlacedByVariables())
    return none;
  Result<int> size = numberOf("WORLD_SIZE", 1, maxRanks, "");
  if (!size.isOk())
    return size.takeStatus();
  Result<int> rank = numberOf("RANK", 0, *size - 1, "");
  if (!rank.isOk())
    return rank.takeStatus().annotated("WORLD_SIZE=", *size);
  if (isSet("LOCAL_RANK"))
    if (Result<int> local = numberOf("LOCAL_RANK", 0, *size - 1, ""); !local.isOk())
      return local.takeStatus().annotated("WORLD_SIZE=", *size);
  if (*size == 1)
    return none;
  if (!isSet("MASTER_ADDR"))
    return Status::invalid(
        "RANK and WORLD_SIZE are set but MASTER_ADDR is not; set it on all ranks "
        "to the host of rank 0; unset RANK and WORLD_SIZE to run all ranks in "
        "this process");
  Result<int> port = findPort();
  if (!port.isOk())
    return port.takeStatus();
  const char *job = std::getenv("TORCHELASTIC_RUN_ID");
  return std::optional(comm::TcpPlace{.rank = *rank,
                                      .size = *size,
                                      .address = std::getenv("MASTER_ADDR"),
                                      .port = static_cast<uint16_t>(*port),
                                      .job = job ? job : ""});
}

Status checkLauncher() {
  if (int tasks = numberIn("SLURM_STEP_NUM_TASKS"); tasks > 1)
    return Status::invalid("srun started ", tasks,
                           " tasks without a way to reach each other; use "
                           "srun --mpi=pmix");
  return {};
}

int localProcesses() {
  if (isPlacedByVariables() && isSet("LOCAL_WORLD_SIZE"))
    return std::max(1, numberIn("LOCAL_WORLD_SIZE"));
  for (const char *variable : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                               "SLURM_NTASKS_PER_NODE", "SLURM_STEP_TASKS_PER_NODE"})
    if (int number = numberIn(variable); number > 0)
      return number;
  return 1;
}

int localRank() {
  if (isPlacedByVariables())
    return numberIn("LOCAL_RANK");
  for (const char *variable : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"})
    if (std::getenv(variable))
      return numberIn(variable);
  return 0;
}

} // namespace sheaf::rt::launch
