// What members of groups bring to the hub, until all of a group have.
#ifndef SHEAF_RUNTIME_COMM_TCP_MEETING_H
#define SHEAF_RUNTIME_COMM_TCP_MEETING_H

#include "runtime/comm/tcp_frame.h"

#include <map>
#include <memory>

namespace sheaf::rt::comm {

/// Groups of equal members are told apart by their number. A group has one meeting at a time.
struct TcpGroupKey {
  std::vector<int> members;
  uint32_t number = 0;

  /// Reads it from the front of the body of a part; the rest is what the member gives. Errors: it is no list of ranks
  /// below `size` with `rank` among them.
  static Result<TcpGroupKey> take(FrameReader &reader, int rank, int size);
  void put(FrameWriter &writer) const;

  bool operator<(const TcpGroupKey &other) const {
    return std::tie(members, number) < std::tie(other.members, other.number);
  }
};

/// The meetings that go on.
class TcpMeetings {
public:
  /// What came of a part.
  struct Answer {
    std::shared_ptr<const Bytes> parts; ///< of all members, as a body; null: not all have come
    std::vector<int> members;
    std::vector<uint64_t> tickets; ///< of each
  };

  /// `rank` brings its part. Errors: it has brought one already.
  Result<Answer> add(const TcpGroupKey &key, int rank, uint64_t ticket,
                     std::span<const std::byte> part);
  /// The body of a roll: who has come to the meeting to which `rank` came with `ticket`. None: there is none.
  std::optional<Bytes> roll(int rank, uint64_t ticket) const;

private:
  struct Meeting {
    std::vector<std::optional<Bytes>> parts;
    std::vector<uint64_t> tickets;
    size_t numCome = 0;
  };

  std::map<TcpGroupKey, Meeting> meetings;
};

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_TCP_MEETING_H
