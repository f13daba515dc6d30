// Pools windows, a thread per result; sums are taken in the order of the host.
#include "runtime/core/pool_geometry.h"
#include "runtime/cuda/kernels/arithmetic.h"

using namespace sheaf::rt;
using namespace sheaf::rt::cuda;

namespace {

/// A result: its place in its plane, and the bytes where that plane and the one of the input begin.
struct PoolPlace {
  int64_t plane, z, y, x;
  int64_t in, out;
};

DEVICE PoolPlace placeOf(const PoolGeometry &p, int64_t i, int64_t elementBytes) {
  PoolPlace place{};
  int64_t lane = i % p.lanes, rest = i / p.lanes;
  place.x = rest % p.out.space[2];
  rest /= p.out.space[2];
  place.y = rest % p.out.space[1];
  rest /= p.out.space[1];
  place.z = rest % p.out.space[0];
  place.plane = rest / p.out.space[0];
  int64_t n = place.plane / p.numGroups, group = place.plane % p.numGroups;
  place.in = n * p.in.batchStep + group * p.in.groupStep + lane * elementBytes;
  place.out = n * p.out.batchStep + group * p.out.groupStep + lane * elementBytes;
  return place;
}

DEVICE int64_t stepsTo(const PoolTensor &tensor, int64_t z, int64_t y, int64_t x) {
  return z * tensor.steps[0] + y * tensor.steps[1] + x * tensor.steps[2];
}

DEVICE int64_t numResults(const PoolGeometry &p) {
  return p.numBatch * p.numGroups * p.lanes * p.out.space[0] * p.out.space[1] * p.out.space[2];
}

/// Calls `visit(z, y, x)` for the places of the input under the window.
template <typename Visit>
DEVICE void forEachTap(const PoolGeometry &p, const PoolPlace &place, const Visit &visit) {
  TapRange zs = p.taps(0, place.z), ys = p.taps(1, place.y), xs = p.taps(2, place.x);
  for (int64_t z = zs.begin; z < zs.end; ++z)
    for (int64_t y = ys.begin; y < ys.end; ++y)
      for (int64_t x = xs.begin; x < xs.end; ++x)
        visit(p.start(0, place.z) + z * p.dilations[0], p.start(1, place.y) + y * p.dilations[1],
              p.start(2, place.x) + x * p.dilations[2]);
}

template <typename T, typename Join>
DEVICE void pool(const PoolGeometry &p, const char *in, char *out, Wide<T> value,
                 const Join &join) {
  const Wide<T> start = value;
  forEach(numResults(p), [&](int64_t i) {
    PoolPlace place = placeOf(p, i, sizeof(T));
    Wide<T> result = start;
    forEachTap(p, place, [&](int64_t z, int64_t y, int64_t x) {
      const char *at = in + place.in + stepsTo(p.in, z, y, x);
      result = join(result, static_cast<Wide<T>>(*reinterpret_cast<const T *>(at)));
    });
    if (p.isAverage())
      result /= static_cast<Wide<T>>(p.divisor(place.z, place.y, place.x));
    char *to = out + place.out + stepsTo(p.out, place.z, place.y, place.x);
    *reinterpret_cast<T *>(to) = static_cast<T>(result);
  });
}

template <typename T>
DEVICE void poolArgmax(const PoolGeometry &p, const PoolTensor &indexTensor, bool isColumnMajor,
                       const char *in, char *values, char *indices) {
  forEach(numResults(p), [&](int64_t i) {
    PoolPlace place = placeOf(p, i, sizeof(T));
    const std::array<int64_t, 3> &space = p.in.space;
    T best = static_cast<T>(lowestOf<Wide<T>>());
    int64_t bestIndex = -1;
    forEachTap(p, place, [&](int64_t z, int64_t y, int64_t x) {
      T value = *reinterpret_cast<const T *>(in + place.in + stepsTo(p.in, z, y, x));
      if (bestIndex >= 0 && !(value > best) && !(isNan(value) && !isNan(best)))
        return;
      best = value;
      bestIndex =
          place.plane * space[0] * space[1] * space[2] +
          (isColumnMajor ? z + space[0] * (y + space[1] * x) : x + space[2] * (y + space[1] * z));
    });
    char *to = values + place.out + stepsTo(p.out, place.z, place.y, place.x);
    *reinterpret_cast<T *>(to) = best;
    int64_t n = place.plane / p.numGroups, c = place.plane % p.numGroups;
    char *index = indices + n * indexTensor.batchStep + c * indexTensor.groupStep +
                  stepsTo(indexTensor, place.z, place.y, place.x);
    *reinterpret_cast<int64_t *>(index) = bestIndex;
  });
}

} // namespace

#define MAXIMA(name, T)                                                                            \
  KERNEL void maximum_##name(PoolGeometry p, const char *in, char *out) {                          \
    pool<T>(p, in, out, lowestOf<Wide<T>>(), [](Wide<T> best, Wide<T> value) {                     \
      return value > best || value != value ? value : best;                                        \
    });                                                                                            \
  }                                                                                                \
  KERNEL void argmax_##name(PoolGeometry p, PoolTensor indexTensor, bool isColumnMajor,            \
                            const char *in, char *values, char *indices) {                         \
    poolArgmax<T>(p, indexTensor, isColumnMajor, in, values, indices);                             \
  }
SHEAF_FOR_ARITHMETIC(MAXIMA)

#define SUMS(name, T)                                                                              \
  KERNEL void sum_##name(PoolGeometry p, const char *in, char *out) {                              \
    pool<T>(p, in, out, 0, [](Wide<T> sum, Wide<T> value) { return sum + value; });                \
  }
SHEAF_FOR_FLOATS(SUMS)
