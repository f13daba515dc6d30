// Rounds the operands of products with weights to 8-bit floats.
#include "passes/training/narrow_products.h"

#include "dialects/graph/primitive_builder.h"
#include "dialects/graph/rounding.h"
#include "llvm/ADT/DenseSet.h"

#include <cmath>

using namespace mlir;
using namespace sheaf::graph;

namespace sheaf::training {
namespace {

/// Values of `block` that depend on `weights` and constants alone.
llvm::DenseSet<Value> findWeights(Block &block, ArrayRef<Value> weights) {
  llvm::DenseSet<Value> found(weights.begin(), weights.end()), constant;
  for (Operation &op : block.without_terminator()) {
    if (op.getNumRegions() != 0)
      continue;
    bool areConstant =
        llvm::all_of(op.getOperands(), [&](Value value) { return constant.contains(value); });
    bool areWeights = llvm::all_of(op.getOperands(), [&](Value value) {
      return constant.contains(value) || found.contains(value);
    });
    if (areWeights)
      (areConstant ? constant : found).insert_range(op.getResults());
  }
  return found;
}

int64_t extentOf(Value value, ArrayRef<int64_t> dims) {
  int64_t extent = 1;
  for (int64_t dim : dims)
    extent *= shapeOf(value)[dim];
  return extent;
}

/// Whether the extents of the weight, contracted and not, are ones of the units for 8-bit floats.
bool hasExtents(ContractOp op, bool isWeightRight) {
  Value weight = isWeightRight ? op.getRhs() : op.getLhs();
  SmallVector<int64_t> free = isWeightRight ? op.getRhsFree() : op.getLhsFree();
  ArrayRef<int64_t> contract = isWeightRight ? op.getRhsContract() : op.getLhsContract();
  return extentOf(weight, free) % 16 == 0 && extentOf(weight, contract) % 16 == 0;
}

/// `value` before it was cast, which each user may have done by itself.
Value sourceOf(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getOperand();
  return value;
}

/// The slices of one weight that several of `products` take with one activation, and the weight: all are parts of one
/// product, as of queries, keys and values.
DenseMap<Value, Value> findParts(ArrayRef<ContractOp> products,
                                 const llvm::DenseSet<Value> &weights) {
  DenseMap<std::pair<Value, Value>, SmallVector<Value>> slices; // by weight and activation
  for (ContractOp product : products) {
    bool isWeightRight = weights.contains(product.getRhs());
    Value weight = isWeightRight ? product.getRhs() : product.getLhs();
    Value activation = isWeightRight ? product.getLhs() : product.getRhs();
    if (auto slice = weight.getDefiningOp<SliceOp>())
      slices[{sourceOf(slice.getOperand()), sourceOf(activation)}].push_back(weight);
  }
  DenseMap<Value, Value> wholes;
  for (const SmallVector<Value> &parts : llvm::make_second_range(slices))
    if (parts.size() > 1)
      for (Value part : parts)
        wholes[part] = part.getDefiningOp<SliceOp>().getOperand();
  return wholes;
}

/// Rounds values, each once for each type.
class Rounding {
public:
  /// Values in `wholes` have the scales of what they are parts of.
  explicit Rounding(const DenseMap<Value, Value> &wholes) : wholes(wholes) {}

  /// `value` times its scale, rounded to `narrow`, and back.
  Value of(Value value, FloatType narrow) {
    Value &rounded = known[{value, narrow}];
    if (!rounded)
      rounded = build(value, narrow);
    return rounded;
  }

private:
  /// In f32, but rounded to its type: the last bits of what is in a register decide which of two numbers of 3 bits it
  /// becomes.
  static Value widened(PrimitiveBuilder &b, Value value) {
    Value half = b.cast(b.cast(value, b.getF32Type()), typeOf(value).getElementType());
    half.getDefiningOp()->setAttr(kRounds, b.getUnitAttr());
    return b.cast(half, b.getF32Type());
  }

  Value build(Value value, FloatType narrow) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    PrimitiveBuilder b(value.getLoc(), builder);
    Value wide = widened(b, value), whole = wholes.lookup(value);
    Value counted = whole ? widened(b, whole) : wide;
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(counted).getRank()));
    Value largest = b.reduce(ReduceKind::max, b.unary(UnaryKind::abs, counted), dims);
    // What is smaller, zeros for one, would have a scale that f32 has not.
    largest = b.binary(BinaryKind::max, largest, std::ldexp(1.0, -100));
    double limit = APFloat::getLargest(narrow.getFloatSemantics()).convertToDouble();
    Value scale = b.broadcast(b.binary(BinaryKind::div, largest, limit), shapeOf(value), {});
    Value rounded = b.cast(b.binary(BinaryKind::div, wide, scale), narrow);
    Value back = b.binary(BinaryKind::mul, b.cast(rounded, b.getF32Type()), scale);
    return b.cast(back, typeOf(value).getElementType());
  }

  const DenseMap<Value, Value> &wholes;
  DenseMap<std::pair<Value, Type>, Value> known;
};

} // namespace

NarrowProducts::NarrowProducts(Block &block, ArrayRef<Value> weights) : block(block) {
  Operation *terminator = block.getTerminator();
  last = terminator->getPrevNode();
  llvm::DenseSet<Value> fromWeights = findWeights(block, weights);
  // From the last op to the first: what a product with a weight depends on.
  llvm::DenseSet<Value> needed;
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    bool isNeeded =
        llvm::any_of(op.getResults(), [&](Value result) { return needed.contains(result); });
    auto contract = dyn_cast<ContractOp>(op);
    bool isWeightLeft = contract && fromWeights.contains(contract.getLhs());
    bool isWeightRight = contract && fromWeights.contains(contract.getRhs());
    bool isProduct = isWeightLeft != isWeightRight;
    if (isProduct && isNeeded && typeOf(contract).getElementType().isBF16() &&
        hasExtents(contract, isWeightRight))
      products.push_back(contract);
    if (isProduct || isNeeded)
      needed.insert_range(op.getOperands());
  }
  parts = findParts(products, fromWeights);
}

void NarrowProducts::apply() {
  if (isEmpty())
    return;
  MLIRContext *context = block.getParentOp()->getContext();
  FloatType e4m3 = Float8E4M3FNType::get(context), e5m2 = Float8E5M2Type::get(context);
  llvm::DenseSet<Value> factors;
  for (ContractOp product : products)
    factors.insert_range(product->getOperands());
  Rounding rounding(parts);
  // The gradient of either operand is the product of the result's, on the left, with the other operand.
  SmallVector<ContractOp> gradients;
  for (Operation *op = last->getNextNode(); op; op = op->getNextNode())
    if (auto contract = dyn_cast<ContractOp>(op); contract && factors.contains(contract.getRhs()))
      gradients.push_back(contract);
  for (ContractOp product : products)
    product->setOperands(
        {rounding.of(product.getLhs(), e4m3), rounding.of(product.getRhs(), e4m3)});
  for (ContractOp gradient : gradients)
    gradient->setOperands(
        {rounding.of(gradient.getLhs(), e5m2), rounding.of(gradient.getRhs(), e4m3)});
}

} // namespace sheaf::training
