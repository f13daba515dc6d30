// What elementwise kinds and reductions compute, one element at a time.
#ifndef SHEAF_DIALECTS_GRAPH_FOLD_ARITHMETIC_H
#define SHEAF_DIALECTS_GRAPH_FOLD_ARITHMETIC_H

#include "dialects/graph/fold/element.h"
#include "dialects/graph/graph.h"

namespace sheaf::graph {

// The meaning of the kinds is in the descriptions of the ops. Where they leave a value unspecified
// (division of integers by zero), it is 0. None when the type cannot hold the answer.

std::optional<Bits> evaluate(UnaryKind kind, const Element &element, Bits operand);
std::optional<Bits> evaluate(BinaryKind kind, const Element &element, Bits lhs, Bits rhs);
bool evaluate(CompareKind kind, const Element &element, Bits lhs, Bits rhs);

/// The combination of no elements.
std::optional<Bits> neutralOf(ReduceKind kind, const Element &element);
/// The elementwise kind that combines two elements.
BinaryKind combinerOf(ReduceKind kind);

} // namespace sheaf::graph

#endif
