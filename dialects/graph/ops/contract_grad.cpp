// Gradient of graph.contract: each operand's is the contraction of the result's with the other.
#include "dialects/graph/primitive_builder.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace sheaf::graph;

/// The gradient of one operand. `gradient` has the dims batch, then `free` of this operand and
/// `otherFree` of the other one, in the order that `isFirst` says.
static Value gradientOf(PrimitiveBuilder &b, Value gradient, bool isFirst, Value operand,
                        Value other, ArrayRef<int64_t> batch, ArrayRef<int64_t> free,
                        ArrayRef<int64_t> contract, ArrayRef<int64_t> otherBatch,
                        ArrayRef<int64_t> otherFree, ArrayRef<int64_t> otherContract) {
  int64_t numBatch = batch.size(), numFree = free.size(), numOther = otherFree.size();
  int64_t firstOther = numBatch + (isFirst ? numFree : 0);
  auto batchDims = llvm::to_vector(llvm::seq<int64_t>(0, numBatch));
  auto otherDims = llvm::to_vector(llvm::seq<int64_t>(firstOther, firstOther + numOther));
  auto operandType = cast<RankedTensorType>(operand.getType());
  Value product = ContractOp::create(b, b.cast(gradient, operandType.getElementType()), other,
                                     ArrayRef<int64_t>(batchDims), otherBatch,
                                     ArrayRef<int64_t>(otherDims), otherFree);
  // The product has the dims batch, `free`, then the contracted ones in the order of the other
  // operand. Where each of them lies in this operand:
  SmallVector<int64_t> places(batch);
  llvm::append_range(places, free);
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (auto [otherDim, dim] : llvm::zip_equal(otherContract, contract))
    pairs.push_back({otherDim, dim});
  llvm::sort(pairs);
  for (auto [otherDim, dim] : pairs)
    places.push_back(dim);
  SmallVector<int64_t> permutation = invertPermutationVector(places);
  if (isIdentityPermutation(permutation))
    return product;
  return TransposeOp::create(b, product, permutation);
}

SmallVector<Value> ContractOp::buildGradient(OpBuilder &builder, ValueRange resultGradients) {
  Value gradient = resultGradients.front();
  if (!gradient || !isa<FloatType>(getLhs().getType().getElementType()))
    return {Value(), Value()};
  PrimitiveBuilder b(getLoc(), builder);
  SmallVector<int64_t> lhsFree = getLhsFree(), rhsFree = getRhsFree();
  return {gradientOf(b, gradient, /*isFirst=*/true, getLhs(), getRhs(), getLhsBatch(), lhsFree,
                     getLhsContract(), getRhsBatch(), rhsFree, getRhsContract()),
          gradientOf(b, gradient, /*isFirst=*/false, getRhs(), getLhs(), getRhsBatch(), rhsFree,
                     getRhsContract(), getLhsBatch(), lhsFree, getLhsContract())};
}
