// Lets contractions take 8-bit floats and their scales as they are, in place of what was widened from them.
#include "passes/lowering/convert/convert.h"
#include "passes/lowering/emit/element_types.h"
#include "passes/lowering/passes.h"
#include "runtime/abi/calls.h"
#include "runtime/abi/contract_strides.h"
#include "runtime/abi/narrow_product.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace sheaf::lowering {
#define GEN_PASS_DEF_LOWERINGNARROWPRODUCTSPASS
#include "passes/lowering/passes.h.inc"

using namespace mlir;

namespace {

Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

bool isNarrow(Value value) {
  auto type = abiElementType(elementOf(value));
  return type && abi::isNarrowFactor(*type);
}

/// One number that all elements are multiplied by: a tensor of one element, or a constant.
struct Scale {
  Value value;
  Attribute constant;

  explicit operator bool() const { return value || constant; }
};

/// The number that all elements of `value` are; none when they may differ.
Scale scaleOfAll(Value value) {
  DenseFPElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    return {{}, elements.getSplatValue<FloatAttr>()};
  auto isOne = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements() == 1;
  };
  while (Operation *op = value.getDefiningOp()) {
    if (isOne(value) || !isa<graph::BroadcastOp, graph::ReshapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return isOne(value) ? Scale{value, {}} : Scale();
}

/// What an operand of a product was widened from.
struct Factor {
  Value narrow; ///< of 8 bits
  Scale scale;  ///< may be missing
  /// What moves elements between the narrow tensor and the operand; the last comes first.
  SmallVector<Operation *> moves;
};

/// None when the operand is anything but 8-bit floats times one number.
std::optional<Factor> findFactor(Value value) {
  Factor factor;
  while (Operation *op = value.getDefiningOp()) {
    if (isa<graph::TransposeOp, graph::ReshapeOp, graph::BroadcastOp>(op)) {
      factor.moves.push_back(op);
      value = op->getOperand(0);
    } else if (auto cast = dyn_cast<graph::CastOp>(op)) {
      value = cast.getOperand();
      if (isNarrow(value)) {
        factor.narrow = value;
        return factor;
      }
      // To what is wider than the narrow types rounding can be left out: the product is more exact without.
      Type from = elementOf(value);
      if (!from.isF32() && !from.isBF16() && !from.isF16())
        return std::nullopt;
    } else if (auto binary = dyn_cast<graph::BinaryOp>(op);
               binary && binary.getKind() == graph::BinaryKind::mul && !factor.scale) {
      bool isScaleRight = static_cast<bool>(factor.scale = scaleOfAll(binary.getRhs()));
      if (!isScaleRight)
        factor.scale = scaleOfAll(binary.getLhs());
      if (!factor.scale)
        return std::nullopt;
      value = isScaleRight ? binary.getLhs() : binary.getRhs();
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

/// The narrow tensor in the form of the operand.
Value narrowOperand(const Factor &factor, PatternRewriter &rewriter) {
  Value value = factor.narrow;
  for (Operation *move : llvm::reverse(factor.moves)) {
    IRMapping mapping;
    mapping.map(move->getOperand(0), value);
    auto type = cast<RankedTensorType>(move->getResult(0).getType());
    value = rewriter.clone(*move, mapping)->getResult(0);
    value.setType(type.clone(elementOf(factor.narrow)));
  }
  return value;
}

/// The scale as a tensor of one f32.
Value scaleOperand(const Scale &scale, Location loc, PatternRewriter &rewriter) {
  auto type = RankedTensorType::get({1}, rewriter.getF32Type());
  if (scale.constant) {
    APFloat number = cast<FloatAttr>(scale.constant).getValue();
    bool losesInfo;
    number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
    return graph::ConstantOp::create(rewriter, loc, DenseElementsAttr::get(type, number));
  }
  Value value = scale.value;
  if (!elementOf(value).isF32())
    value = graph::CastOp::create(
        rewriter, loc, cast<RankedTensorType>(value.getType()).clone(rewriter.getF32Type()), value);
  return value.getType() == type ? value
                                 : Value(graph::ReshapeOp::create(rewriter, loc, type, value));
}

struct Roles {
  SmallVector<int64_t> batch, contract;
};

/// Whether the tensor is one of the model's files, moved at most.
bool isParameter(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<graph::TransposeOp, graph::ReshapeOp, graph::BroadcastOp>(op))
      return false;
    value = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(value);
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return function && function.getArgAttr(argument.getArgNumber(), graph::kParameter);
}

/// The tensor with what is contracted innermost, as the units for 8-bit floats read it.
Value withContractedLast(Value value, Roles &roles, PatternRewriter &rewriter) {
  std::vector<int64_t> dims(cast<RankedTensorType>(value.getType()).getShape());
  std::vector<int64_t> contract(roles.contract.begin(), roles.contract.end());
  std::vector<int64_t> free =
      abi::freeDims(dims.size(), {roles.batch.begin(), roles.batch.end()}, contract);
  abi::StridedShape shape{dims, abi::rowMajorStrides(dims)};
  if (abi::canContract(shape, free, contract) && abi::collapse(shape, contract)->stride == 1)
    return value;
  SmallVector<int64_t> order(roles.batch);
  llvm::append_range(order, free);
  llvm::append_range(order, contract);
  int64_t numBatch = roles.batch.size(), numFree = free.size();
  roles.batch = llvm::to_vector(llvm::seq(numBatch));
  roles.contract = llvm::to_vector(llvm::seq<int64_t>(numBatch + numFree, order.size()));
  bool isOfFile = isParameter(value);
  value = graph::TransposeOp::create(rewriter, value.getLoc(), value, order);
  // Moved once, in "prepare", where it never changes; whoever computes a tensor may write it as it is needed.
  return isOfFile ? exec::ApplyOp::create(rewriter, value.getLoc(), value.getType(),
                                          abi::calls::copy, value, DictionaryAttr())
                        .getResult(0)
                  : value;
}

/// The extent of some dims as one.
int64_t extentOf(Value value, ArrayRef<int64_t> dims) {
  int64_t extent = 1;
  for (int64_t dim : dims)
    extent *= cast<RankedTensorType>(value.getType()).getDimSize(dim);
  return extent;
}

struct NarrowContract : OpRewritePattern<graph::ContractOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::ContractOp op, PatternRewriter &rewriter) const override {
    std::optional<Factor> lhs = findFactor(op.getLhs()), rhs = findFactor(op.getRhs());
    if (!lhs || !rhs)
      return rewriter.notifyMatchFailure(op, "not of two 8-bit floats, each times one number");
    auto result = abiElementType(elementOf(op.getResult()));
    if (!result || !abi::multipliesNarrow(*abiElementType(elementOf(lhs->narrow)),
                                          *abiElementType(elementOf(rhs->narrow)), *result))
      return rewriter.notifyMatchFailure(op, "GPUs have no product of these types");
    if (!abi::hasNarrowExtents(extentOf(op.getRhs(), op.getRhsFree()),
                               extentOf(op.getLhs(), op.getLhsContract())))
      return rewriter.notifyMatchFailure(op, "its extents are none of the units for 8-bit floats");
    Roles lhsRoles{SmallVector<int64_t>(op.getLhsBatch()),
                   SmallVector<int64_t>(op.getLhsContract())};
    Roles rhsRoles{SmallVector<int64_t>(op.getRhsBatch()),
                   SmallVector<int64_t>(op.getRhsContract())};
    SmallVector<Value> operands{
        withContractedLast(narrowOperand(*lhs, rewriter), lhsRoles, rewriter),
        withContractedLast(narrowOperand(*rhs, rewriter), rhsRoles, rewriter)};
    CallParams params(getContext());
    if (!lhsRoles.batch.empty())
      params.ints("lhs_batch", lhsRoles.batch).ints("rhs_batch", rhsRoles.batch);
    params.ints("lhs_contract", lhsRoles.contract).ints("rhs_contract", rhsRoles.contract);
    for (const Scale &scale : {lhs->scale, rhs->scale})
      if (scale)
        operands.push_back(scaleOperand(scale, op.getLoc(), rewriter));
    params.flag("has_lhs_scale", static_cast<bool>(lhs->scale));
    params.flag("has_rhs_scale", static_cast<bool>(rhs->scale));
    rewriter.replaceOpWithNewOp<exec::ApplyOp>(op, op->getResultTypes(), abi::calls::contract,
                                               operands, params.get());
    return success();
  }
};

struct NarrowProducts : impl::LoweringNarrowProductsPassBase<NarrowProducts> {
  using LoweringNarrowProductsPassBase::LoweringNarrowProductsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    set.add<NarrowContract>(context);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override { walkAndApplyPatterns(getOperation(), patterns); }

  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace sheaf::lowering
