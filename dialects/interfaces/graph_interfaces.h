// C++ side of the op interfaces.
#ifndef SHEAF_DIALECTS_INTERFACES_GRAPH_INTERFACES_H
#define SHEAF_DIALECTS_INTERFACES_GRAPH_INTERFACES_H

#include "dialects/interfaces/dim_aligner.h"
#include "dialects/interfaces/emitter.h"
#include "dialects/interfaces/iteration_space.h"
#include "dialects/interfaces/local_shards.h"
#include "dialects/support/cost.h"
#include "dialects/support/factor_rule.h"
#include "dialects/support/operand_window.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace sheaf {
/// Operands of an op, by their index.
using OperandSet = llvm::SmallVector<unsigned, 2>;
} // namespace sheaf

#include "dialects/interfaces/graph_interfaces.h.inc"

#endif
