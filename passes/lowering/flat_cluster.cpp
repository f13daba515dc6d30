// Rewrites elementwise clusters to work on flat memory.
#include "passes/lowering/flat_cluster.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace sheaf::lowering {

static bool isSplatConstant(Operation &op) {
  auto constant = dyn_cast<graph::ConstantOp>(op);
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  return elements && elements.isSplat();
}

bool isFlat(graph::ClusterOp cluster) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(cluster.getResultTypes()[0]).getShape();
  auto hasShape = [&](Type type) { return cast<RankedTensorType>(type).getShape() == shape; };
  if (!llvm::all_of(cluster.getOperandTypes(), hasShape))
    return false;
  return llvm::all_of(cluster.getBodyBlock()->without_terminator(), [&](Operation &op) {
    return llvm::all_of(op.getResultTypes(), hasShape) &&
           (op.hasTrait<OpTrait::Elementwise>() || isSplatConstant(op));
  });
}

graph::ClusterOp flatten(OpBuilder &builder, graph::ClusterOp cluster, ValueRange flatOperands,
                         int64_t numElements) {
  auto flatType = [&](Type type) {
    return RankedTensorType::get({numElements}, cast<RankedTensorType>(type).getElementType());
  };
  SmallVector<Type> types(llvm::map_range(cluster.getResultTypes(), flatType));
  auto flat = graph::ClusterOp::create(builder, cluster.getLoc(), types, flatOperands);
  Block &body = flat.getBody().emplaceBlock();
  IRMapping mapping;
  for (auto [argument, operand] : llvm::zip(cluster.getBodyBlock()->getArguments(), flatOperands))
    mapping.map(argument, body.addArgument(operand.getType(), argument.getLoc()));
  OpBuilder inner = OpBuilder::atBlockEnd(&body);
  for (Operation &op : *cluster.getBodyBlock()) {
    Operation *clone = inner.clone(op, mapping);
    for (OpResult result : clone->getResults())
      result.setType(flatType(result.getType()));
    if (auto constant = dyn_cast<graph::ConstantOp>(clone)) {
      auto elements = cast<DenseElementsAttr>(constant.getValue());
      constant.setValueAttr(DenseElementsAttr::get(cast<RankedTensorType>(constant.getType()),
                                                   elements.getSplatValue<Attribute>()));
    }
  }
  return flat;
}

} // namespace sheaf::lowering
