// The dist dialect: attributes and ops.
#ifndef SHEAF_DIALECTS_DIST_DIST_H
#define SHEAF_DIALECTS_DIST_DIST_H

#include "dialects/support/operand_window.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/dist/dist_base.h.inc"
#include "dialects/dist/dist_enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/dist/dist_attrs.h.inc"

namespace sheaf::dist {
/// The sharding of a function argument or result.
inline constexpr llvm::StringLiteral kSharding("dist.sharding");
/// The shardings of an op's results, an array.
inline constexpr llvm::StringLiteral kShardings("dist.shardings");
/// On an op, a string: the factors of its rule that propagation leaves alone.
inline constexpr llvm::StringLiteral kBlocked("dist.blocked");
/// On a function, a #dist.axes: ops whose operands are cut along these axes share their work along them, even where
/// gathering an operand would send less.
inline constexpr llvm::StringLiteral kSharedAxes("dist.shared_axes");
/// The type of the whole tensor, on arguments and results of partitioned functions.
inline constexpr llvm::StringLiteral kWhole("dist.whole");
/// On an op, an array of strings, one for each result: the parameter that it is, or is the gradient of, on its way to
/// or from where that is stored.
inline constexpr llvm::StringLiteral kParameters("dist.parameters");
/// On an op that brings a stored parameter (`dist.parameters`) to where it is used, a unit: it does so a second time,
/// for the backward pass.
inline constexpr llvm::StringLiteral kGatheredAgain("dist.gathered_again");
/// On the argument of a parameter, an i64: parameters of equal numbers are needed together.
inline constexpr llvm::StringLiteral kGroup("dist.group");
} // namespace sheaf::dist

#define GET_OP_CLASSES
#include "dialects/dist/dist_ops.h.inc"

#endif
