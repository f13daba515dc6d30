// A group of ranks that meet at the hub of their job.
#ifndef SHEAF_RUNTIME_COMM_TCP_GROUP_H
#define SHEAF_RUNTIME_COMM_TCP_GROUP_H

#include "runtime/comm/tcp_job.h"

namespace sheaf::rt::comm {

/// The group `key` of `job`, which outlives it. Every member is given what all give, through one process, and takes
/// what it needs: right for what ranks agree on, slow for tensors. Results are the same bits as those of threads.
std::unique_ptr<Group> makeTcpGroup(TcpJob &job, TcpGroupKey key);

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_TCP_GROUP_H
