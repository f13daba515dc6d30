// Costs of elementwise ops: one flop per element of the result, each operand read once.
#include "dialects/graph/graph.h"
#include "dialects/graph/ops/op_cost.h"

using namespace sheaf;
using namespace sheaf::graph;

Cost UnaryOp::getCost() { return costOf(*this, getType().getNumElements()); }
Cost BinaryOp::getCost() { return costOf(*this, getType().getNumElements()); }
Cost CompareOp::getCost() { return costOf(*this, getType().getNumElements()); }
Cost SelectOp::getCost() { return costOf(*this, getType().getNumElements()); }
Cost CastOp::getCost() { return costOf(*this, getType().getNumElements()); }
