// What all spellings of attention become.
#ifndef SHEAF_IMPORTERS_ONNX_ATTENTION_FORM_H
#define SHEAF_IMPORTERS_ONNX_ATTENTION_FORM_H

#include "importers/onnx/node.h"

namespace sheaf::onnx {

/// Which stage of the scores an operator gives as an extra output.
enum class ScoreStage { raw, capped, biased, softmax };

/// Operands in `[b, h, s, d]` form; `g` key heads with `h` a multiple of `g`.
struct AttentionForm {
  mlir::Value query, key, value;
  /// Boolean (true: visible) and float (added) masks that broadcast to `[b, h, s, t]`; null for none.
  mlir::Value visible, bias;
  double scale = 1, softcap = 0;
  /// Query `i` sees keys up to `i + t - s`.
  bool isCausal = false;
};

/// `[b, s, h d]` to `[b, h, s, d]`; fails the node when the width is no multiple of `numHeads`.
mlir::Value splitHeads(Node &n, mlir::Value value, int64_t numHeads);
/// `[b, h, s, d]` to `[b, s, h d]`.
mlir::Value mergeHeads(Node &n, mlir::Value value);

/// True where query `i` (plus `offset`, rank 0 or `[b, 1, 1, 1]`) sees key `j`: `i + offset - left <= j
/// <= i + offset + right`; a side of -1 is open. Shape `[s, t]` or `[b, 1, s, t]`.
mlir::Value windowMask(Node &n, int64_t s, int64_t t, mlir::Value offset, int64_t left,
                       int64_t right);

/// Both masks, either may be null.
mlir::Value bothVisible(Node &n, mlir::Value lhs, mlir::Value rhs);

/// The attention of `form`, `[b, h, s, e]`. A query that sees no key gives zeros.
mlir::Value attend(Node &n, const AttentionForm &form);

/// The scores of `form` at a stage, `[b, h, s, t]`.
mlir::Value attentionScores(Node &n, const AttentionForm &form, ScoreStage stage);

} // namespace sheaf::onnx

#endif
