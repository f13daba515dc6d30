// Copies strided elements, and repeats one, by their size alone.
#include "runtime/cuda/kernels/strided.h"

using namespace sheaf::rt::cuda;

template <typename T> DEVICE void copy(const Strided<2> &space, const char *in, char *out) {
  forEach(space.count, [&](int64_t i) {
    Offsets<2> offsets = offsetsOf(space, i);
    *reinterpret_cast<T *>(out + offsets.at[1]) = *reinterpret_cast<const T *>(in + offsets.at[0]);
  });
}

template <typename T> DEVICE void fill(const Strided<1> &space, uint64_t bits, char *out) {
  forEach(space.count, [&](int64_t i) {
    *reinterpret_cast<T *>(out + offsetsOf(space, i).at[0]) = static_cast<T>(bits);
  });
}

KERNEL void copy1(Strided<2> space, const char *in, char *out) { copy<uint8_t>(space, in, out); }
KERNEL void copy2(Strided<2> space, const char *in, char *out) { copy<uint16_t>(space, in, out); }
KERNEL void copy4(Strided<2> space, const char *in, char *out) { copy<uint32_t>(space, in, out); }
KERNEL void copy8(Strided<2> space, const char *in, char *out) { copy<uint64_t>(space, in, out); }

KERNEL void fill1(Strided<1> space, uint64_t bits, char *out) { fill<uint8_t>(space, bits, out); }
KERNEL void fill2(Strided<1> space, uint64_t bits, char *out) { fill<uint16_t>(space, bits, out); }
KERNEL void fill4(Strided<1> space, uint64_t bits, char *out) { fill<uint32_t>(space, bits, out); }
KERNEL void fill8(Strided<1> space, uint64_t bits, char *out) { fill<uint64_t>(space, bits, out); }
