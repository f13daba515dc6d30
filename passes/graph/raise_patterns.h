// The patterns of --graph-raise, a file per family of composites.
#ifndef SHEAF_PASSES_GRAPH_RAISE_PATTERNS_H
#define SHEAF_PASSES_GRAPH_RAISE_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace sheaf::graph {

void populateRaiseActivationPatterns(mlir::RewritePatternSet &patterns);
void populateRaiseSoftmaxPatterns(mlir::RewritePatternSet &patterns);
void populateRaiseNormPatterns(mlir::RewritePatternSet &patterns);
void populateRaiseAttentionPatterns(mlir::RewritePatternSet &patterns);
void populateRaiseRotaryPatterns(mlir::RewritePatternSet &patterns);

} // namespace sheaf::graph

#endif
