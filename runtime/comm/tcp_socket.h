// Connections between hosts.
#ifndef SHEAF_RUNTIME_COMM_TCP_SOCKET_H
#define SHEAF_RUNTIME_COMM_TCP_SOCKET_H

#include "runtime/comm/tcp_frame.h"
#include "runtime/core/file_descriptor.h"

namespace sheaf::rt::comm {

/// Listens on a port of all addresses of this host; does not block. Errors: the port is taken.
Result<FileDescriptor> listenOn(uint16_t port);

/// The next who has connected, without blocking; none: nobody has.
FileDescriptor acceptFrom(const FileDescriptor &listener);

/// Connects to a port of a host, which may have to begin to listen first. `timeoutMs`: how long to try; 0: for ever.
/// Errors: the last attempt's.
Result<FileDescriptor> connectTo(const std::string &address, uint16_t port, int timeoutMs);

/// How long a call waits until something has come, or goes; 0: for ever.
void limitWaits(const FileDescriptor &socket, int receiveMs, int sendMs);

/// Sends a frame, blocking. False, with errno set: the peer is gone, or takes nothing.
bool sendFrame(const FileDescriptor &socket, FrameKind kind, uint64_t ticket,
               std::span<const std::byte> body);

/// Adds to `buffer` what has come, waiting until something has. False: nothing will come any more, or, with errno
/// EAGAIN, nothing has come in time.
bool receiveInto(const FileDescriptor &socket, FrameBuffer &buffer);

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_TCP_SOCKET_H
