// Refuses what a device has no call for, each use by its node, all in one run.
#include "passes/lowering/emit/element_types.h"
#include "passes/lowering/passes.h"
#include "runtime/abi/cuda_calls.h"

#include "dialects/exec/exec.h"

namespace sheaf::lowering {
#define GEN_PASS_DEF_LOWERINGCHECKCALLSPASS
#include "passes/lowering/passes.h.inc"

using namespace mlir;

namespace {

bool combines(exec::ApplyOp call) {
  return call.getCallee() == abi::calls::allReduce || call.getCallee() == abi::calls::reduceScatter;
}

LogicalResult checkForCuda(exec::ApplyOp call) {
  if (!llvm::is_contained(abi::cudaCalls, call.getCallee()))
    return call.emitError() << "GPUs have no call \"" << call.getCallee()
                            << "\"; compile for the host";
  if (!combines(call))
    return success();
  for (Value part : call.getIns()) {
    Type element = getElementTypeOrSelf(part.getType());
    std::optional<abi::ElementType> known = abiElementType(element);
    if (known && abi::cudaCombines(*known))
      continue;
    // The call stands where the result is needed; what there is to change is what makes the parts.
    Operation *sum = part.getDefiningOp();
    return emitError(sum ? sum->getLoc() : call.getLoc())
           << "ranks with GPUs can't combine elements of " << element
           << ", which NCCL does not have; cast them to a wider type before";
  }
  return success();
}

struct CheckCalls : impl::LoweringCheckCallsPassBase<CheckCalls> {
  using LoweringCheckCallsPassBase::LoweringCheckCallsPassBase;

  void runOnOperation() override {
    if (device == Device::host)
      return; // Has all.
    bool isAnyMissing = false;
    for (auto call : getOperation().getOps<exec::ApplyOp>())
      isAnyMissing |= failed(checkForCuda(call)); // Keep going: one run reports all of them.
    if (isAnyMissing)
      signalPassFailure();
  }
};

} // namespace
} // namespace sheaf::lowering
