// Takes elements and slices of data, chosen by indices of the result's shape and by tuples of indices.
#include "runtime/cuda/kernels/nd_index.h"
#include "runtime/cuda/kernels/strided.h"

using namespace sheaf::rt::cuda;

/// `space` is of data, whose indexed dim stands still in it, indices and out.
template <typename T>
DEVICE void gatherElements(const Strided<3> &space, const ElementIndexParameters &p,
                           const char *data, const char *indices, char *out) {
  forEach(space.count, [&](int64_t i) {
    Offsets<3> offsets = offsetsOf(space, i);
    auto value = static_cast<int64_t>(readInteger(p.index, indices + offsets.at[1], 0));
    int64_t place = wrapIndex(value, p.extent, p.bound, p.fault);
    if (place >= 0)
      *reinterpret_cast<T *>(out + offsets.at[2]) =
          *reinterpret_cast<const T *>(data + offsets.at[0] + place * p.step);
  });
}

template <typename T>
DEVICE void gatherNd(const NdIndexParameters &p, int64_t count, int64_t slice, const char *data,
                     const char *indices, char *out) {
  forEach(count, [&](int64_t i) {
    int64_t from = sliceOf(p, indices, i / slice);
    if (from >= 0)
      reinterpret_cast<T *>(out)[i] = reinterpret_cast<const T *>(data + from)[i % slice];
  });
}

#define GATHER(bytes, T)                                                                           \
  KERNEL void gather_elements##bytes(Strided<3> space, ElementIndexParameters p, const char *data, \
                                     const char *indices, char *out) {                             \
    gatherElements<T>(space, p, data, indices, out);                                               \
  }                                                                                                \
  KERNEL void gather_nd##bytes(NdIndexParameters p, int64_t count, int64_t slice,                  \
                               const char *data, const char *indices, char *out) {                 \
    gatherNd<T>(p, count, slice, data, indices, out);                                              \
  }
GATHER(1, uint8_t)
GATHER(2, uint16_t)
GATHER(4, uint32_t)
GATHER(8, uint64_t)
