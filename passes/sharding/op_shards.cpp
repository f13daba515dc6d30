// Gives ops their local shards, and makes the plain local form of those that need nothing else.
#include "passes/sharding/op_shards.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace sheaf::dist;
using sheaf::graph::PrimitiveBuilder;

namespace sheaf::sharding {

OpShards::OpShards(Operation *op, ArrayRef<TensorSharding> shardings, ValueRange local,
                   OpBuilder &builder, ShardPlaces &places)
    : op(op), rule(OpRule::of(op)), shardings(shardings), local(local), opBuilder(builder),
      places(places) {
  for (auto [result, sharding] :
       llvm::zip_equal(op->getResults(), shardings.drop_front(op->getNumOperands())))
    localTypes.push_back(blockTypeOf(cast<RankedTensorType>(result.getType()), sharding));
}

int64_t OpShards::extentOf(unsigned tensor, unsigned dim) const {
  Value value = tensor < op->getNumOperands() ? op->getOperand(tensor)
                                              : op->getResult(tensor - op->getNumOperands());
  return cast<RankedTensorType>(value.getType()).getDimSize(dim);
}

bool OpShards::isTensorUneven(unsigned tensor, unsigned dim) const {
  return extentOf(tensor, dim) % shardings[tensor].numParts(dim) != 0;
}

ShardPlaces::Place OpShards::place(unsigned tensor, unsigned dim) {
  return places.of(extentOf(tensor, dim), shardings[tensor].dims[dim].axes);
}

Value OpShards::operandMasked(unsigned operand, ArrayRef<int64_t> dims, double value) {
  Value masked = local[operand];
  PrimitiveBuilder b(op->getLoc(), opBuilder);
  for (int64_t dim : dims)
    if (isUneven(operand, dim))
      masked = maskedFrom(b, masked, dim, operandExtent(operand, dim), value);
  return masked;
}

bool OpShards::isWindowed(unsigned operand, unsigned dim) {
  return numParts(operand, dim) > 1 && llvm::any_of(rule.windows, [&](const OperandWindow &read) {
           return read.operand == operand && read.dim == dim;
         });
}

Value OpShards::windowOf(unsigned operand, Value block, Value fill) {
  auto whole = cast<RankedTensorType>(op->getOperand(operand).getType());
  Type element = cast<RankedTensorType>(block.getType()).getElementType();
  PrimitiveBuilder b(op->getLoc(), opBuilder);
  Value value = block;
  for (const WindowMove &move : windowMoves(rule, operand, whole, shardings[operand], element)) {
    if (move.isOwn) {
      if (value.getType() != move.result)
        value = b.slice(value, move.dim, 0, move.result.getDimSize(move.dim));
      continue;
    }
    const DimWindow &window = move.window;
    value = WindowOp::create(b, move.result, value, fill, move.dim, move.extent, window.numPlaces,
                             window.scale, window.divisor, window.first, window.last,
                             places.attrOf(move.axes));
    if (move.sentBytes > 0)
      sent.push_back({operand, move.dim, move.sentBytes});
  }
  return value;
}

/// What changes nothing when combined.
static double neutralOf(FactorKind kind) {
  double infinity = std::numeric_limits<double>::infinity();
  return kind == FactorKind::reductionMax   ? -infinity
         : kind == FactorKind::reductionMin ? infinity
                                            : 0.0;
}

SmallVector<Value> OpShards::clone() {
  SmallVector<Value> inputs(local);
  PrimitiveBuilder b(op->getLoc(), opBuilder);
  for (auto [index, input] : llvm::enumerate(inputs))
    for (auto [dim, factors] : llvm::enumerate(rule.tensors[index]))
      for (unsigned factor : factors)
        if (isReduction(rule.factors[factor].kind) && isUneven(index, dim))
          input = maskedFrom(b, input, dim, operandExtent(index, dim),
                             neutralOf(rule.factors[factor].kind));
  IRMapping mapping;
  mapping.map(op->getOperands(), inputs);
  Operation *cloned = opBuilder.clone(*op, mapping);
  cloned->removeAttr(kShardings);
  cloned->removeAttr(kBlocked);
  for (auto [result, type] : llvm::zip_equal(cloned->getResults(), localTypes))
    result.setType(type);
  return llvm::to_vector_of<Value>(cloned->getResults());
}

} // namespace sheaf::sharding
