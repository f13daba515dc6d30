// Verifiers of the dist dialect's ops.
#include "dialects/dist/dist.h"
#include "dialects/dist/joint_collective.h"
#include "dialects/dist/tensor_sharding.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace sheaf::dist;

/// "0, 1": a dim for each tensor.
static ParseResult parseDims(OpAsmParser &parser, DenseI64ArrayAttr &dims) {
  SmallVector<int64_t> list;
  if (parser.parseCommaSeparatedList([&] { return parser.parseInteger(list.emplace_back()); }))
    return failure();
  dims = parser.getBuilder().getDenseI64ArrayAttr(list);
  return success();
}

static void printDims(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr dims) {
  llvm::interleaveComma(dims.asArrayRef(), printer);
}

#define GET_OP_CLASSES
#include "dialects/dist/dist_ops.cpp.inc"

//===----------------------------------------------------------------------===//
// Annotations
//===----------------------------------------------------------------------===//

LogicalResult ConstraintOp::verifySymbolUses(SymbolTableCollection &) {
  return verifySharding(*this, getSharding(), getType(), "sharding"); // (C1)
}

LogicalResult ReshardOp::verifySymbolUses(SymbolTableCollection &) {
  if (getFrom().getMesh() != getTo().getMesh()) // (C1)
    return emitOpError("goes from mesh ")
           << getFrom().getMesh() << " to mesh " << getTo().getMesh();
  return success(succeeded(verifySharding(*this, getFrom(), getType(), "from")) &&
                 succeeded(verifySharding(*this, getTo(), getType(), "to")));
}

LogicalResult MarkOp::verify() {
  if (bool(getParameter()) == (getKind() == MarkKind::loss)) // (C1)
    return emitOpError("of kind ")
           << stringifyMarkKind(getKind())
           << (getParameter() ? " names a parameter" : " does not name its parameter");
  return success();
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

static LogicalResult verifyGroup(Operation *op, AxesAttr axes) { // (C1)
  return verifyAxes(op, axes.getMesh(), axes.getAxes(), "axes");
}

static AxisList axesIn(Operation *op, AxesAttr axes) {
  return axesOf(axes.getAxes(), findMesh(op, axes.getMesh()).getMesh());
}

/// (C2): `whole` cut along `dim` by the ranks of `axes` is `block`, both of equal other extents.
static LogicalResult verifyBlock(Operation *op, RankedTensorType whole, RankedTensorType block,
                                 int64_t dim, AxesAttr axes) {
  if (dim < 0 || dim >= whole.getRank())
    return op->emitOpError("dim ") << dim << " is out of range of " << whole;
  SmallVector<int64_t> shape(whole.getShape());
  shape[dim] = blockOf(shape[dim], axesIn(op, axes));
  RankedTensorType expected = whole.clone(shape);
  if (block != expected)
    return op->emitOpError("the block of ") << whole << " along dim " << dim << " over " << axes
                                            << " is " << expected << ", not " << block;
  return success();
}

static RankedTensorType tensor(Value value) { return cast<RankedTensorType>(value.getType()); }

/// (C3) of the operands of a collective.
static LogicalResult verifyTensors(Operation *op) {
  if (op->getNumOperands() == 0)
    return op->emitOpError("has no tensor");
  Type element = tensor(op->getOperand(0)).getElementType();
  for (Value operand : op->getOperands())
    if (tensor(operand).getElementType() != element)
      return op->emitOpError("has tensors of ")
             << element << " and " << tensor(operand).getElementType();
  return success();
}

/// (C1), (C2) and (C3): each of `wholes` cut along its dim is that of `blocks`.
static LogicalResult verifyBlocks(Operation *op, ValueRange wholes, ValueRange blocks,
                                  ArrayRef<int64_t> dims, AxesAttr axes) {
  if (failed(verifyGroup(op, axes)) || failed(verifyTensors(op)))
    return failure();
  if (wholes.size() != blocks.size() || dims.size() != wholes.size()) // (C3)
    return op->emitOpError("has ") << op->getNumOperands() << " operands, " << op->getNumResults()
                                   << " results and " << dims.size() << " dims";
  for (auto [whole, block, dim] : llvm::zip_equal(wholes, blocks, dims))
    if (failed(verifyBlock(op, tensor(whole), tensor(block), dim, axes)))
      return failure();
  return success();
}

LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection &) {
  return failed(verifyGroup(*this, getAxes())) ? failure() : verifyTensors(*this);
}

LogicalResult AllGatherOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyBlocks(*this, getResults(), getOperands(), getDims(), getAxes());
}

LogicalResult ReduceScatterOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyBlocks(*this, getOperands(), getResults(), getDims(), getAxes());
}

LogicalResult SliceOp::verifySymbolUses(SymbolTableCollection &) {
  if (failed(verifyGroup(*this, getAxes())))
    return failure();
  return verifyBlock(*this, tensor(getOperand()), tensor(getResult()), getDim(), getAxes());
}

/// (C4): whether window arithmetic stays within 62 bits for all places.
static bool isInRange(sheaf::DimWindow window, int64_t extent) {
  constexpr int64_t limit = int64_t(1) << 60;
  int64_t reach;
  auto isSmall = [](int64_t value) { return -limit < value && value < limit; };
  return window.scale != 0 && window.divisor >= 1 && window.numPlaces >= 0 && extent >= 0 &&
         llvm::all_of(std::initializer_list<int64_t>{window.scale, window.divisor, window.first,
                                                     window.last, extent, window.numPlaces},
                      isSmall) &&
         !llvm::MulOverflow(window.scale, window.numPlaces, reach) && isSmall(reach);
}

LogicalResult WindowOp::verifySymbolUses(SymbolTableCollection &) {
  if (failed(verifyGroup(*this, getAxes())))
    return failure();
  RankedTensorType from = tensor(getOperand()), to = tensor(getResult());
  int64_t dim = getDim(), rank = from.getRank();
  if (dim < 0 || dim >= rank || to.getRank() != rank) // (C2)
    return emitOpError("dim ") << dim << " must be one of " << from << " and of " << to;
  if (tensor(getFill()) != from.clone(ArrayRef<int64_t>())) // (C3)
    return emitOpError("the fill is ")
           << getFill().getType() << ", it must be " << from.clone(ArrayRef<int64_t>());
  sheaf::DimWindow window = getWindow();
  if (!isInRange(window, getExtent())) // (C4)
    return emitOpError("scale ") << getScale() << ", divisor " << getDivisor() << ", first "
                                 << getFirst() << " and last " << getLast() << " are no window of "
                                 << getNumPlaces() << " places on " << getExtent() << " elements";
  AxisList axes = axesIn(*this, getAxes());
  SmallVector<int64_t> shape(from.getShape());
  shape[dim] = getExtent();
  if (failed(verifyBlock(*this, from.clone(shape), from, dim, getAxes())))
    return failure();
  shape[dim] = window.room(blockOf(getNumPlaces(), axes));
  if (to != from.clone(shape)) // (C2), (C5)
    return emitOpError("what a block of places needs is ") << from.clone(shape) << ", not " << to;
  for (DimPart part : partsOf(getNumPlaces(), axes))
    if (part.extent > 0 && !window.isAligned(part.begin)) // (C6)
      return emitOpError("a part begins at place ")
             << part.begin << ", which scale " << getScale() << " takes to no multiple of divisor "
             << getDivisor();
  return success();
}

LogicalResult AllToAllOp::verifySymbolUses(SymbolTableCollection &) {
  if (failed(verifyGroup(*this, getAxes())))
    return failure();
  RankedTensorType from = tensor(getOperand()), to = tensor(getResult());
  int64_t gather = getGatherDim(), split = getSplitDim(), rank = from.getRank();
  if (gather < 0 || gather >= rank || split < 0 || split >= rank || gather == split ||
      to.getRank() != rank) // (C2)
    return emitOpError("dims ") << gather << " and " << split << " must differ and be of " << from;
  SmallVector<int64_t> shape(from.getShape());
  shape[gather] = to.getDimSize(gather);
  RankedTensorType joined = from.clone(shape);
  if (failed(verifyBlock(*this, joined, from, gather, getAxes())))
    return failure();
  return verifyBlock(*this, joined, to, split, getAxes());
}

LogicalResult PermuteOp::verifySymbolUses(SymbolTableCollection &) {
  if (failed(verifyGroup(*this, getFrom())) || failed(verifyGroup(*this, getTo())))
    return failure();
  if (getFrom().getMesh() != getTo().getMesh()) // (C1)
    return emitOpError("goes from mesh ")
           << getFrom().getMesh() << " to mesh " << getTo().getMesh();
  AxisList from = axesIn(*this, getFrom()), to = axesIn(*this, getTo());
  if (sizeOf(from) != sizeOf(to) || !difference(from, to).empty() ||
      !difference(to, from).empty()) // (C1)
    return emitOpError("from ") << getFrom() << " to " << getTo()
                                << ": both must hold the same digits";
  return success();
}

LogicalResult SendRecvOp::verifySymbolUses(SymbolTableCollection &) {
  if (failed(verifyGroup(*this, getAxes())))
    return failure();
  int64_t numPlaces = sizeOf(axesIn(*this, getAxes()));
  if (int64_t(getSources().size()) != numPlaces) // (C2)
    return emitOpError("names ") << getSources().size() << " sources for the " << numPlaces
                                 << " places of " << getAxes();
  for (int64_t source : getSources())
    if (source < -1 || source >= numPlaces) // (C2)
      return emitOpError("source ") << source << " is no place of " << getAxes() << " and not -1";
  return success();
}

LogicalResult ShardIndexOp::verifySymbolUses(SymbolTableCollection &) {
  RankedTensorType type = tensor(getResult());
  if (type.getRank() != 0 || !type.getElementType().isSignlessInteger(64)) // (C2)
    return emitOpError("the result is ") << type << ", it must be tensor<i64>";
  return verifyGroup(*this, getAxes());
}

//===----------------------------------------------------------------------===//
// Manual regions
//===----------------------------------------------------------------------===//

/// (C1), (C2) and (C3) for operands or results: `what` names them, `blocks` are those of the body.
static LogicalResult verifySides(ManualOp op, StringRef what, TypeRange wholes, ArrayAttr shardings,
                                 TypeRange blocks) {
  if (shardings.size() != wholes.size() || blocks.size() != wholes.size())
    return op.emitOpError("has ") << wholes.size() << " " << what << "s, " << shardings.size()
                                  << " shardings and " << blocks.size() << " blocks of them";
  for (auto [index, whole, block] : llvm::enumerate(wholes, blocks)) {
    auto sharding = cast<ShardingAttr>(shardings[index]);
    std::string name = (what + " " + Twine(index)).str();
    if (failed(verifySharding(op, sharding, whole, name)))
      return failure();
    MeshAttr mesh = findMesh(op, sharding.getMesh()).getMesh();
    TensorSharding final = TensorSharding::from(sharding, mesh);
    if (final != final.placed())
      return op.emitOpError() << name << " has a sharding that is not final: " << sharding;
    RankedTensorType expected = blockTypeOf(cast<RankedTensorType>(whole), final);
    if (block != expected)
      return op.emitOpError() << name << " has blocks of " << expected << ", not " << block;
  }
  return success();
}

LogicalResult ManualOp::verifySymbolUses(SymbolTableCollection &) {
  Operation *yield = getBodyBlock()->getTerminator();
  if (failed(verifySides(*this, "operand", getOperandTypes(), getInShardings(),
                         getBodyBlock()->getArgumentTypes())) ||
      failed(verifySides(*this, "result", getResultTypes(), getOutShardings(),
                         yield->getOperandTypes())))
    return failure();
  Attribute mesh;
  for (ArrayAttr shardings : {getInShardings(), getOutShardings()})
    for (auto sharding : shardings.getAsRange<ShardingAttr>()) {
      if (mesh && mesh != sharding.getMesh())
        return emitOpError("has shardings of the meshes ") << mesh << " and " << sharding.getMesh();
      mesh = sharding.getMesh();
    }
  WalkResult blocks = getBody().walk([&](Operation *op) { // (C4)
    if (isa<ConstraintOp, BarrierOp, ReshardOp, ManualOp>(op) || op->hasAttr(kShardings) ||
        op->hasAttr(kBlocked)) {
      op->emitOpError("says where a whole tensor lives, but the dist.manual around it computes on "
                      "blocks");
      return WalkResult::interrupt();
    }
    for (NamedAttribute attribute : op->getAttrs())
      if (auto axes = dyn_cast<AxesAttr>(attribute.getValue());
          axes && mesh && axes.getMesh() != mesh) {
        op->emitOpError("is over mesh ")
            << axes.getMesh() << ", the dist.manual around it over " << mesh;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(blocks.wasInterrupted());
}
