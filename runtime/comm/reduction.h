// Combines what several members hold, element by element, always in the same order.
#ifndef SHEAF_RUNTIME_COMM_REDUCTION_H
#define SHEAF_RUNTIME_COMM_REDUCTION_H

#include "runtime/core/communicator.h"

namespace sheaf::rt::comm {

/// "sum", "max", "min" or "mean".
const char *nameOf(CombineKind kind);

/// The elements, from first to past the last, that one of `parts` workers combines of `count`: whole cache lines, as
/// nobody else writes into them. The first share is the largest.
std::pair<size_t, size_t> shareOf(size_t count, size_t elementBytes, size_t part, size_t parts);

/// How elements of one type combine. Equal inputs give equal bits, however the elements are divided among calls.
class Reduction {
public:
  /// Errors: sum, max and min take integers of 8 bits or more and floats of 16 bits or more, mean takes such floats.
  static Result<Reduction> of(abi::ElementType type, CombineKind kind);

  /// Element i of every out = the combination of element i of ins[0], ins[1], ... in this order, i < `count`. Integers
  /// wrap; 16-bit floats accumulate in f32 and are rounded once; NaN wins from any side. An out may be an in.
  void run(std::span<const std::byte *const> ins, std::span<std::byte *const> outs,
           size_t count) const {
    loop(ins, outs, count);
  }

private:
  using Loop = void (*)(std::span<const std::byte *const> ins, std::span<std::byte *const> outs,
                        size_t count);

  explicit Reduction(Loop loop) : loop(loop) {}

  Loop loop;
};

} // namespace sheaf::rt::comm

#endif // SHEAF_RUNTIME_COMM_REDUCTION_H
