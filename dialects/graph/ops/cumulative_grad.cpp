// Gradients of graph.cumulative.
//
// Of a sum: the sum in the other direction. Of a product, read from the front and with
// `y[i] = x[0] .. x[i]`:
//
//   dx[k] = x[0] .. x[k-1] r[k],   r[k] = sum over i >= k of g[i] x[k+1] .. x[i] = g[k] + x[k+1] r[k+1]
//
// which divides by nothing, so zeros do no harm. The recurrence is computed for all k at once by
// doubling (Hillis and Steele 1986): after a step, r[k] is the sum over twice as many i.
#include "dialects/graph/primitive_builder.h"

using namespace mlir;
using namespace sheaf::graph;

namespace {

/// Values along one dim of extent `length`.
struct Line {
  PrimitiveBuilder &b;
  int64_t dim, length;

  /// `x[k + distance]`, 0 past the end. The distance is at most the length.
  Value ahead(Value x, int64_t distance) {
    auto type = cast<RankedTensorType>(x.getType());
    SmallVector<int64_t> low(type.getRank(), 0), high(low);
    high[dim] = distance;
    Value zero = b.splat(RankedTensorType::get({}, type.getElementType()), 0.0);
    return PadOp::create(b, b.slice(x, dim, distance, length), zero, low, high);
  }

  /// `r[k] = g[k] + x[k+1] r[k+1]`, 0 past the end.
  Value recur(Value x, Value g) {
    Value sum = g, factor = ahead(x, std::min<int64_t>(1, length));
    for (int64_t distance = 1; distance < length; distance *= 2) {
      Value far = b.binary(BinaryKind::mul, factor, ahead(sum, distance));
      sum = b.binary(BinaryKind::add, sum, far);
      factor = b.binary(BinaryKind::mul, factor, ahead(factor, distance));
    }
    return sum;
  }
};

} // namespace

SmallVector<Value> CumulativeOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  PrimitiveBuilder b(getLoc(), builder);
  RankedTensorType type = getOperand().getType();
  Type element = type.getElementType(), compute = computeTypeOf(element);
  int64_t dim = getDim();
  Value g = b.cast(resultGradients.front(), compute);
  if (getKind() == ReduceKind::sum)
    return {b.cast(CumulativeOp::create(b, ReduceKind::sum, g, dim, getExclusive(), !getReverse()),
                   element)};
  Value x = b.cast(getOperand(), compute);
  Value before =
      CumulativeOp::create(b, ReduceKind::prod, x, dim, /*exclusive=*/true, getReverse());
  auto turn = [&](Value value) -> Value {
    return getReverse() ? Value(ReverseOp::create(b, value, dim)) : value;
  };
  Line line{b, dim, type.getDimSize(dim)};
  g = turn(g);
  if (getExclusive()) // Without the element itself, y[i] is what y[i - 1] is with it.
    g = line.ahead(g, std::min<int64_t>(1, line.length));
  Value sums = turn(line.recur(turn(x), g));
  return {b.cast(b.binary(BinaryKind::mul, before, sums), element)};
}
