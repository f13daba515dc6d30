// Sorts lanes: makes an entry of each element, orders the entries of all lanes at once by a bitonic network, and takes
// the elements that they name.
#include "runtime/cuda/kernels/arithmetic.h"
#include "runtime/cuda/kernels/sort_lanes.h"

using namespace sheaf::rt::cuda;

namespace {

/// An integer that is less than another's exactly where the value is: NaN is the largest, zeros are equal.
template <typename T> DEVICE uint64_t keyOf(T value) {
  constexpr uint64_t sign = uint64_t(1) << 63;
  if constexpr (std::is_integral_v<T>) {
    return std::is_signed_v<T> ? static_cast<uint64_t>(static_cast<int64_t>(value)) ^ sign : value;
  } else {
    if (isNan(value))
      return UINT64_MAX;
    // Exact for all floats. Adding zero makes the negative one positive.
    auto bits =
        __builtin_bit_cast(uint64_t, static_cast<double>(static_cast<Wide<T>>(value)) + 0.0);
    return bits & sign ? ~bits : bits | sign;
  }
}

template <typename T>
DEVICE void makeEntries(const SortLanes &lanes, const Strided<3> &space, int64_t step,
                        uint64_t flip, const char *in, SortEntry *entries) {
  forEachEntry(lanes, entries, [&](int64_t lane, int64_t place) {
    int64_t at = offsetsOf(space, lane).at[0] + place * step;
    return keyOf(*reinterpret_cast<const T *>(in + at)) ^ flip;
  });
}

template <typename T>
DEVICE void take(const SortLanes &lanes, const Strided<3> &space, const SortOutputs &p,
                 const SortEntry *entries, const char *in, char *values, char *indices) {
  forEach(lanes.numLanes * p.kept, [&](int64_t i) {
    int64_t lane = i / p.kept, place = i % p.kept;
    Offsets<3> offsets = offsetsOf(space, lanes.firstLane + lane);
    int64_t from = entries[lane * lanes.padded + place].place;
    *reinterpret_cast<T *>(values + offsets.at[1] + place * p.valueStep) =
        *reinterpret_cast<const T *>(in + offsets.at[0] + from * p.inStep);
    char *index = indices + offsets.at[2] + place * p.indexStep;
    writeInteger(p.index, index, 0, static_cast<uint64_t>(from));
  });
}

DEVICE void order(SortEntry &low, SortEntry &high, bool isUp) {
  const SortEntry a = low, b = high;
  bool isLess = b.key != a.key ? b.key < a.key : b.place < a.place;
  if (isLess == isUp) {
    low = b;
    high = a;
  }
}

/// The first of pair number `i` of those `distance` apart; both are powers of 2.
DEVICE int64_t firstOfPair(int64_t i, int64_t distance) {
  return 2 * (i & ~(distance - 1)) + (i & (distance - 1));
}

/// Whether the run around entry `at` is to ascend; those of a whole lane all do.
DEVICE bool isAscending(int64_t at, int64_t run, int64_t padded) {
  return (at & (padded - 1) & run) == 0;
}

} // namespace

/// Of runs of `firstRun` to `lastRun` entries, the steps between entries of one tile.
KERNEL void sort_tiles(SortLanes lanes, int64_t firstRun, int64_t lastRun, SortEntry *entries) {
  static __attribute__((shared)) SortEntry tile[sortTile];
  const auto thread = static_cast<int64_t>(__nvvm_read_ptx_sreg_tid_x());
  const auto threads = static_cast<int64_t>(__nvvm_read_ptx_sreg_ntid_x());
  const auto numBlocks = static_cast<int64_t>(__nvvm_read_ptx_sreg_nctaid_x());
  for (int64_t block = __nvvm_read_ptx_sreg_ctaid_x(); block * sortTile < lanes.numEntries;
       block += numBlocks) {
    SortEntry *from = entries + block * sortTile;
    for (int64_t i = thread; i < sortTile; i += threads)
      tile[i] = from[i];
    for (int64_t run = firstRun; run <= lastRun; run *= 2)
      for (int64_t distance = run / 2 < sortTile / 2 ? run / 2 : sortTile / 2; distance > 0;
           distance /= 2) {
        __syncthreads();
        for (int64_t i = thread; i < sortTile / 2; i += threads) {
          int64_t low = firstOfPair(i, distance);
          order(tile[low], tile[low + distance],
                isAscending(block * sortTile + low, run, lanes.padded));
        }
      }
    __syncthreads();
    for (int64_t i = thread; i < sortTile; i += threads)
      from[i] = tile[i];
    // The entries of the next tile are put by the threads that have just read those in their place.
  }
}

/// One step of runs of `run` entries, between those `distance` apart.
KERNEL void sort_pairs(SortLanes lanes, int64_t run, int64_t distance, SortEntry *entries) {
  forEach(lanes.numEntries / 2, [&](int64_t i) {
    int64_t low = firstOfPair(i, distance);
    order(entries[low], entries[low + distance], isAscending(low, run, lanes.padded));
  });
}

#define ENTRIES(name, T)                                                                           \
  KERNEL void entries_##name(SortLanes lanes, Strided<3> space, int64_t step, uint64_t flip,       \
                             const char *in, SortEntry *entries) {                                 \
    makeEntries<T>(lanes, space, step, flip, in, entries);                                         \
  }
SHEAF_FOR_ARITHMETIC(ENTRIES)

#define TAKE(bytes, T)                                                                             \
  KERNEL void take##bytes(SortLanes lanes, Strided<3> space, SortOutputs p,                        \
                          const SortEntry *entries, const char *in, char *values, char *indices) { \
    take<T>(lanes, space, p, entries, in, values, indices);                                        \
  }
TAKE(1, uint8_t)
TAKE(2, uint16_t)
TAKE(4, uint32_t)
TAKE(8, uint64_t)
