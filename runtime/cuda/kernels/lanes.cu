// Reductions and running sums along the lanes of a tensor.
#include "runtime/cuda/kernels/arithmetic.h"
#include "runtime/cuda/kernels/integer.h"
#include "runtime/cuda/kernels/lane_parameters.h"
#include "runtime/cuda/kernels/strided.h"

using namespace sheaf::rt::cuda;

namespace {

/// An element and its place in the lane; -1 where there is none.
template <typename T> struct Candidate {
  T value;
  int64_t place;
};

/// Whether `b` should take the place of `a`: it is further out, or equal and first, or last. NaN is furthest.
template <typename T>
DEVICE bool replaces(const ArgReduceParameters &p, const Candidate<T> &a, const Candidate<T> &b) {
  if (a.place < 0 || b.place < 0)
    return a.place < 0;
  bool isEqual = (isNan(a.value) && isNan(b.value)) || a.value == b.value;
  if (isEqual)
    return (b.place > a.place) == p.isLast;
  if (isNan(a.value) || isNan(b.value))
    return isNan(b.value);
  return (b.value > a.value) == p.isMax;
}

DEVICE int64_t shuffled(int64_t value, int distance) {
  auto low = __nvvm_shfl_sync_bfly_i32(~0u, static_cast<int>(value), distance, 31);
  auto high = __nvvm_shfl_sync_bfly_i32(~0u, static_cast<int>(value >> 32), distance, 31);
  return static_cast<int64_t>(static_cast<uint64_t>(static_cast<uint32_t>(high)) << 32 |
                              static_cast<uint32_t>(low));
}

/// A warp per lane. Which candidate wins does not depend on the order in which they meet.
template <typename T>
DEVICE void argReduce(const ArgReduceParameters &p, const char *in, char *out) {
  constexpr int warp = 32;
  int64_t thread = threadNumber(), numWarps = numThreads() / warp;
  for (int64_t lane = thread / warp; lane < p.lanes.count; lane += numWarps) {
    Offsets<2> offsets = offsetsOf(p.lanes, lane);
    auto read = [&](int64_t place) {
      return Candidate<T>{*reinterpret_cast<const T *>(in + offsets.at[0] + place * p.step), place};
    };
    Candidate<T> best{T(0), -1};
    for (int64_t place = thread % warp; place < p.extent; place += warp)
      if (Candidate<T> next = read(place); replaces(p, best, next))
        best = next;
    for (int distance = warp / 2; distance > 0; distance /= 2) {
      int64_t place = shuffled(best.place, distance);
      Candidate<T> other = place < 0 ? Candidate<T>{T(0), -1} : read(place);
      if (place != best.place && replaces(p, best, other))
        best = other;
    }
    if (thread % warp == 0)
      writeInteger(p.index, out + offsets.at[1], 0, static_cast<uint64_t>(best.place));
  }
}

/// A thread per lane, from one end to the other: rounding is that of the host.
template <typename T>
DEVICE void cumulative(const CumulativeParameters &p, const char *in, char *out) {
  forEach(p.lanes.count, [&](int64_t lane) {
    Offsets<2> offsets = offsetsOf(p.lanes, lane);
    Wide<T> running = p.isSum ? 0 : 1;
    for (int64_t i = 0; i < p.extent; ++i) {
      int64_t place = p.isReverse ? p.extent - 1 - i : i;
      auto value =
          static_cast<Wide<T>>(*reinterpret_cast<const T *>(in + offsets.at[0] + place * p.inStep));
      Wide<T> next = p.isSum ? wrappingAdd(running, value) : wrappingMultiply(running, value);
      *reinterpret_cast<T *>(out + offsets.at[1] + place * p.outStep) =
          static_cast<T>(p.isExclusive ? running : next);
      running = next;
    }
  });
}

} // namespace

#define LANES(name, T)                                                                             \
  KERNEL void arg_reduce_##name(ArgReduceParameters p, const char *in, char *out) {                \
    argReduce<T>(p, in, out);                                                                      \
  }                                                                                                \
  KERNEL void cumulative_##name(CumulativeParameters p, const char *in, char *out) {               \
    cumulative<T>(p, in, out);                                                                     \
  }
SHEAF_FOR_ARITHMETIC(LANES)
