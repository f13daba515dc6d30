// Sends and receives without blocking.
#include "runtime/comm/tcp_peer.h"

#include <cerrno>
#include <sys/socket.h>

namespace sheaf::rt::comm {

void TcpPeer::send(FrameKind kind, uint64_t ticket, std::shared_ptr<const Bytes> body) {
  FrameHead head{.kind = kind, .ticket = ticket, .bytes = body->size()};
  auto bytes = std::as_bytes(std::span(&head, 1));
  unsent.push_back({std::make_shared<const Bytes>(bytes.begin(), bytes.end())});
  if (!body->empty())
    unsent.push_back({std::move(body)});
  flush();
}

void TcpPeer::flush() {
  while (!unsent.empty() && !isGone) {
    Message &message = unsent.front();
    auto rest = std::span(*message.data).subspan(message.sent);
    ssize_t sent = ::send(socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
      unsent.clear(); // What comes from there tells that it is gone.
    if (sent < 0)
      return;
    message.sent += static_cast<size_t>(sent);
    if (message.sent == message.data->size())
      unsent.pop_front();
  }
}

bool TcpPeer::receive() {
  // Not all at once: others wait too.
  constexpr int maxReads = 64;
  for (int i = 0; i < maxReads; ++i)
    if (!receiveInto(socket, in))
      return errno == EAGAIN || errno == EWOULDBLOCK;
  return true;
}

} // namespace sheaf::rt::comm
