// Converts gathers and scatters.
#include "dialects/graph/ops/local_indices.h"
#include "passes/lowering/convert/convert.h"
#include "runtime/abi/calls.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

/// The parameter `whole`, left out where the op's data is no block.
void addWhole(CallParams &params, Operation *op) {
  if (auto extents = op->getAttrOfType<DenseI64ArrayAttr>(graph::kWholeExtents))
    params.ints("whole", extents);
}

struct ConvertGather : OpRewritePattern<graph::GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::GatherOp op, PatternRewriter &rewriter) const override {
    CallParams params(getContext());
    params.integer("dim", op.getDim());
    addWhole(params, op);
    if (op.getBatchDims() != 0)
      params.integer("batch_dims", op.getBatchDims());
    return replaceWithCall(rewriter, op, abi::calls::gather, {op.getOperand(), op.getIndices()},
                           params, op.getOperand());
  }
};

struct ConvertGatherElements : OpRewritePattern<graph::GatherElementsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::GatherElementsOp op,
                                PatternRewriter &rewriter) const override {
    CallParams params(getContext());
    params.integer("dim", op.getDim());
    addWhole(params, op);
    return replaceWithCall(rewriter, op, abi::calls::gatherElements,
                           {op.getOperand(), op.getIndices()}, params, op.getOperand());
  }
};

struct ConvertGatherND : OpRewritePattern<graph::GatherNDOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::GatherNDOp op, PatternRewriter &rewriter) const override {
    CallParams params(getContext());
    addWhole(params, op);
    if (op.getBatchDims() != 0)
      params.integer("batch_dims", op.getBatchDims());
    return replaceWithCall(rewriter, op, abi::calls::gatherNd, {op.getOperand(), op.getIndices()},
                           params, op.getOperand());
  }
};

/// The parameter `kind`, left out when it is the default, and `whole`.
CallParams scatterParams(Operation *op, graph::ScatterKind kind) {
  CallParams params(op->getContext());
  addWhole(params, op);
  if (kind != graph::ScatterKind::set)
    params.text("kind", stringifyScatterKind(kind));
  return params;
}

struct ConvertScatterElements : OpRewritePattern<graph::ScatterElementsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::ScatterElementsOp op,
                                PatternRewriter &rewriter) const override {
    CallParams params = scatterParams(op, op.getKind());
    params.integer("dim", op.getDim());
    return replaceWithCall(rewriter, op, abi::calls::scatterElements,
                           {op.getOperand(), op.getIndices(), op.getUpdates()}, params,
                           op.getOperand());
  }
};

struct ConvertScatterND : OpRewritePattern<graph::ScatterNDOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::ScatterNDOp op, PatternRewriter &rewriter) const override {
    return replaceWithCall(rewriter, op, abi::calls::scatterNd,
                           {op.getOperand(), op.getIndices(), op.getUpdates()},
                           scatterParams(op, op.getKind()), op.getOperand());
  }
};

} // namespace

void populateIndexPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertGather, ConvertGatherElements, ConvertGatherND, ConvertScatterElements,
               ConvertScatterND>(patterns.getContext());
}

} // namespace sheaf::lowering
