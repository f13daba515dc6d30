// Softmax that gives zeros where no score is finite.
#ifndef SHEAF_PASSES_GRAPH_VISIBLE_SOFTMAX_H
#define SHEAF_PASSES_GRAPH_VISIBLE_SOFTMAX_H

#include "dialects/graph/graph.h"

namespace sheaf::graph {

/// The softmax over the last dim whose rows of `-inf` alone `select` replaces by zeros; null if
/// `select` is something else, or the softmax has other uses. Exporters compare the weights with
/// themselves (NaN) or the highest score with `-inf`.
SoftmaxOp visibleSoftmax(SelectOp select);

} // namespace sheaf::graph

#endif
