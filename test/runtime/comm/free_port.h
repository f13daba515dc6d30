// A port that nobody listens on.
#ifndef SHEAF_TEST_RUNTIME_COMM_FREE_PORT_H
#define SHEAF_TEST_RUNTIME_COMM_FREE_PORT_H

#include "runtime/core/file_descriptor.h"

#include <cstdint>
#include <netinet/in.h>
#include <sys/socket.h>

namespace sheaf::rt::test {

/// The system gives a port of its own; it does not give it again soon.
inline uint16_t freePort() {
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  socklen_t size = sizeof address;
  ::bind(socket.get(), reinterpret_cast<sockaddr *>(&address), size);
  ::getsockname(socket.get(), reinterpret_cast<sockaddr *>(&address), &size);
  return ntohs(address.sin_port);
}

} // namespace sheaf::rt::test

#endif // SHEAF_TEST_RUNTIME_COMM_FREE_PORT_H
