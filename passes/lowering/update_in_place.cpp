// Lets variables be updated where they are, instead of in new memory that is copied at the end.
#include "passes/analysis/liveness.h"
#include "passes/lowering/kernel/kernel_dialects.h"
#include "passes/lowering/overwrite.h"
#include "passes/lowering/passes.h"
#include "runtime/abi/calls.h"

namespace sheaf::lowering {
#define GEN_PASS_DEF_LOWERINGUPDATEINPLACEPASS
#include "passes/lowering/passes.h.inc"

using namespace mlir;

namespace {

/// One program at work.
class Updates {
public:
  Updates(exec::ProgramOp program, OverwriteRules &rules) : rules(rules) {
    for (Operation &op : program.getBlock()) {
      if (!isInstruction(&op))
        continue;
      int64_t step = instructions.size();
      instructions.push_back(&op);
      for (Value buffer : op.getOperands())
        if (SmallVector<int64_t> &steps = touches[memoryOf(buffer)];
            steps.empty() || steps.back() != step)
          steps.push_back(step);
    }
  }

  void run() {
    for (int64_t step = instructions.size() - 1; step >= 0; --step)
      if (std::optional<Copy> copy = updateAt(step); copy && canWriteInPlace(*copy))
        writeInPlace(*copy);
  }

private:
  /// The copy of a whole buffer of the arena to a whole variable.
  struct Copy {
    int64_t step;
    Value from, variable;
  };

  std::optional<Copy> updateAt(int64_t step) const;
  bool canWriteInPlace(const Copy &copy);
  void writeInPlace(const Copy &copy);

  OverwriteRules &rules;
  SmallVector<Operation *> instructions;
  DenseMap<Value, SmallVector<int64_t>> touches; ///< the steps that touch some memory, in order
};

std::optional<Updates::Copy> Updates::updateAt(int64_t step) const {
  auto call = dyn_cast<exec::CallOp>(instructions[step]);
  if (!call || call.getCallee() != abi::calls::copy)
    return std::nullopt;
  Value from = call.getIns().front(), to = call.getOuts().front();
  if (!from.getDefiningOp<exec::BufferOp>() || !to.getDefiningOp<exec::GetOp>() ||
      from.getType() != to.getType())
    return std::nullopt;
  return Copy{step, from, to};
}

/// Between the first write of the new value and the copy nothing may want the old one, but the instruction of that
/// write itself where it reads each element before it writes that place.
bool Updates::canWriteInPlace(const Copy &copy) {
  ArrayRef<int64_t> ofNew = touches[copy.from];
  int64_t first = ofNew.front();
  if (ofNew.back() != copy.step)
    return false;
  for (int64_t step : touches[copy.variable])
    if (step > first && step < copy.step)
      return false;
  Operation *writer = instructions[first];
  auto out = llvm::find(writtenBuffers(writer), copy.from);
  if (out == writtenBuffers(writer).end())
    return false;
  if (!llvm::is_contained(touches[copy.variable], first))
    return true;
  auto in = llvm::find(readBuffers(writer), copy.variable);
  return in != readBuffers(writer).end() &&
         rules.mayOverwrite(writer, in - readBuffers(writer).begin(),
                            out - writtenBuffers(writer).begin());
}

void Updates::writeInPlace(const Copy &copy) {
  Operation *buffer = copy.from.getDefiningOp(), *get = copy.variable.getDefiningOp();
  if (buffer->isBeforeInBlock(get))
    get->moveBefore(buffer);
  instructions[copy.step]->erase();
  Value from = copy.from;
  from.replaceAllUsesWith(copy.variable);
  // Both are in order; the copy is gone.
  SmallVector<int64_t> ofNew = touches[copy.from], merged;
  ofNew.pop_back();
  llvm::erase(touches[copy.variable], copy.step);
  std::merge(ofNew.begin(), ofNew.end(), touches[copy.variable].begin(),
             touches[copy.variable].end(), std::back_inserter(merged));
  merged.erase(std::unique(merged.begin(), merged.end()), merged.end());
  touches[copy.variable] = merged;
  touches.erase(copy.from);
  buffer->erase();
}

struct UpdateInPlace : impl::LoweringUpdateInPlacePassBase<UpdateInPlace> {
  using LoweringUpdateInPlacePassBase::LoweringUpdateInPlacePassBase;

  void runOnOperation() override {
    OverwriteRules rules(getOperation(), device);
    for (auto program : getOperation().getOps<exec::ProgramOp>())
      Updates(program, rules).run();
  }
};

} // namespace
} // namespace sheaf::lowering
