// Casts every element type to every other. Casts between the types that GPUs know are the business of generated kernels.
#include "runtime/cuda/kernels/exact_number.h"
#include "runtime/cuda/kernels/integer.h"
#include "runtime/cuda/kernels/strided.h"

using namespace sheaf::rt::cuda;

KERNEL void cast(CastParameters p, const char *in, char *out) {
  forEach(p.space.count, [&](int64_t i) {
    Offsets<2> offsets = offsetsOf(p.space, i);
    uint64_t bits = readInteger({p.from.bytes, false}, in + offsets.at[0], 0);
    bits = encode(decode(p.from, bits), p);
    writeInteger({p.to.bytes, false}, out + offsets.at[1], 0, bits);
  });
}
