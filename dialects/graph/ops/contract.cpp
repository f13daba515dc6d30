// Semantics of graph.contract: dims, shape, factor rule and cost.
#include "dialects/graph/graph.h"
#include "dialects/graph/ops/factor_letters.h"
#include "dialects/graph/ops/op_cost.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;

static SmallVector<int64_t> freeDims(int64_t rank, ArrayRef<int64_t> batch,
                                     ArrayRef<int64_t> contract) {
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(batch, d) && !llvm::is_contained(contract, d))
      dims.push_back(d);
  return dims;
}

SmallVector<int64_t> ContractOp::getLhsFree() {
  return freeDims(getLhs().getType().getRank(), getLhsBatch(), getLhsContract());
}

SmallVector<int64_t> ContractOp::getRhsFree() {
  return freeDims(getRhs().getType().getRank(), getRhsBatch(), getRhsContract());
}

SmallVector<int64_t> ContractOp::resultShape(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs,
                                             ArrayRef<int64_t> lhsBatch, ArrayRef<int64_t> rhsBatch,
                                             ArrayRef<int64_t> lhsContract,
                                             ArrayRef<int64_t> rhsContract) {
  SmallVector<int64_t> shape;
  for (int64_t d : lhsBatch)
    shape.push_back(lhs[d]);
  for (int64_t d : freeDims(lhs.size(), lhsBatch, lhsContract))
    shape.push_back(lhs[d]);
  for (int64_t d : freeDims(rhs.size(), rhsBatch, rhsContract))
    shape.push_back(rhs[d]);
  return shape;
}

void ContractOp::build(OpBuilder &builder, OperationState &state, Value lhs, Value rhs,
                       ArrayRef<int64_t> lhsBatch, ArrayRef<int64_t> rhsBatch,
                       ArrayRef<int64_t> lhsContract, ArrayRef<int64_t> rhsContract) {
  auto lhsType = cast<RankedTensorType>(lhs.getType());
  auto rhsType = cast<RankedTensorType>(rhs.getType());
  SmallVector<int64_t> shape = resultShape(lhsType.getShape(), rhsType.getShape(), lhsBatch,
                                           rhsBatch, lhsContract, rhsContract);
  build(builder, state, RankedTensorType::get(shape, lhsType.getElementType()), lhs, rhs, lhsBatch,
        rhsBatch, lhsContract, rhsContract);
}

/// (C1) for one operand.
static LogicalResult checkDims(ContractOp op, StringRef operand, int64_t rank,
                               ArrayRef<int64_t> batch, ArrayRef<int64_t> contract) {
  llvm::SmallBitVector isNamed(rank);
  for (int64_t dim : llvm::concat<const int64_t>(batch, contract)) {
    if (dim < 0 || dim >= rank)
      return op.emitOpError("names dim ")
             << dim << " of " << operand << ", which has rank " << rank;
    if (isNamed.test(dim))
      return op.emitOpError("names dim ") << dim << " of " << operand << " twice";
    isNamed.set(dim);
  }
  return success();
}

/// (C2) for the batch dims or the contracted dims.
static LogicalResult checkPairs(ContractOp op, StringRef role, ArrayRef<int64_t> lhsDims,
                                ArrayRef<int64_t> rhsDims) {
  if (lhsDims.size() != rhsDims.size())
    return op.emitOpError("has ") << lhsDims.size() << " " << role << " dims of lhs, but "
                                  << rhsDims.size() << " of rhs";
  for (auto [l, r] : llvm::zip_equal(lhsDims, rhsDims)) {
    int64_t lhsExtent = op.getLhs().getType().getDimSize(l);
    int64_t rhsExtent = op.getRhs().getType().getDimSize(r);
    if (lhsExtent != rhsExtent)
      return op.emitOpError("lhs dim ")
             << l << " (" << lhsExtent << ") and rhs dim " << r << " (" << rhsExtent << ") are "
             << role << " dims and must be equal";
  }
  return success();
}

/// (C4): floats meet floats of one type and may only widen; integers meet integers.
static LogicalResult checkElements(ContractOp op) {
  Type lhs = op.getLhs().getType().getElementType();
  Type rhs = op.getRhs().getType().getElementType();
  Type result = op.getResult().getType().getElementType();
  if (isa<FloatType>(lhs) != isa<FloatType>(rhs) || isa<FloatType>(lhs) != isa<FloatType>(result))
    return op.emitOpError("mixes floats and integers: ") << lhs << " x " << rhs << " -> " << result;
  if (!isa<FloatType>(lhs))
    return success();
  if (lhs != rhs)
    return op.emitOpError("float operands must have one element type, but have ")
           << lhs << " and " << rhs;
  if (result != lhs && result.getIntOrFloatBitWidth() <= lhs.getIntOrFloatBitWidth())
    return op.emitOpError("result element type ")
           << result << " must be that of the operands (" << lhs << ") or wider";
  return success();
}

LogicalResult ContractOp::verify() {
  RankedTensorType lhs = getLhs().getType();
  RankedTensorType rhs = getRhs().getType();
  if (failed(checkDims(*this, "lhs", lhs.getRank(), getLhsBatch(), getLhsContract())) || // (C1)
      failed(checkDims(*this, "rhs", rhs.getRank(), getRhsBatch(), getRhsContract())) ||
      failed(checkPairs(*this, "batch", getLhsBatch(), getRhsBatch())) || // (C2)
      failed(checkPairs(*this, "contracted", getLhsContract(), getRhsContract())))
    return failure();
  SmallVector<int64_t> shape = resultShape(lhs.getShape(), rhs.getShape(), getLhsBatch(),
                                           getRhsBatch(), getLhsContract(), getRhsContract());
  if (getResult().getType().getShape() != ArrayRef(shape)) // (C3)
    return emitOpError("result has shape [")
           << getResult().getType().getShape() << "], but the operands give [" << shape << "]";
  return checkElements(*this); // (C4)
}

FactorRule ContractOp::getShardingRule() {
  FactorLetters letters;
  FactorRule rule;
  FactorRule::Tensor lhs(getLhs().getType().getRank());
  FactorRule::Tensor rhs(getRhs().getType().getRank());
  FactorRule::Tensor result;
  for (auto [l, r] : llvm::zip_equal(getLhsBatch(), getRhsBatch()))
    result.push_back(lhs[l] = rhs[r] = letters.next());
  for (int64_t d : getLhsFree())
    result.push_back(lhs[d] = letters.next());
  for (int64_t d : getRhsFree())
    result.push_back(rhs[d] = letters.next());
  for (auto [l, r] : llvm::zip_equal(getLhsContract(), getRhsContract()))
    lhs[l] = rhs[r] = letters.next();
  rule.operands = {lhs, rhs};
  rule.results = {result};
  return rule;
}

Cost ContractOp::getCost() {
  int64_t flops = 2 * getResult().getType().getNumElements();
  for (int64_t d : getLhsContract())
    flops *= getLhs().getType().getDimSize(d);
  return costOf(*this, flops);
}
