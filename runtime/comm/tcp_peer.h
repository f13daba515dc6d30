// A connection of the hub.
#ifndef SHEAF_RUNTIME_COMM_TCP_PEER_H
#define SHEAF_RUNTIME_COMM_TCP_PEER_H

#include "runtime/comm/tcp_socket.h"

#include <deque>
#include <memory>

namespace sheaf::rt::comm {

/// Who has connected to the hub, what has come from there, and what is to go there.
class TcpPeer {
public:
  explicit TcpPeer(FileDescriptor socket) : socket(std::move(socket)) {}

  /// Sends as much as goes now, later the rest. Several peers may be sent one body.
  void send(FrameKind kind, uint64_t ticket, std::shared_ptr<const Bytes> body);
  void send(FrameKind kind, uint64_t ticket, Bytes body) {
    send(kind, ticket, std::make_shared<const Bytes>(std::move(body)));
  }
  /// Goes on with that.
  void flush();
  bool isFlushed() const { return unsent.empty(); }
  /// Takes in what has come; false: nothing will come any more.
  bool receive();

  FileDescriptor socket;
  FrameBuffer in = FrameBuffer(maxGreetingBytes);
  int rank = -1;        ///< negative until it has said so
  bool hasLeft = false; ///< it has said farewell
  bool isGone = false;  ///< its connection is of no more use

private:
  static constexpr uint64_t maxGreetingBytes = 4096;

  struct Message {
    std::shared_ptr<const Bytes> data;
    size_t sent = 0;
  };
  std::deque<Message> unsent;
};

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_TCP_PEER_H
