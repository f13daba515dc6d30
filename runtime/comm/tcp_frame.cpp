// Cuts a stream of bytes into frames.
#include "runtime/comm/tcp_frame.h"

namespace sheaf::rt::comm {

Bytes JobFailure::body() const {
  FrameWriter writer;
  writer.put(origin);
  writer.put(isDead);
  writer.put(code);
  writer.putText(text);
  return std::move(writer.body);
}

std::optional<JobFailure> JobFailure::fromBody(std::span<const std::byte> body) {
  FrameReader reader(body);
  JobFailure failure;
  failure.origin = reader.take<int>();
  failure.isDead = reader.take<uint8_t>() != 0;
  auto code = static_cast<StatusCode>(reader.take<std::underlying_type_t<StatusCode>>());
  // Whatever a peer says, there is a failure.
  failure.code =
      code == StatusCode::invalid || code == StatusCode::timedOut ? code : StatusCode::failed;
  failure.text = reader.takeText();
  return reader.hasFailed() ? std::nullopt : std::optional(std::move(failure));
}

std::optional<Frame> FrameBuffer::next() {
  FrameHead head;
  if (senseless || bytes.size() - begin < sizeof head)
    return std::nullopt;
  std::memcpy(&head, bytes.data() + begin, sizeof head);
  if (head.magic != FrameHead::magicNumber || head.bytes > maxBytes) {
    senseless = true;
    return std::nullopt;
  }
  if (bytes.size() - begin - sizeof head < head.bytes)
    return std::nullopt;
  auto first = bytes.begin() + static_cast<ptrdiff_t>(begin + sizeof head);
  Frame frame{head.kind, head.ticket, Bytes(first, first + static_cast<ptrdiff_t>(head.bytes))};
  begin += sizeof head + head.bytes;
  if (begin == bytes.size() || begin > size_t(1) << 20) { // Not for each small frame.
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(begin));
    begin = 0;
  }
  return frame;
}

} // namespace sheaf::rt::comm
