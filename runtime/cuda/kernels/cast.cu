// Converts elements between any two types by the same integer arithmetic as the host.
#include "runtime/core/element_format.h"
#include "runtime/cuda/kernels/integer.h"
#include "runtime/cuda/kernels/strided.h"

using namespace sheaf::rt;
using namespace sheaf::rt::cuda;

KERNEL void cast(Strided<2> space, ElementFormat from, ElementFormat to, CastRules rules,
                 const char *in, char *out) {
  forEach(space.count, [&](int64_t i) {
    Offsets<2> offsets = offsetsOf(space, i);
    uint64_t bits = readInteger({from.bytes, false}, in + offsets.at[0], 0);
    uint64_t result = to.encode(from.decode(bits), from.isFloat(), rules);
    writeInteger({to.bytes, false}, out + offsets.at[1], 0, result);
  });
}
