// Recognizes the causal mask, however it is written.
#ifndef SHEAF_PASSES_GRAPH_CAUSAL_H
#define SHEAF_PASSES_GRAPH_CAUSAL_H

#include "passes/graph/view.h"

namespace sheaf::graph {

/// A number so low that adding it to a score leaves the number, or hides the score by infinity.
bool isHiding(double value);

/// Whether a boolean view of scores `[.., s, t]` holds exactly where key `j <= i + t - s` for query
/// `i`: a constant, or a comparison of positions. With `isHidden` it holds exactly elsewhere.
bool isCausal(const View &predicate, bool isHidden);

/// Whether a float view of scores is 0 where `isCausal` holds and hides the scores elsewhere.
bool isCausalAddend(const View &mask);

} // namespace sheaf::graph

#endif
