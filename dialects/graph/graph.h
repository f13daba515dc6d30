// The graph dialect: attributes, ops and the names of its function attributes.
#ifndef SHEAF_DIALECTS_GRAPH_GRAPH_H
#define SHEAF_DIALECTS_GRAPH_GRAPH_H

#include "dialects/interfaces/graph_interfaces.h"
#include "dialects/support/stored_size.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/graph/graph_base.h.inc"
#include "dialects/graph/graph_enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/graph/graph_attrs.h.inc"

namespace sheaf::graph {
/// Fails, with an error at `location` if there is one, unless every operand is a statically shaped
/// tensor of floats or integers.
llvm::LogicalResult checkTensorOperands(std::optional<mlir::Location> location,
                                        mlir::ValueRange operands);
} // namespace sheaf::graph

#define GET_OP_CLASSES
#include "dialects/graph/graph_ops.h.inc"

namespace sheaf::graph {

// Attributes of the arguments and results of a model's function. Each of the
// first five holds the value's name in the model file.
inline constexpr llvm::StringLiteral kInput("graph.input");
inline constexpr llvm::StringLiteral kParameter("graph.parameter");
inline constexpr llvm::StringLiteral kState("graph.state");
inline constexpr llvm::StringLiteral kOutput("graph.output");
/// On a state that belongs to a parameter: its name.
inline constexpr llvm::StringLiteral kStateOf("graph.state_of");
/// On a result: the parameter or state of that name has this value from then on.
inline constexpr llvm::StringLiteral kUpdate("graph.update");
/// On a parameter (a unit): it stays in memory as it is, since programs update or save it.
inline constexpr llvm::StringLiteral kKept("graph.kept");
/// On an input that is fed samples (an i64): a sample of such elements counts for nothing.
inline constexpr llvm::StringLiteral kPadding("graph.padding");
/// On a function: the name of its program; "forward" without one.
inline constexpr llvm::StringLiteral kProgram("graph.program");
/// On a function: dim 0 of every input counts so many micro-batches (an i64).
inline constexpr llvm::StringLiteral kMicroBatches("graph.micro_batches");
/// Where the argument's value is stored, an ElementsAttr or `#graph.external`: the first
/// value of a parameter or state, the default of an input that need not be fed.
inline constexpr llvm::StringLiteral kSource("graph.source");

/// The function, and program, that runs once when an executable is loaded: it gives variables their first values.
inline constexpr llvm::StringLiteral kPrepare("prepare");

/// On a batch_norm that is trained (an f64): the part of its running statistics that stays from batch to batch; 0.9
/// without one.
inline constexpr llvm::StringLiteral kMomentum("graph.momentum");

// Units on a cast between floats whose operand ranks may hold in parts that add up to it. Without one of them parts
// are widened, but only their sum is narrowed.
/// Each rank rounds its part, and the parts of the result are added up.
inline constexpr llvm::StringLiteral kRoundsParts("graph.rounds_parts");
/// Parts are added up before, in the type of the operand.
inline constexpr llvm::StringLiteral kWaitsForSum("graph.waits_for_sum");

} // namespace sheaf::graph

#endif
