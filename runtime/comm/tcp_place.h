// Where a rank finds the others when nothing but variables of the environment tells.
#ifndef SHEAF_RUNTIME_COMM_TCP_PLACE_H
#define SHEAF_RUNTIME_COMM_TCP_PLACE_H

#include <cstdint>
#include <string>

namespace sheaf::rt::comm {

/// This process among those of its job, and where rank 0 listens.
struct TcpPlace {
  int rank = 0;
  int size = 1;
  std::string address; ///< of the host of rank 0: a name or a number
  uint16_t port = 0;
  std::string job; ///< tells jobs apart that use one port; the same on all ranks
};

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_TCP_PLACE_H
