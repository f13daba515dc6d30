// Semantics of graph.attention: shape and cost.
#include "dialects/graph/graph.h"
#include "dialects/graph/ops/op_cost.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

/// (C1): what query, key and value share.
static LogicalResult checkHeads(std::optional<Location> location, RankedTensorType query,
                                RankedTensorType key, RankedTensorType value) {
  if (query.getRank() != 4 || key.getRank() != 4 || value.getRank() != 4)
    return emitOptionalError(location, "query, key and value must have rank 4, but have ",
                             query.getRank(), ", ", key.getRank(), " and ", value.getRank());
  if (query.getElementType() != key.getElementType() ||
      query.getElementType() != value.getElementType())
    return emitOptionalError(location, "query, key and value must have one element type, but are ",
                             query.getElementType(), ", ", key.getElementType(), " and ",
                             value.getElementType());
  if (query.getDimSize(0) != key.getDimSize(0) || query.getDimSize(0) != value.getDimSize(0))
    return emitOptionalError(location, "batch extents of query (", query.getDimSize(0), "), key (",
                             key.getDimSize(0), ") and value (", value.getDimSize(0),
                             ") must be equal");
  int64_t h = query.getDimSize(1), g = key.getDimSize(1);
  if (value.getDimSize(1) != g)
    return emitOptionalError(location, "key has ", g, " heads, but value has ",
                             value.getDimSize(1));
  if (g == 0 ? h != 0 : h % g != 0)
    return emitOptionalError(location, "query heads (", h, ") must be a multiple of key heads (", g,
                             ")");
  return success();
}

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto query = cast<RankedTensorType>(adaptor.getQuery().getType());
  auto key = cast<RankedTensorType>(adaptor.getKey().getType());
  auto value = cast<RankedTensorType>(adaptor.getValue().getType());
  if (failed(checkHeads(location, query, key, value))) // (C1)
    return failure();
  if (query.getDimSize(3) != key.getDimSize(3)) // (C2)
    return emitOptionalError(location, "head sizes of query (", query.getDimSize(3), ") and key (",
                             key.getDimSize(3), ") must be equal");
  if (key.getDimSize(2) != value.getDimSize(2))
    return emitOptionalError(location, "lengths of key (", key.getDimSize(2), ") and value (",
                             value.getDimSize(2), ") must be equal");
  int64_t b = query.getDimSize(0), h = query.getDimSize(1), s = query.getDimSize(2);
  int64_t t = key.getDimSize(2);
  if (Value maskValue = adaptor.getMask()) {
    auto mask = cast<RankedTensorType>(maskValue.getType());
    int64_t scores[] = {b, h, s, t};
    bool fits = mask.getRank() == 4 && isa<FloatType>(mask.getElementType());
    for (int d = 0; fits && d < 4; ++d)
      fits = mask.getDimSize(d) == 1 || mask.getDimSize(d) == scores[d];
    if (!fits) // (C3)
      return emitOptionalError(location, "mask ", mask,
                               " must be of floats and broadcast to the scores, ", b, "x", h, "x",
                               s, "x", t);
  }
  types.push_back(query.clone({b, h, s, value.getDimSize(3)}));
  return success();
}

/// Two contractions; the softmax between them is counted as five flops per score.
Cost AttentionOp::getCost() {
  ArrayRef<int64_t> query = getQuery().getType().getShape();
  int64_t scores = query[0] * query[1] * query[2] * getKey().getType().getDimSize(2);
  int64_t d = query[3], e = getValue().getType().getDimSize(3);
  return costOf(*this, scores * (2 * d + 2 * e + 5));
}
