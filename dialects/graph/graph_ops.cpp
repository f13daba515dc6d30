// The generated parts of the graph ops.
#include "dialects/graph/graph.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/graph/graph_ops.cpp.inc"
