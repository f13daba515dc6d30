// Permutes samples without a table.
#include "runtime/launch/training/sample_order.h"

#include "runtime/core/philox.h"

#include <algorithm>
#include <bit>

namespace sheaf::rt::launch {
namespace {

constexpr int numRounds = 6;
/// Smaller networks give few of the orders there are.
constexpr int leastHalfBits = 4;
/// Not those of a model's random nodes, which are small, nor of random inputs.
constexpr uint64_t orderKeys = 0x73616d706c65;

} // namespace

SampleOrder::SampleOrder(int64_t count, uint64_t seed, int64_t epoch)
    : count(static_cast<uint64_t>(count)), seed(seed),
      key((orderKeys << 16) + static_cast<uint64_t>(epoch)),
      halfBits(std::max(leastHalfBits, static_cast<int>(std::bit_width(this->count) + 1) / 2)) {}

uint64_t SampleOrder::permute(uint64_t value) const {
  uint64_t mask = (uint64_t(1) << halfBits) - 1;
  uint64_t left = value >> halfBits, right = value & mask;
  RandomStream random{key, seed};
  for (uint64_t round = 0; round < numRounds; ++round) {
    uint64_t mixed = left ^ (random.words(round << 32 | right)[0] & mask);
    left = right;
    right = mixed;
  }
  return left << halfBits | right;
}

int64_t SampleOrder::operator[](int64_t place) const {
  // The domain is less than four times the range (or tiny), so the walk is short; it ends because the network is a
  // permutation: at worst it comes back to where it began.
  auto value = static_cast<uint64_t>(place);
  do
    value = permute(value);
  while (value >= count);
  return static_cast<int64_t>(value);
}

} // namespace sheaf::rt::launch
