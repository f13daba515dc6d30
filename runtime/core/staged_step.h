// Instructions of "prepare" that read weights from where they are not aligned.
#ifndef SHEAF_RUNTIME_CORE_STAGED_STEP_H
#define SHEAF_RUNTIME_CORE_STAGED_STEP_H

#include "runtime/core/variables.h"

namespace sheaf::rt {

/// An operand to be read from a copy of a variable.
struct StagedOperand {
  size_t operand;           ///< among the ins, then the outs
  const StagedValue *value; ///< outlives the step
  int64_t offset;           ///< of the operand within what the rank holds of it
};

/// A step that copies the values of `staged` to blocks, runs `inner` with them, and gives the blocks back: they exist
/// only while it runs. `account` is charged; both it and `device` must outlive the result.
std::unique_ptr<Step> stageOperands(std::unique_ptr<Step> inner, size_t numOperands,
                                    std::vector<StagedOperand> staged, Device &device,
                                    MemoryAccount &account);

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_STAGED_STEP_H
