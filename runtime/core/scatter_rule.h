// How scatters put updates onto elements.
#ifndef SHEAF_RUNTIME_CORE_SCATTER_RULE_H
#define SHEAF_RUNTIME_CORE_SCATTER_RULE_H

#include "runtime/core/element.h"
#include "runtime/core/params.h"

namespace sheaf::rt {

enum class ScatterKind : int32_t { set, add, multiply, maximum, minimum };

/// A kind, and the type as which elements are combined.
struct ScatterRule {
  ScatterKind kind;
  abi::ElementType type;
};

/// What the parameter "kind" says (set, add, mul, max, min), for elements of `type`. Setting moves elements of any
/// type, as unsigned integers of their size; booleans combine as the integers 0 and 1 do under maximum and minimum; NaN
/// wins from either side.
Result<ScatterRule> readScatterRule(Params &params, abi::ElementType type);

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_SCATTER_RULE_H
