// Draws random numbers: a thread makes those of one block of the generator.
#pragma clang fp contract(off) // The host rounds products before it adds, too.

#include "runtime/cuda/kernels/integer.h"
#include "runtime/cuda/kernels/random_parameters.h"
#include "runtime/cuda/kernels/real.h"
#include "runtime/cuda/kernels/strided.h"

using namespace sheaf::rt;
using namespace sheaf::rt::cuda;

KERNEL void draw(RandomParameters p, int64_t blocksPerRow, const uint64_t *seed,
                 const int64_t *first, char *out) {
  RandomStream stream = p.stream;
  if (seed)
    stream.key += *seed;
  const int64_t begin = first ? p.first + *first : p.first;
  const auto perBlock = static_cast<int64_t>(p.distribution.elementsPerBlock());
  forEach(p.rows.count * blocksPerRow, [&](int64_t i) {
    int64_t row = i / blocksPerRow, start = begin + offsetsOf(p.rows, row).at[0];
    int64_t block = start / perBlock + i % blocksPerRow;
    Distribution::Words words = stream.words(static_cast<uint64_t>(block));
    for (int64_t index = block * perBlock; index < (block + 1) * perBlock; ++index) {
      int64_t place = index - start;
      if (place < 0 || place >= p.extent)
        continue;
      double value = p.distribution.at<Real>(words, static_cast<uint64_t>(index));
      writeInteger({p.type.bytes, false}, out, row * p.extent + place,
                   p.type.encode(ExactNumber::fromDouble(value), true, {}));
    }
  });
}
