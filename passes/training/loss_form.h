// How losses are written.
#ifndef SHEAF_PASSES_TRAINING_LOSS_FORM_H
#define SHEAF_PASSES_TRAINING_LOSS_FORM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace sheaf::training {

enum class LossKind { crossEntropy, causal, squares, output };

/// The text of a loss of one kind: `NAME:OUTPUT,TARGET`, or `NAME:OUTPUT` if it has no target.
struct LossForm {
  LossKind kind;
  llvm::StringLiteral name;
  /// What the output of the model and the target are called; the latter is empty if there is none.
  llvm::StringLiteral output, target;
  /// Whether a text without a target means the input that is called like that.
  bool isTargetImplied = false;
};

llvm::ArrayRef<LossForm> lossForms();

/// The form of the losses that are called `name`; null without.
const LossForm *findLossForm(llvm::StringRef name);

} // namespace sheaf::training

#endif
