// Lets a contraction give the transpose of its result: with its operands exchanged.
#include "passes/lowering/epilogue/epilogue.h"

#include "runtime/abi/calls.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

/// Whether the result of the call is transposed to what the call with its operands exchanged gives.
bool exchangesOperands(graph::TransposeOp op, exec::ApplyOp call) {
  auto batch = dyn_cast_or_null<DenseI64ArrayAttr>(call.getParam("lhs_batch"));
  int64_t numBatch = batch ? batch.size() : 0;
  ColumnDims columns = columnDims(call);
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, numBatch));
  llvm::append_range(order, llvm::seq(columns.first, columns.first + columns.count));
  llvm::append_range(order, llvm::seq(numBatch, columns.first));
  return llvm::equal(op.getPermutation(), order);
}

/// The gradient of a weight that is stored as [in, out] comes as [out, in]. As the library writes either, this costs
/// nothing, and what micro-batches add up to can be its addend.
struct Turn : OpRewritePattern<graph::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::TransposeOp op, PatternRewriter &rewriter) const override {
    exec::ApplyOp call = findUnfinishedCall(op.getOperand());
    // Of 8-bit floats a rhs has extents that a lhs need not have (hasNarrowExtents in narrow_product.h).
    if (!call || call.getCallee() != abi::calls::contract || call.getIns().size() != 2 ||
        isNarrowProduct(call) || !exchangesOperands(op, call))
      return rewriter.notifyMatchFailure(op, "not of a product with its operands exchanged");
    NamedAttrList params;
    for (NamedAttribute param :
         call.getParamsAttr() ? call.getParamsAttr().getValue() : ArrayRef<NamedAttribute>()) {
      StringRef name = param.getName();
      std::string other = name.consume_front("lhs_")   ? ("rhs_" + name).str()
                          : name.consume_front("rhs_") ? ("lhs_" + name).str()
                                                       : name.str();
      params.set(other, param.getValue());
    }
    rewriter.replaceOpWithNewOp<exec::ApplyOp>(
        op, op->getResultTypes(), call.getCallee(), ValueRange{call.getIns()[1], call.getIns()[0]},
        params.empty() ? DictionaryAttr() : params.getDictionary(getContext()));
    rewriter.eraseOp(call);
    return success();
  }
};

} // namespace

void populateTurnPatterns(RewritePatternSet &patterns) {
  patterns.add<Turn>(patterns.getContext());
}

} // namespace sheaf::lowering
