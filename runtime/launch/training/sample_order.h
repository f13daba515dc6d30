// The order in which an epoch visits samples.
#ifndef SHEAF_RUNTIME_LAUNCH_TRAINING_SAMPLE_ORDER_H
#define SHEAF_RUNTIME_LAUNCH_TRAINING_SAMPLE_ORDER_H

#include <cstdint>

namespace sheaf::rt::launch {

/// A permutation of [0, count) that depends on seed and epoch only. Any place of it is computed alone and nothing is
/// stored, so every rank computes just the samples it holds, and to resume takes no more than a number.
///
/// Source: a Feistel network over the next power of four (Luby, Rackoff, SIAM J. Comput. 1988) whose rounds are
/// Philox, walked until it hits the range (Black, Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002).
class SampleOrder {
public:
  SampleOrder(int64_t count, uint64_t seed, int64_t epoch);

  /// The sample at `place`, both in [0, count).
  int64_t operator[](int64_t place) const;

private:
  uint64_t permute(uint64_t value) const;

  uint64_t count, seed, key;
  int halfBits; ///< of a number of the network's domain
};

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_TRAINING_SAMPLE_ORDER_H
