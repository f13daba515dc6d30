// Opens sockets, and sends and receives frames.
#include "runtime/comm/tcp_socket.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <thread>

namespace sheaf::rt::comm {
namespace {

void set(const FileDescriptor &socket, int level, int name, int value) {
  ::setsockopt(socket.get(), level, name, &value, sizeof value);
}

/// Small messages go at once, and a host that is gone is noticed after some ten seconds, as by mpirun with the settings
/// of docs/running.md.
void prepare(const FileDescriptor &socket) {
  constexpr int idleS = 5, intervalS = 2, numProbes = 3, unsentMs = 15'000;
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, idleS);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, intervalS);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, numProbes);
  set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, unsentMs);
}

/// Listens on all addresses of one family.
FileDescriptor tryListen(int family, uint16_t port) {
  FileDescriptor socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.isOpen())
    return socket;
  set(socket, SOL_SOCKET, SO_REUSEADDR,
      1); // A job that was started again finds its port in TIME_WAIT.
  int bound = -1;
  if (family == AF_INET6) {
    set(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0);
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    any.sin6_port = htons(port);
    bound = ::bind(socket.get(), reinterpret_cast<const sockaddr *>(&any), sizeof any);
  } else {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_port = htons(port);
    bound = ::bind(socket.get(), reinterpret_cast<const sockaddr *>(&any), sizeof any);
  }
  if (bound != 0 || ::listen(socket.get(), SOMAXCONN) != 0)
    return FileDescriptor(-1);
  return socket;
}

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

/// One attempt at each of the host's addresses. Errors: why the last one failed.
Result<FileDescriptor> tryConnect(const std::string &address, uint16_t port) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  if (int code = ::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found))
    return Status::failed(::gai_strerror(code));
  Addresses addresses(found, ::freeaddrinfo);
  int error = EHOSTUNREACH;
  for (const addrinfo *each = found; each; each = each->ai_next) {
    FileDescriptor socket(::socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    constexpr int attemptMs = 5000;
    if (socket.isOpen())
      limitWaits(socket, attemptMs, attemptMs); // Of connect too.
    if (socket.isOpen() && ::connect(socket.get(), each->ai_addr, each->ai_addrlen) == 0) {
      prepare(socket);
      return socket;
    }
    error = errno == EINPROGRESS ? ETIMEDOUT : errno;
  }
  return Status::failed(std::strerror(error));
}

} // namespace

Result<FileDescriptor> listenOn(uint16_t port) {
  for (int family : {AF_INET6, AF_INET})
    if (FileDescriptor socket = tryListen(family, port); socket.isOpen())
      return socket;
    else if (errno == EADDRINUSE)
      break;
  return Status::invalid("can't listen on port ", port, ": ", std::strerror(errno));
}

FileDescriptor acceptFrom(const FileDescriptor &listener) {
  FileDescriptor socket(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (socket.isOpen())
    prepare(socket);
  return socket;
}

Result<FileDescriptor> connectTo(const std::string &address, uint16_t port, int timeoutMs) {
  constexpr std::chrono::milliseconds pause(50);
  auto start = std::chrono::steady_clock::now();
  for (;;) {
    Result<FileDescriptor> socket = tryConnect(address, port);
    if (socket.isOk() || (timeoutMs > 0 && std::chrono::steady_clock::now() - start >
                                               std::chrono::milliseconds(timeoutMs)))
      return socket;
    std::this_thread::sleep_for(pause);
  }
}

void limitWaits(const FileDescriptor &socket, int receiveMs, int sendMs) {
  auto limit = [&](int name, int ms) {
    timeval time{ms / 1000, ms % 1000 * 1000};
    ::setsockopt(socket.get(), SOL_SOCKET, name, &time, sizeof time);
  };
  limit(SO_RCVTIMEO, receiveMs);
  limit(SO_SNDTIMEO, sendMs);
}

bool sendFrame(const FileDescriptor &socket, FrameKind kind, uint64_t ticket,
               std::span<const std::byte> body) {
  FrameHead head{.kind = kind, .ticket = ticket, .bytes = body.size()};
  for (std::span<const std::byte> rest : {std::as_bytes(std::span(&head, 1)), body})
    while (!rest.empty()) {
      ssize_t sent = ::send(socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR)
        continue;
      if (sent < 0)
        return false;
      rest = rest.subspan(static_cast<size_t>(sent));
    }
  return true;
}

bool receiveInto(const FileDescriptor &socket, FrameBuffer &buffer) {
  std::array<std::byte, 1 << 16> data;
  ssize_t received = 0;
  do
    received = ::recv(socket.get(), data.data(), data.size(), 0);
  while (received < 0 && errno == EINTR);
  if (received == 0)
    errno = 0; // It is no error, and an older one must not be taken for its.
  if (received <= 0)
    return false;
  buffer.add(std::span(data).first(static_cast<size_t>(received)));
  return true;
}

} // namespace sheaf::rt::comm
