// Messages between a rank and the hub of its job, and how they lie in a stream of bytes.
#ifndef SHEAF_RUNTIME_COMM_TCP_FRAME_H
#define SHEAF_RUNTIME_COMM_TCP_FRAME_H

#include "runtime/core/status.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sheaf::rt::comm {

using Bytes = std::vector<std::byte>;

enum class FrameKind : uint32_t {
  hello = 1, ///< a rank comes: its rank, the number of ranks, its job, its host
  welcome,   ///< all have come: the host of each
  refused,   ///< this one can't take part, or the job can't start: why
  part,      ///< of a meeting: the number of the group, its members, what this one gives
  parts,     ///< all of them, each with its size
  question,  ///< who has come to the meeting of a ticket?
  roll,      ///< a byte per member: it has come
  failure,   ///< a JobFailure: from a rank to the hub, from the hub to all ranks
  farewell   ///< a rank is done
};

/// A message. `ticket` is the rank's name for the meeting that it is about.
struct Frame {
  FrameKind kind;
  uint64_t ticket = 0;
  Bytes body;
};

/// Bytes in front of each body.
struct FrameHead {
  static constexpr uint32_t magicNumber = 0x46454853;

  uint32_t magic = magicNumber;
  FrameKind kind;
  uint64_t ticket;
  uint64_t bytes;
};

/// The first failure of a job: the only one that ranks are told of.
struct JobFailure {
  int origin = 0;      ///< the rank that failed, or that found that another did not come
  bool isDead = false; ///< it has ended without a word
  StatusCode code = StatusCode::failed;
  std::string text;

  Bytes body() const;
  static std::optional<JobFailure> fromBody(std::span<const std::byte> body);
};

/// Puts values into a body.
class FrameWriter {
public:
  template <typename T> void put(const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    putBytes(std::as_bytes(std::span(&value, 1)));
  }
  void putBytes(std::span<const std::byte> data) {
    body.insert(body.end(), data.begin(), data.end());
  }
  void putText(std::string_view text) {
    put(static_cast<uint32_t>(text.size()));
    putBytes(std::as_bytes(std::span(text)));
  }

  Bytes body;
};

/// Takes them out again, in their order. What a peer sends is not trusted: when there is too little, the reader says
/// that it `hasFailed`, and gives zeros and empty texts.
class FrameReader {
public:
  explicit FrameReader(std::span<const std::byte> body) : rest(body) {}

  template <typename T> T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    std::span<const std::byte> data = takeBytes(sizeof value);
    if (!data.empty())
      std::memcpy(&value, data.data(), sizeof value);
    return value;
  }
  std::span<const std::byte> takeBytes(uint64_t bytes) {
    if (bytes > rest.size()) {
      failed = true;
      rest = {};
      return {};
    }
    std::span<const std::byte> data = rest.first(bytes);
    rest = rest.subspan(bytes);
    return data;
  }
  std::string takeText() {
    std::span<const std::byte> data = takeBytes(take<uint32_t>());
    return {reinterpret_cast<const char *>(data.data()), data.size()};
  }
  std::span<const std::byte> takeRest() { return takeBytes(rest.size()); }

  bool hasFailed() const { return failed; }

private:
  std::span<const std::byte> rest;
  bool failed = false;
};

/// Bytes as they come in, of which frames are made once they are whole.
class FrameBuffer {
public:
  /// Bodies may have so many bytes.
  explicit FrameBuffer(uint64_t maxBytes) : maxBytes(maxBytes) {}

  void add(std::span<const std::byte> data) { bytes.insert(bytes.end(), data.begin(), data.end()); }
  /// The next frame, if all of it is there.
  std::optional<Frame> next();
  /// What came is no frame. There is no way on from here.
  bool isSenseless() const { return senseless; }
  void allow(uint64_t bytes) { maxBytes = bytes; }

private:
  uint64_t maxBytes;
  Bytes bytes;
  size_t begin = 0; ///< of what is not taken yet
  bool senseless = false;
};

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_TCP_FRAME_H
