// Lists the kinds of losses.
#include "passes/training/loss_form.h"

#include "llvm/ADT/STLExtras.h"

namespace sheaf::training {

llvm::ArrayRef<LossForm> lossForms() {
  static constexpr LossForm forms[] = {
      {LossKind::crossEntropy, "cross_entropy", "logits", "labels"},
      {LossKind::causal, "causal_lm", "logits", "input_ids", /*isTargetImplied=*/true},
      {LossKind::squares, "mse", "output", "target"},
      {LossKind::output, "output", "name", ""},
  };
  return forms;
}

const LossForm *findLossForm(llvm::StringRef name) {
  const auto *found =
      llvm::find_if(lossForms(), [&](const LossForm &form) { return form.name == name; });
  return found == lossForms().end() ? nullptr : found;
}

} // namespace sheaf::training
