// The builder's movement, reduction and contraction ops.
#include "importers/onnx/graph_builder.h"

#include "importers/onnx/triangle.h"

using namespace llvm;
using namespace mlir;
using namespace sheaf::graph;

namespace sheaf::onnx {

Value GraphBuilder::reshape(Value value, ArrayRef<int64_t> shape) {
  if (failed() || !value)
    return {};
  if (GraphBuilder::shape(value) == shape)
    return value;
  return make<ReshapeOp>(type(value).clone(shape), value);
}

Value GraphBuilder::transpose(Value value, ArrayRef<int64_t> permutation) {
  return make<TransposeOp>(value, permutation);
}

Value GraphBuilder::swap(Value value, int64_t a, int64_t b) {
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, rank(value)));
  if (failed() || !value)
    return {};
  std::swap(permutation[a], permutation[b]);
  return transpose(value, permutation);
}

Value GraphBuilder::broadcast(Value value, ArrayRef<int64_t> shape) {
  if (failed() || !value)
    return {};
  int64_t numNew = static_cast<int64_t>(shape.size()) - rank(value);
  if (numNew < 0) {
    fail("shape " + shapeText(GraphBuilder::shape(value)) + " doesn't broadcast to " +
         shapeText(shape));
    return {};
  }
  auto dims = llvm::to_vector(llvm::seq<int64_t>(numNew, static_cast<int64_t>(shape.size())));
  return broadcastDims(value, shape, dims);
}

Value GraphBuilder::broadcastDims(Value value, ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  if (failed() || !value)
    return {};
  if (GraphBuilder::shape(value) == shape)
    return value;
  return make<BroadcastOp>(type(value).clone(shape), value, dims);
}

Value GraphBuilder::unsqueeze(Value value, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape;
  int64_t next = 0, total = rank(value) + static_cast<int64_t>(dims.size());
  for (int64_t index = 0; index < total; ++index)
    shape.push_back(is_contained(dims, index) ? 1 : dim(value, next++));
  return reshape(value, shape);
}

Value GraphBuilder::squeeze(Value value, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape;
  for (auto [index, extent] : enumerate(GraphBuilder::shape(value)))
    if (!is_contained(dims, static_cast<int64_t>(index)))
      shape.push_back(extent);
  return reshape(value, shape);
}

Value GraphBuilder::slice(Value value, ArrayRef<int64_t> starts, ArrayRef<int64_t> limits,
                          ArrayRef<int64_t> strides) {
  if (Value positions = slicePositions(*this, value, starts, limits, strides))
    return positions;
  return make<SliceOp>(value, starts, limits, strides);
}

Value GraphBuilder::sliceDim(Value value, int64_t dim, int64_t start, int64_t limit,
                             int64_t stride) {
  if (failed() || !value)
    return {};
  if (start == 0 && limit == GraphBuilder::dim(value, dim) && stride == 1)
    return value;
  SmallVector<int64_t> starts(rank(value)), limits(shape(value)), strides(rank(value), 1);
  starts[dim] = start;
  limits[dim] = limit;
  strides[dim] = stride;
  return slice(value, starts, limits, strides);
}

Value GraphBuilder::concat(ValueRange values, int64_t dim) {
  if (failed())
    return {};
  if (values.size() == 1)
    return values.front();
  return make<ConcatOp>(values, dim);
}

Value GraphBuilder::pad(Value value, Value fill, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  auto isZero = [](int64_t amount) { return amount == 0; };
  if (all_of(low, isZero) && all_of(high, isZero))
    return value;
  return make<PadOp>(value, fill, low, high);
}

Value GraphBuilder::gather(Value value, Value indices, int64_t dim, int64_t batchDims) {
  return make<GatherOp>(value, indices, dim, batchDims);
}

Value GraphBuilder::reduce(ReduceKind kind, Value value, ArrayRef<int64_t> dims, bool keepDims) {
  SmallVector<int64_t> sorted(dims);
  llvm::sort(sorted);
  Value result = sorted.empty() ? value : make<ReduceOp>(kind, value, sorted);
  return keepDims ? unsqueeze(result, sorted) : result;
}

Value GraphBuilder::mean(Value value, ArrayRef<int64_t> dims, bool keepDims) {
  int64_t count = 1;
  for (int64_t index : dims)
    count *= dim(value, index);
  Value total = sum(value, dims, keepDims);
  return div(total, number(static_cast<double>(count), value));
}

Value GraphBuilder::contract(Value lhs, Value rhs, ArrayRef<int64_t> lhsBatch,
                             ArrayRef<int64_t> rhsBatch, ArrayRef<int64_t> lhsContract,
                             ArrayRef<int64_t> rhsContract, Type result) {
  if (failed() || !lhs || !rhs)
    return {};
  SmallVector<int64_t> shape =
      ContractOp::resultShape(GraphBuilder::shape(lhs), GraphBuilder::shape(rhs), lhsBatch,
                              rhsBatch, lhsContract, rhsContract);
  return make<ContractOp>(RankedTensorType::get(shape, result ? result : element(lhs)), lhs, rhs,
                          lhsBatch, rhsBatch, lhsContract, rhsContract);
}

Value GraphBuilder::matmul(Value lhs, Value rhs, Type result) {
  if (failed() || !lhs || !rhs)
    return {};
  if (rank(lhs) == 0 || rank(rhs) == 0) {
    fail("a matrix product needs operands of rank 1 or more");
    return {};
  }
  bool lhsIsVector = rank(lhs) == 1, rhsIsVector = rank(rhs) == 1;
  Value a = lhsIsVector ? unsqueeze(lhs, {0}) : lhs;
  Value b = rhsIsVector ? unsqueeze(rhs, {1}) : rhs;
  if (dim(a, rank(a) - 1) != dim(b, rank(b) - 2)) {
    fail("shapes " + shapeText(shape(lhs)) + " and " + shapeText(shape(rhs)) + " don't multiply: " +
         Twine(dim(a, rank(a) - 1)) + " columns meet " + Twine(dim(b, rank(b) - 2)) + " rows");
    return {};
  }
  auto batch = broadcastShapes(shape(a).drop_back(2), shape(b).drop_back(2));
  if (!batch) {
    fail("shapes " + shapeText(shape(lhs)) + " and " + shapeText(shape(rhs)) +
         " don't broadcast in their leading dims");
    return {};
  }
  Value product;
  if (rank(b) == 2) { // Leading dims of the left operand are rows.
    product = contract(a, b, {}, {}, {rank(a) - 1}, {0}, result);
  } else {
    SmallVector<int64_t> aShape(*batch), bShape(*batch);
    aShape.append(shape(a).take_back(2).begin(), shape(a).take_back(2).end());
    bShape.append(shape(b).take_back(2).begin(), shape(b).take_back(2).end());
    int64_t numBatch = static_cast<int64_t>(batch->size());
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, numBatch));
    product = contract(broadcast(a, aShape), broadcast(b, bShape), dims, dims, {numBatch + 1},
                       {numBatch}, result);
  }
  SmallVector<int64_t> vectorDims;
  if (lhsIsVector)
    vectorDims.push_back(rank(product) - 2);
  if (rhsIsVector)
    vectorDims.push_back(rank(product) - 1);
  return vectorDims.empty() ? product : squeeze(product, vectorDims);
}

} // namespace sheaf::onnx
