// Converts contractions.
#include "passes/lowering/call_rules.h"
#include "passes/lowering/convert/convert.h"
#include "runtime/abi/calls.h"
#include "runtime/abi/contract_strides.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

/// An operand and the roles of its dims.
struct Operand {
  Value value;
  SmallVector<int64_t> batch, contract;
};

/// The operand as the call can take it when it is row-major. One whose contracted or free dims do not
/// lie side by side in the order of the product is transposed: batch, free, contracted.
Operand makeCollapsible(Operand operand, PatternRewriter &rewriter) {
  auto type = cast<RankedTensorType>(operand.value.getType());
  std::vector<int64_t> dims(type.getShape());
  std::vector<int64_t> contract(operand.contract.begin(), operand.contract.end());
  std::vector<int64_t> free =
      abi::freeDims(dims.size(), {operand.batch.begin(), operand.batch.end()}, contract);
  if (abi::canContract({dims, abi::rowMajorStrides(dims)}, free, contract))
    return operand;
  SmallVector<int64_t> order(operand.batch);
  llvm::append_range(order, free);
  llvm::append_range(order, contract);
  int64_t numBatch = operand.batch.size(), numFree = free.size();
  operand.value =
      graph::TransposeOp::create(rewriter, operand.value.getLoc(), operand.value, order);
  operand.batch = llvm::to_vector(llvm::seq(numBatch));
  operand.contract = llvm::to_vector(llvm::seq<int64_t>(numBatch + numFree, order.size()));
  return operand;
}

struct ConvertContract : OpRewritePattern<graph::ContractOp> {
  ConvertContract(MLIRContext *context, bool allowsTf32)
      : OpRewritePattern(context), allowsTf32(allowsTf32) {}

  LogicalResult matchAndRewrite(graph::ContractOp op, PatternRewriter &rewriter) const override {
    Type element = op.getLhs().getType().getElementType();
    if (!acceptsElement(abi::calls::contract, element))
      return rewriter.notifyMatchFailure(op, "the call does not compute on this element type");
    Operand lhs = makeCollapsible({op.getLhs(), SmallVector<int64_t>(op.getLhsBatch()),
                                   SmallVector<int64_t>(op.getLhsContract())},
                                  rewriter);
    Operand rhs = makeCollapsible({op.getRhs(), SmallVector<int64_t>(op.getRhsBatch()),
                                   SmallVector<int64_t>(op.getRhsContract())},
                                  rewriter);
    CallParams params(getContext());
    if (!lhs.batch.empty())
      params.ints("lhs_batch", lhs.batch).ints("rhs_batch", rhs.batch);
    if (!lhs.contract.empty())
      params.ints("lhs_contract", lhs.contract).ints("rhs_contract", rhs.contract);
    params.flag("allow_tf32", allowsTf32 && element.isF32());
    return replaceWithCall(rewriter, op, abi::calls::contract, {lhs.value, rhs.value}, params,
                           op.getLhs());
  }

private:
  bool allowsTf32;
};

} // namespace

void populateContractPatterns(RewritePatternSet &patterns, bool allowsTf32) {
  patterns.add<ConvertContract>(patterns.getContext(), allowsTf32);
}

} // namespace sheaf::lowering
