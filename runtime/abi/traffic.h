// The bytes that collectives move: what the compiler predicts and the runtime counts, by the same formulas.
//
// payload: bytes of the full buffer, as if it were not sharded, padding included. It does not depend on an algorithm.
// ring: bytes that each rank sends when blocks go round a ring.
// n is the number of ranks of the group, at least 2: a group of one rank issues nothing.
#ifndef SHEAF_RUNTIME_ABI_TRAFFIC_H
#define SHEAF_RUNTIME_ABI_TRAFFIC_H

#include <cstdint>

namespace sheaf::abi {

struct Traffic {
  int64_t payloadBytes = 0;
  int64_t ringBytes = 0;

  friend constexpr bool operator==(const Traffic &, const Traffic &) = default;
};

/// 2 (n - 1) / n of the buffer, rounded down.
constexpr Traffic allReduceTraffic(int64_t n, int64_t bufferBytes) {
  return {bufferBytes, bufferBytes / n * 2 * (n - 1) + bufferBytes % n * 2 * (n - 1) / n};
}

/// Each block goes to all other ranks.
constexpr Traffic allGatherTraffic(int64_t n, int64_t blockBytes) {
  return {n * blockBytes, (n - 1) * blockBytes};
}

constexpr Traffic reduceScatterTraffic(int64_t n, int64_t blockBytes) {
  return {n * blockBytes, (n - 1) * blockBytes};
}

/// Each rank holds n blocks and sends all but one.
constexpr Traffic allToAllTraffic(int64_t n, int64_t blockBytes) {
  return {n * n * blockBytes, (n - 1) * blockBytes};
}

/// Each rank sends its buffer.
constexpr Traffic permuteTraffic(int64_t bufferBytes) { return {bufferBytes, bufferBytes}; }

} // namespace sheaf::abi

#endif // SHEAF_RUNTIME_ABI_TRAFFIC_H
