// The pairs of elements that graph.rotary rotates.
#include "dialects/graph/ops/rotary_pairs.h"

using namespace mlir;
using namespace sheaf::graph;

Value sheaf::graph::takeOfPairs(PrimitiveBuilder &b, Value x, int64_t r, int64_t which,
                                bool interleaved) {
  int64_t last = shapeOf(x).size() - 1;
  if (!interleaved)
    return b.slice(x, last, which * r, which * r + r);
  SmallVector<int64_t> starts(last + 1, 0), limits(shapeOf(x)), strides(last + 1, 1);
  starts[last] = which;
  limits[last] = 2 * r;
  strides[last] = 2;
  // The second of each pair starts at 1, so an empty rotation would start past its end.
  starts[last] = std::min(starts[last], limits[last]);
  return SliceOp::create(b, x, starts, limits, strides);
}
