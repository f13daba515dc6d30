// Takes slices of data along one dim, chosen by indices.
#include "runtime/cuda/kernels/index.h"
#include "runtime/cuda/kernels/strided.h"

using namespace sheaf::rt::cuda;

template <typename T>
DEVICE void gather(const GatherParameters &p, const char *data, const char *indices, char *out) {
  forEach(p.outer.count * p.numIndices * p.after.count, [&](int64_t i) {
    int64_t slice = i / p.after.count, outer = slice / p.numIndices;
    int64_t at = outer / p.numBefore * p.numIndices + slice % p.numIndices;
    auto value = static_cast<int64_t>(readInteger(p.index, indices, at));
    int64_t index = wrapIndex(value, p.extent, p.bound, p.fault);
    if (index < 0)
      return;
    int64_t from = offsetsOf(p.outer, outer).at[0] + index * p.dimStep +
                   offsetsOf(p.after, i % p.after.count).at[0];
    reinterpret_cast<T *>(out)[i] = *reinterpret_cast<const T *>(data + from);
  });
}

KERNEL void gather1(GatherParameters p, const char *data, const char *indices, char *out) {
  gather<uint8_t>(p, data, indices, out);
}
KERNEL void gather2(GatherParameters p, const char *data, const char *indices, char *out) {
  gather<uint16_t>(p, data, indices, out);
}
KERNEL void gather4(GatherParameters p, const char *data, const char *indices, char *out) {
  gather<uint32_t>(p, data, indices, out);
}
KERNEL void gather8(GatherParameters p, const char *data, const char *indices, char *out) {
  gather<uint64_t>(p, data, indices, out);
}
