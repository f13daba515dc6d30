// Resizes by tables of places and weights, a thread per result; sums are taken in the order of the host.
#pragma clang fp contract(off) // The host rounds products before it adds, too.

#include "runtime/cuda/kernels/arithmetic.h"
#include "runtime/cuda/kernels/resize_parameters.h"

#include <limits>

using namespace sheaf::rt::cuda;

namespace {

DEVICE int64_t placeAlong(const ResizeDim &dim, int64_t i) {
  return i / dim.elementsBelow % dim.extent;
}

DEVICE int64_t offsetOf(const ResizeParameters &p, int64_t i) {
  int64_t offset = 0;
  for (int d = 0; d < p.rank; ++d)
    offset += placeAlong(p.dims[d], i) * p.dims[d].step;
  return offset;
}

DEVICE bool isExtrapolated(const ResizeParameters &p, const uint8_t *flags, int64_t i) {
  bool result = false;
  for (int d = 0; d < p.rank; ++d)
    result |= flags[p.dims[d].firstResult + placeAlong(p.dims[d], i)] != 0;
  return result;
}

template <typename T>
DEVICE void nearest(const ResizeParameters &p, const int64_t *places, const uint8_t *flags,
                    T extrapolated, const char *in, char *out) {
  forEach(p.count, [&](int64_t i) {
    int64_t from = 0;
    for (int d = 0; d < p.rank; ++d)
      from += places[p.dims[d].firstTap + placeAlong(p.dims[d], i)];
    *reinterpret_cast<T *>(out + offsetOf(p, i)) =
        isExtrapolated(p, flags, i) ? extrapolated : *reinterpret_cast<const T *>(in + from);
  });
}

template <typename T> DEVICE T roundTo(double value) {
  if constexpr (std::is_integral_v<T>) {
    double rounded = __nvvm_round_d(value); // half to even
    if (rounded >= static_cast<double>(std::numeric_limits<T>::max()))
      return std::numeric_limits<T>::max();
    if (!(rounded > static_cast<double>(std::numeric_limits<T>::min())))
      return rounded != rounded ? T(0) : std::numeric_limits<T>::min();
    return static_cast<T>(rounded);
  } else {
    return static_cast<T>(static_cast<Wide<T>>(value));
  }
}

template <typename T>
DEVICE double weightedSum(const ResizeParameters &p, const int64_t *places, const double *weights,
                          const char *in, int64_t i) {
  const ResizeDim &last = p.dims[p.rank - 1];
  int64_t firstOfRow = last.firstTap + placeAlong(last, i) * last.taps;
  double sum = 0;
  for (int64_t t = 0; t < p.rowTaps; ++t) {
    int64_t from = 0;
    double weight = 1;
    for (int d = p.rank - 2; d >= 0; --d) {
      const ResizeDim &dim = p.dims[d];
      int64_t tap = dim.firstTap + placeAlong(dim, i) * dim.taps + t / dim.tapsBefore % dim.taps;
      from += places[tap];
      weight *= weights[tap];
    }
    double rowSum = 0;
    for (int64_t tap = firstOfRow; tap < firstOfRow + last.taps; ++tap)
      rowSum += weights[tap] * static_cast<double>(static_cast<Wide<T>>(
                                   *reinterpret_cast<const T *>(in + from + places[tap])));
    sum += weight * rowSum;
  }
  return sum;
}

} // namespace

#define NEAREST(bytes, T)                                                                          \
  KERNEL void nearest##bytes(ResizeParameters p, const int64_t *places, const uint8_t *flags,      \
                             uint64_t extrapolated, const char *in, char *out) {                   \
    nearest<T>(p, places, flags, static_cast<T>(extrapolated), in, out);                           \
  }
NEAREST(1, uint8_t)
NEAREST(2, uint16_t)
NEAREST(4, uint32_t)
NEAREST(8, uint64_t)

#define WEIGHTED(name, T)                                                                          \
  KERNEL void weighted_##name(ResizeParameters p, const int64_t *places, const double *weights,    \
                              const uint8_t *flags, double extrapolated, const char *in,           \
                              char *out) {                                                         \
    forEach(p.count, [&](int64_t i) {                                                              \
      double value =                                                                               \
          isExtrapolated(p, flags, i) ? extrapolated : weightedSum<T>(p, places, weights, in, i);  \
      *reinterpret_cast<T *>(out + offsetOf(p, i)) = roundTo<T>(value);                            \
    });                                                                                            \
  }
SHEAF_FOR_ARITHMETIC(WEIGHTED)
