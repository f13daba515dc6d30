// The clusters that are measured.
#ifndef SHEAF_BENCH_KERNELS_KINDS_H
#define SHEAF_BENCH_KERNELS_KINDS_H

#include <cstdint>
#include <string>
#include <vector>

namespace sheaf::bench {

/// One cluster. Tensors of 32 MiB or more are meant to come from memory, all others from caches.
struct Kind {
  std::string name;
  std::string operands; // types, comma-joined
  std::string results;
  std::string body; // of the cluster; operands are %a0, %a1, ...
  /// The strides of operand 0, when it is not row-major.
  std::vector<long> strides = {};
  /// Per result, the operand it overwrites.
  std::vector<unsigned> overwrites = {};
};

/// Tensors of `scale` times the size that exceeds most caches.
std::vector<Kind> allKinds(int64_t scale);

} // namespace sheaf::bench

#endif
