// Semantics of graph.attention and its gradient: shapes and costs.
#include "dialects/graph/graph.h"
#include "dialects/graph/ops/op_cost.h"

#include "mlir/IR/PatternMatch.h"

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

/// The type of the result of attention, if (C1) to (C3) of it hold; `maskValue` may be null.
static FailureOr<RankedTensorType> inferResult(std::optional<Location> location, Value queryValue,
                                               Value keyValue, Value valueValue, Value maskValue) {
  auto query = cast<RankedTensorType>(queryValue.getType());
  auto key = cast<RankedTensorType>(keyValue.getType());
  auto value = cast<RankedTensorType>(valueValue.getType());
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
  if (maskValue) {
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
  return query.clone({b, h, s, value.getDimSize(3)});
}

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> result = inferResult(location, adaptor.getQuery(), adaptor.getKey(),
                                                   adaptor.getValue(), adaptor.getMask());
  if (failed(result))
    return failure();
  types.push_back(*result);
  return success();
}

LogicalResult AttentionGradOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Value mask = adaptor.getMask();
  FailureOr<RankedTensorType> result =
      inferResult(location, adaptor.getQuery(), adaptor.getKey(), adaptor.getValue(), mask); // (C1)
  if (failed(result))
    return failure();
  if (adaptor.getResultGrad().getType() != *result) // (C2)
    return emitOptionalError(location, "the result's gradient must be of the result's type, ",
                             *result, ", but is ", adaptor.getResultGrad().getType());
  if (adaptor.getNeedsMaskGrad() && !mask) // (C3)
    return emitOptionalError(location, "has a mask_gradient, but no mask");
  llvm::append_values(types, adaptor.getQuery().getType(), adaptor.getKey().getType(),
                      adaptor.getValue().getType());
  if (adaptor.getNeedsMaskGrad())
    types.push_back(mask.getType());
  return success();
}

/// A gradient of the mask that nobody asks for is not computed.
LogicalResult AttentionGradOp::canonicalize(AttentionGradOp op, PatternRewriter &rewriter) {
  if (!op.getNeedsMaskGrad() || !op.getMaskGrad().use_empty())
    return rewriter.notifyMatchFailure(op, "has no needless gradient of a mask");
  auto rest = AttentionGradOp::create(
      rewriter, op.getLoc(), op.getQuery(), op.getKey(), op.getValue(), op.getResultGrad(),
      op.getMask(), op.getScale(), op.getCausal(), op.getSoftcap(), /*needsMaskGrad=*/false);
  for (auto [old, found] : llvm::zip(op.getResults(), rest.getResults()))
    rewriter.replaceAllUsesWith(old, found);
  rewriter.eraseOp(op);
  return success();
}

/// How many scores there are.
template <typename Op> static int64_t numScores(Op op) {
  ArrayRef<int64_t> query = op.getQuery().getType().getShape();
  return query[0] * query[1] * query[2] * op.getKey().getType().getDimSize(2);
}

/// Two contractions; the softmax between them is counted as five flops per score.
Cost AttentionOp::getCost() {
  int64_t d = getQuery().getType().getDimSize(3), e = getValue().getType().getDimSize(3);
  return costOf(*this, numScores(*this) * (2 * d + 2 * e + 5));
}

/// Five contractions: scores, the gradient of weights, and three results. The softmax is counted as five flops per
/// score, and the way back through it as four.
Cost AttentionGradOp::getCost() {
  int64_t d = getQuery().getType().getDimSize(3), e = getValue().getType().getDimSize(3);
  return costOf(*this, numScores(*this) * (6 * d + 4 * e + 9));
}
