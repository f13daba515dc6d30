// A group of processes.
#ifndef SHEAF_RUNTIME_COMM_MPI_GROUP_H
#define SHEAF_RUNTIME_COMM_MPI_GROUP_H

#include "runtime/comm/mpi_job.h"
#include "runtime/core/communicator.h"

namespace sheaf::rt::comm {

/// The group of `ranks` of `job`, which outlives it; its members make it at
/// once.
Result<std::unique_ptr<Group>> makeMpiGroup(MpiJob &job, std::vector<int> ranks);

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_MPI_GROUP_H
