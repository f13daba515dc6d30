// Stores weights in the layout that the library multiplies fastest with.
#include "passes/lowering/emit/element_types.h"
#include "passes/lowering/invariants.h"
#include "passes/lowering/passes.h"

#include "runtime/abi/calls.h"
#include "runtime/abi/packed_bytes.h"

namespace sheaf::lowering {
#define GEN_PASS_DEF_LOWERINGPACKWEIGHTSPASS
#include "passes/lowering/passes.h.inc"

using namespace mlir;

namespace {

ArrayRef<int64_t> intsParam(exec::ApplyOp call, StringRef name) {
  auto ints = dyn_cast_or_null<DenseI64ArrayAttr>(call.getParam(name));
  return ints ? ints.asArrayRef() : ArrayRef<int64_t>();
}

/// Bytes of the packed form; none when it does not pay.
std::optional<int64_t> packedBytes(exec::ApplyOp call, RankedTensorType weights) {
  constexpr int64_t smallest = 16;
  int64_t elementBytes = exec::BufferType::of(weights).getElementBytes();
  if (call.getCallee() == abi::calls::conv) {
    auto groups = dyn_cast_or_null<IntegerAttr>(call.getParam("groups"));
    return abi::packedConvBytes(std::vector<int64_t>(weights.getShape()),
                                groups ? groups.getInt() : 1, elementBytes);
  }
  if (call.getCallee() != abi::calls::contract || !intsParam(call, "rhs_batch").empty())
    return std::nullopt;
  int64_t rows = 1;
  for (int64_t dim : intsParam(call, "rhs_contract"))
    rows *= weights.getDimSize(dim);
  if (rows < smallest || weights.getNumElements() / rows < smallest)
    return std::nullopt;
  return abi::packedContractBytes(/*batch=*/1, rows, weights.getNumElements() / rows, elementBytes);
}

/// What calls take as weights: operand 1.
constexpr unsigned weightsIndex = 1;

bool isView(Operation *op) { return isa_and_nonnull<graph::TransposeOp, graph::ReshapeOp>(op); }

/// The uses of the memory behind `weights`, but for those that only look at it in another way.
SmallVector<OpOperand *> usesOfMemory(Value weights) {
  while (isView(weights.getDefiningOp()))
    weights = weights.getDefiningOp()->getOperand(0);
  SmallVector<OpOperand *> uses;
  SmallVector<Value> same = {weights};
  while (!same.empty())
    for (OpOperand &use : same.pop_back_val().getUses())
      if (isView(use.getOwner()))
        same.push_back(use.getOwner()->getResult(0));
      else
        uses.push_back(&use);
  return uses;
}

struct PackWeights : impl::LoweringPackWeightsPassBase<PackWeights> {
  using LoweringPackWeightsPassBase::LoweringPackWeightsPassBase;

  void runOnOperation() override {
    Invariants invariants(getOperation());
    llvm::MapVector<Operation *, int64_t> gaining; // with the bytes of the packed form
    for (auto call : getOperation().getOps<exec::ApplyOp>())
      if (std::optional<int64_t> bytes = gains(call, invariants))
        gaining.insert({call, *bytes});
    // Weights that another use needs as they are would be in memory twice.
    gaining.remove_if([&, all = gaining](const auto &entry) {
      return !llvm::all_of(usesOfMemory(weightsOf(entry.first)), [&](OpOperand *use) {
        return use->getOperandNumber() == weightsIndex && all.contains(use->getOwner());
      });
    });
    for (auto [call, bytes] : gaining)
      pack(cast<exec::ApplyOp>(call), bytes);
    packs.clear();
  }

  static Value weightsOf(Operation *call) { return call->getOperand(weightsIndex); }

  /// The bytes of the packed weights of `call`, if that gains by them.
  static std::optional<int64_t> gains(exec::ApplyOp call, const Invariants &invariants) {
    if (call.getCallee() != abi::calls::conv && call.getCallee() != abi::calls::contract)
      return std::nullopt;
    auto type = cast<RankedTensorType>(weightsOf(call).getType());
    if (!invariants.contains(weightsOf(call)) || invariants.contains(call.getIns()[0]) ||
        type.getNumElements() == 0 || !isa<Float32Type, BFloat16Type>(type.getElementType()))
      return std::nullopt;
    return packedBytes(call, type);
  }

  void pack(exec::ApplyOp call, int64_t bytes) {
    Value weights = weightsOf(call);
    auto type = cast<RankedTensorType>(weights.getType());
    OpBuilder builder(call);
    auto packedType = RankedTensorType::get(type.getShape(), type.getElementType(),
                                            exec::PackedAttr::get(&getContext(), bytes));
    auto pack =
        exec::ApplyOp::create(builder, call.getLoc(), TypeRange(packedType),
                              abi::calls::packWeights, ValueRange(weights), call.getParamsAttr());
    auto input = cast<RankedTensorType>(call.getIns()[0].getType());
    auto result = cast<RankedTensorType>(call.getResultTypes()[0]);
    pack.setParam("consumer", builder.getStringAttr(call.getCallee()));
    pack.setParam("lhs_dims", builder.getDenseI64ArrayAttr(input.getShape()));
    pack.setParam("result_type", builder.getI64IntegerAttr(static_cast<int64_t>(
                                     *abiElementType(result.getElementType()))));
    // Calls that ask the same of the same weights share them.
    auto [known, isNew] = packs.insert({{weights, pack.getParamsAttr()}, pack.getOuts()[0]});
    if (!isNew)
      pack.erase();
    call.setOperand(weightsIndex, known->second);
    call.setParam("weights_packed", builder.getBoolAttr(true));
  }

  llvm::DenseMap<std::pair<Value, Attribute>, Value>
      packs; ///< by weights and what is asked of them
};

} // namespace
} // namespace sheaf::lowering
