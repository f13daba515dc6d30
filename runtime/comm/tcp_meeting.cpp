// Collects parts by group and member.
#include "runtime/comm/tcp_meeting.h"

#include "runtime/comm/call.h"

#include <algorithm>

namespace sheaf::rt::comm {

void TcpGroupKey::put(FrameWriter &writer) const {
  writer.put(number);
  writer.put(static_cast<uint32_t>(members.size()));
  writer.putBytes(std::as_bytes(std::span(members)));
}

Result<TcpGroupKey> TcpGroupKey::take(FrameReader &reader, int rank, int size) {
  TcpGroupKey key;
  key.number = reader.take<uint32_t>();
  auto count = reader.take<uint32_t>();
  std::span<const std::byte> members = reader.takeBytes(count * sizeof(int));
  if (reader.hasFailed())
    return Status::failed("a message is cut off");
  key.members.resize(count);
  std::copy(members.begin(), members.end(), std::as_writable_bytes(std::span(key.members)).begin());
  if (Status status = checkMembers(key.members, rank, size); !status.isOk())
    return status;
  return key;
}

Result<TcpMeetings::Answer> TcpMeetings::add(const TcpGroupKey &key, int rank, uint64_t ticket,
                                             std::span<const std::byte> part) {
  Meeting &meeting = meetings[key];
  meeting.parts.resize(key.members.size());
  meeting.tickets.resize(key.members.size());
  auto member = static_cast<size_t>(std::find(key.members.begin(), key.members.end(), rank) -
                                    key.members.begin());
  if (meeting.parts[member])
    return Status::failed("it comes twice to one meeting");
  meeting.parts[member].emplace(part.begin(), part.end());
  meeting.tickets[member] = ticket;
  if (++meeting.numCome < key.members.size())
    return Answer{};
  FrameWriter writer;
  for (const std::optional<Bytes> &each : meeting.parts) {
    writer.put(static_cast<uint64_t>(each->size()));
    writer.putBytes(*each);
  }
  Answer answer{std::make_shared<const Bytes>(std::move(writer.body)), key.members,
                std::move(meeting.tickets)};
  meetings.erase(key);
  return answer;
}

std::optional<Bytes> TcpMeetings::roll(int rank, uint64_t ticket) const {
  for (const auto &[key, meeting] : meetings)
    for (size_t member = 0; member < key.members.size(); ++member)
      if (key.members[member] == rank && meeting.parts[member] &&
          meeting.tickets[member] == ticket) {
        FrameWriter writer;
        for (const std::optional<Bytes> &part : meeting.parts)
          writer.put(static_cast<uint8_t>(part.has_value()));
        return std::move(writer.body);
      }
  return std::nullopt;
}

} // namespace sheaf::rt::comm
