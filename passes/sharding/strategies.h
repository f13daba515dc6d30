// Strategies: annotations by the structure of a model, whatever its names are.
#ifndef SHEAF_PASSES_SHARDING_STRATEGIES_H
#define SHEAF_PASSES_SHARDING_STRATEGIES_H

#include "passes/sharding/weight_use.h"

namespace sheaf::sharding {

/// What a strategy annotates, and with which axis.
struct StrategyTarget {
  mlir::func::FuncOp function;
  Annotator &annotator;
  const Weights &weights;
  dist::Axis axis; ///< the first of `axes`
  dist::AxisList axes;
};

/// Each annotates what fits it and returns how many places that is.

/// Cuts the batch: dim 0 of each input whose extent is that of dim 0 of the first input.
unsigned cutBatch(const StrategyTarget &target);
/// Cuts heads of attention, hidden dims between two products with weights, the vocabulary of lookups by an
/// input and of products that are outputs. What is not said follows by propagation: the products before
/// heads by columns, those after them by rows.
unsigned cutTensors(const StrategyTarget &target);
/// Cuts the sequence of what norms before products with weights read.
unsigned cutSequence(const StrategyTarget &target);

/// Whether the strategy or layout of that name cuts the batch and nothing else that products have.
bool cutsBatchAlone(llvm::StringRef name);

} // namespace sheaf::sharding

#endif
