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

/// True when all uses of the memory behind `weights` end in this call.
bool hasOneUser(Value weights) {
  while (true) {
    if (!weights.hasOneUse())
      return false;
    Operation *producer = weights.getDefiningOp();
    if (!isa_and_nonnull<graph::TransposeOp, graph::ReshapeOp>(producer))
      return true;
    weights = producer->getOperand(0);
  }
}

struct PackWeights : impl::LoweringPackWeightsPassBase<PackWeights> {
  using LoweringPackWeightsPassBase::LoweringPackWeightsPassBase;

  void runOnOperation() override {
    Invariants invariants(getOperation());
    for (auto call : llvm::make_early_inc_range(getOperation().getOps<exec::ApplyOp>()))
      if (call.getCallee() == abi::calls::conv || call.getCallee() == abi::calls::contract)
        pack(call, invariants);
  }

  void pack(exec::ApplyOp call, const Invariants &invariants) {
    Value weights = call.getIns()[1];
    auto type = cast<RankedTensorType>(weights.getType());
    if (!invariants.contains(weights) || invariants.contains(call.getIns()[0]) ||
        type.getNumElements() == 0 || !isa<Float32Type, BFloat16Type>(type.getElementType()) ||
        !hasOneUser(weights))
      return;
    std::optional<int64_t> bytes = packedBytes(call, type);
    if (!bytes)
      return;
    OpBuilder builder(call);
    auto packedType = RankedTensorType::get(type.getShape(), type.getElementType(),
                                            exec::PackedAttr::get(&getContext(), *bytes));
    auto pack =
        exec::ApplyOp::create(builder, call.getLoc(), TypeRange(packedType),
                              abi::calls::packWeights, ValueRange(weights), call.getParamsAttr());
    auto input = cast<RankedTensorType>(call.getIns()[0].getType());
    auto result = cast<RankedTensorType>(call.getResultTypes()[0]);
    pack.setParam("consumer", builder.getStringAttr(call.getCallee()));
    pack.setParam("lhs_dims", builder.getDenseI64ArrayAttr(input.getShape()));
    pack.setParam("result_type", builder.getI64IntegerAttr(static_cast<int64_t>(
                                     *abiElementType(result.getElementType()))));
    call.setOperand(1, pack.getOuts()[0]);
    call.setParam("weights_packed", builder.getBoolAttr(true));
  }
};

} // namespace
} // namespace sheaf::lowering
