// The counter-based random generator Philox4x32-10. Device code includes this too.
#ifndef SHEAF_RUNTIME_CORE_PHILOX_H
#define SHEAF_RUNTIME_CORE_PHILOX_H

#include <array>
#include <cstdint>

namespace sheaf::rt {

/// The four words of block `counter` under `key`.
///
/// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011; ten rounds.
constexpr std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                                         std::array<uint32_t, 2> key) {
  constexpr uint64_t multiplier0 = 0xD2511F53, multiplier1 = 0xCD9E8D57;
  constexpr uint32_t weyl0 = 0x9E3779B9, weyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    uint64_t product0 = multiplier0 * counter[0], product1 = multiplier1 * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(product0)};
    key[0] += weyl0;
    key[1] += weyl1;
  }
  return counter;
}

/// A stream of random words: that of a value, by its `key`, in runs of one `seed`.
struct RandomStream {
  uint64_t key = 0;
  uint64_t seed = 0;

  /// The words of block `block`: the key is the generator's, block and seed are its counter.
  constexpr std::array<uint32_t, 4> words(uint64_t block) const {
    return philox({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
                   static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
                  {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)});
  }
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_PHILOX_H
