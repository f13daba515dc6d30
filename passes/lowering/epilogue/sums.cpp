// Lets contractions sum up rows that they read or write anyway: gradients of biases.
#include "passes/lowering/epilogue/epilogue.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace sheaf::lowering {
namespace {

int64_t numElements(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getNumElements();
}

/// Whether `dims` are the outermost of so many dims, in order: what is left are rows of the row-major tensor.
bool areOutermost(ArrayRef<int64_t> dims) {
  return llvm::equal(dims, llvm::seq<int64_t>(0, dims.size()));
}

/// Whether the call, which reads `rows` as operand `index`, sums it up over what the reduction does.
bool contractsRows(exec::ApplyOp call, unsigned index, graph::ReduceOp sum) {
  auto dims = dyn_cast_or_null<DenseI64ArrayAttr>(
      call.getParam(index == 0 ? "lhs_contract" : "rhs_contract"));
  if (index > 1 || !dims || !areOutermost(dims))
    return false;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(call.getIns()[index].getType()).getShape();
  int64_t free = 1;
  for (int64_t extent : shape.drop_front(dims.size()))
    free *= extent;
  return free == numElements(sum.getResult());
}

/// Whether cuBLASLt may write sums beside this product. It does not scale them, which nothing documents: so there is to
/// be no alpha.
bool mayAddSums(exec::ApplyOp call, graph::ReduceOp sum) {
  return isPlainProduct(call) && call.getNumResults() == 1 && !call.getParam("alpha") &&
         getElementTypeOrSelf(call.getResultTypes()[0]) == getElementTypeOrSelf(sum.getType());
}

/// Whether `value` is there before `op`, at least in another shape.
bool isBefore(Value value, Operation *op) {
  Operation *producer = throughReshapes(value).getDefiningOp();
  return !producer || producer->getBlock() != op->getBlock() || producer->isBeforeInBlock(op);
}

/// Where the call has all it reads, and whoever reads its results or `sum` comes later; null: there is no such place.
Operation *placeFor(exec::ApplyOp call, graph::ReduceOp sum) {
  if (llvm::all_of(sum->getUsers(), [&](Operation *user) {
        return call->getBlock() == user->getBlock() && call->isBeforeInBlock(user);
      }))
    return call;
  bool isCallLater = call->getBlock() == sum->getBlock() && sum->isBeforeInBlock(call);
  bool isReady = llvm::all_of(call.getIns(), [&](Value in) { return isBefore(in, sum); });
  return isCallLater && isReady ? sum.getOperation() : nullptr;
}

/// Puts a call that gives `of` ("lhs", "rhs" or "result") summed up as well in place of both.
void addSums(exec::ApplyOp call, graph::ReduceOp sum, StringRef of, Operation *place) {
  IRRewriter rewriter(place);
  auto type = cast<RankedTensorType>(call.getResultTypes()[0]);
  ColumnDims columns = columnDims(call);
  SmallVector<int64_t> shape(type.getShape().slice(columns.first, columns.count));
  if (of == "lhs")
    shape.assign(type.getShape().begin(), type.getShape().begin() + columns.first);
  SmallVector<Value> ins;
  for (Value in : call.getIns()) // A reshape may come after the place.
    ins.push_back(place == call ? in
                                : reshaped(rewriter, in.getLoc(), throughReshapes(in),
                                           cast<RankedTensorType>(in.getType())));
  auto both = exec::ApplyOp::create(rewriter, rewriter.getFusedLoc({call.getLoc(), sum.getLoc()}),
                                    TypeRange{type, type.clone(shape)}, call.getCallee(), ins,
                                    call.getParamsAttr());
  both.setParam("sums", rewriter.getStringAttr(of));
  rewriter.replaceOp(sum, reshaped(rewriter, sum.getLoc(), both.getResult(1), sum.getType()));
  rewriter.replaceOp(call, both.getResult(0));
}

/// The gradient of a weight reads the rows of the gradient that the bias's sums up.
bool sumOperand(graph::ReduceOp sum, Value root) {
  SmallVector<Value> names{root};
  for (size_t i = 0; i < names.size(); ++i)
    for (Operation *user : names[i].getUsers())
      if (auto reshape = dyn_cast<graph::ReshapeOp>(user))
        names.push_back(reshape.getResult());
  for (Value name : names)
    for (OpOperand &use : name.getUses()) {
      auto call = dyn_cast<exec::ApplyOp>(use.getOwner());
      if (!call || !mayAddSums(call, sum) || call.getParam("activation") ||
          call.getParam("derivative") || call.getParam("has_bias") ||
          !contractsRows(call, use.getOperandNumber(), sum))
        continue;
      if (Operation *place = placeFor(call, sum)) {
        addSums(call, sum, use.getOperandNumber() == 0 ? "lhs" : "rhs", place);
        return true;
      }
    }
  return false;
}

/// What a weight that is not trained has no product for: the rows of the product that wrote the gradient.
void sumResult(graph::ReduceOp sum, Value root) {
  auto call = root.getDefiningOp<exec::ApplyOp>();
  if (!call || !mayAddSums(call, sum) || !call.getParam("derivative"))
    return;
  int64_t free = 1;
  ColumnDims columns = columnDims(call);
  auto type = cast<RankedTensorType>(call.getResultTypes()[0]);
  for (int64_t extent : type.getShape().slice(columns.first, columns.count))
    free *= extent;
  if (free == numElements(sum.getResult()))
    addSums(call, sum, "result", call);
}

} // namespace

void absorbSums(Operation *module) {
  SmallVector<graph::ReduceOp> sums;
  module->walk([&](graph::ReduceOp reduce) {
    if (reduce.getKind() == graph::ReduceKind::sum && !reduce->use_empty() &&
        !reduce.getDims().empty() && areOutermost(reduce.getDims()))
      sums.push_back(reduce);
  });
  for (graph::ReduceOp sum : sums) {
    Value root = throughReshapes(sum.getOperand());
    if (!sumOperand(sum, root))
      sumResult(sum, root);
  }
}

} // namespace sheaf::lowering
