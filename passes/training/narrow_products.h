// Which products of a training step are of 8-bit floats, and the scales that they are rounded with.
#ifndef SHEAF_PASSES_TRAINING_NARROW_PRODUCTS_H
#define SHEAF_PASSES_TRAINING_NARROW_PRODUCTS_H

#include "dialects/graph/graph.h"
#include "llvm/ADT/DenseMap.h"

namespace sheaf::training {

/// Products with weights take their operands in 8 bits: activations and weights in f8E4M3FN, gradients in f8E5M2
/// (Micikevicius et al., "FP8 Formats for Deep Learning", 2022). Each tensor is divided by one scale, what its largest
/// number is to the largest of the type, as it is in this very step ("current scaling" of Transformer Engine).
/// Gradients are those of products that are not rounded. Slices of one weight that are multiplied by one activation
/// have the scale of the weight, as if there were one product; the gradients of their results have a scale each.
///
/// All of it is in ordinary ops on whole tensors, so scales are those of all ranks. What is rounded to 8 bits has been
/// rounded to the 16 of its type before, wherever it comes from: else kernels, which layouts cut, would decide that.
/// Left as they are: products behind which there is none with a weight any more, since logits need the precision;
/// those of two activations, as in attention; and those with extents that are no multiples of 16, which units for
/// 8-bit floats don't take.
class NarrowProducts {
public:
  /// Finds products among the ops of `block` so far. `weights` are what is trained, as the block has it.
  NarrowProducts(mlir::Block &block, llvm::ArrayRef<mlir::Value> weights);

  bool isEmpty() const { return products.empty(); }

  /// Rounds the operands of these products, and of those that have been built since for their gradients.
  void apply();

private:
  mlir::Block &block;
  mlir::Operation *last; ///< of those in which products were sought; null: there were none
  llvm::SmallVector<graph::ContractOp> products;
  /// What is a part of a weight, and that: where one product has been made several.
  llvm::DenseMap<mlir::Value, mlir::Value> parts;
};

} // namespace sheaf::training

#endif
