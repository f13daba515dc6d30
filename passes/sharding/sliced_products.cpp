// Splits products with weights of which only slices are used.
#include "passes/sharding/expose_dims.h"
#include "passes/sharding/weight_use.h"

using namespace mlir;

namespace sheaf::sharding {
namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The one dim along which `slice` takes a part, in steps of 1.
std::optional<int64_t> slicedDim(graph::SliceOp slice) {
  std::optional<int64_t> sliced;
  for (int64_t dim = 0; dim < slice.getType().getRank(); ++dim) {
    if (slice.getType().getDimSize(dim) == typeOf(slice.getOperand()).getDimSize(dim))
      continue;
    if (sliced || slice.getStrides()[dim] != 1)
      return std::nullopt;
    sliced = dim;
  }
  return sliced;
}

/// A product, element-wise ops on its result, and the slices that alone use what these give.
struct SlicedProduct {
  WeightProduct product;
  SmallVector<Operation *> chain;
  SmallVector<graph::SliceOp> slices;
  int64_t dim = 0;       ///< of the result
  int64_t weightDim = 0; ///< of the weight, the same elements

  static std::optional<SlicedProduct> of(WeightProduct product);
  void split();

private:
  Value part(OpBuilder &builder, Value value, int64_t dim, int64_t begin, int64_t end);
};

std::optional<SlicedProduct> SlicedProduct::of(WeightProduct product) {
  SlicedProduct sliced{product, {}, {}};
  Value value = product.op.getResult();
  while (value.hasOneUse() && isElementwise(*value.user_begin())) {
    sliced.chain.push_back(*value.user_begin());
    value = sliced.chain.back()->getResult(0);
  }
  int64_t numTaken = 0;
  for (Operation *user : value.getUsers()) {
    auto slice = dyn_cast<graph::SliceOp>(user);
    std::optional<int64_t> dim = slice ? slicedDim(slice) : std::nullopt;
    if (!dim || (!sliced.slices.empty() && *dim != sliced.dim))
      return std::nullopt;
    sliced.dim = *dim;
    sliced.slices.push_back(slice);
    numTaken += slice.getType().getDimSize(*dim);
  }
  SmallVector<unsigned> columns = product.columns();
  const auto *column = llvm::find(columns, sliced.dim);
  // Slices that overlap would be computed twice.
  if (sliced.slices.size() < 2 || column == columns.end() ||
      numTaken > typeOf(value).getDimSize(sliced.dim))
    return std::nullopt;
  SmallVector<int64_t> free =
      product.isWeightLhs ? product.op.getLhsFree() : product.op.getRhsFree();
  sliced.weightDim = free[column - columns.begin()];
  return sliced;
}

/// Elements `begin` to `end` of `value` along `dim`.
Value SlicedProduct::part(OpBuilder &builder, Value value, int64_t dim, int64_t begin,
                          int64_t end) {
  auto type = typeOf(value);
  if (auto broadcast = value.getDefiningOp<graph::BroadcastOp>()) {
    Value operand = broadcast.getOperand();
    const auto *own = llvm::find(broadcast.getDims(), dim);
    if (own != broadcast.getDims().end()) {
      int64_t ownDim = own - broadcast.getDims().begin();
      if (typeOf(operand).getDimSize(ownDim) == type.getDimSize(dim))
        operand = part(builder, operand, ownDim, begin, end);
    }
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = end - begin;
    return graph::BroadcastOp::create(builder, value.getLoc(), type.clone(shape), operand,
                                      broadcast.getDimsAttr());
  }
  SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape()),
      strides(type.getRank(), 1);
  starts[dim] = begin;
  limits[dim] = end;
  return graph::SliceOp::create(builder, value.getLoc(), value, starts, limits, strides);
}

void SlicedProduct::split() {
  for (graph::SliceOp slice : slices) {
    OpBuilder builder(slice);
    int64_t begin = slice.getStarts()[dim], end = begin + slice.getType().getDimSize(dim);
    auto narrowed = [&](Operation *op, ValueRange operands) {
      auto type = typeOf(op->getResult(0));
      SmallVector<int64_t> shape(type.getShape());
      shape[dim] = end - begin;
      Operation *clone = builder.clone(*op);
      clone->setOperands(operands);
      clone->getResult(0).setType(type.clone(shape));
      return clone->getResult(0);
    };
    SmallVector<Value> operands(product.op->getOperands());
    operands[product.isWeightLhs ? 0 : 1] = part(builder, product.weight(), weightDim, begin, end);
    Value whole = product.op.getResult(), own = narrowed(product.op, operands);
    for (Operation *op : chain) {
      operands.clear();
      for (Value operand : op->getOperands())
        operands.push_back(operand == whole ? own : part(builder, operand, dim, begin, end));
      whole = op->getResult(0);
      own = narrowed(op, operands);
    }
    slice.replaceAllUsesWith(own);
    slice.erase();
  }
  for (Operation *op : llvm::reverse(chain))
    op->erase();
  product.op->erase();
}

} // namespace

void splitSlicedProducts(func::FuncOp function) {
  Weights weights(function);
  SmallVector<graph::ContractOp> products(function.getOps<graph::ContractOp>());
  for (graph::ContractOp op : products)
    if (std::optional<WeightProduct> product = WeightProduct::of(op, weights))
      if (std::optional<SlicedProduct> sliced = SlicedProduct::of(*product))
        sliced->split();
}

} // namespace sheaf::sharding
