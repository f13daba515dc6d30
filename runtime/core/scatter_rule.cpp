// Reads how a scatter combines elements.
#include "runtime/core/scatter_rule.h"

namespace sheaf::rt {
namespace {

abi::ElementType unsignedOfSize(int64_t bytes) {
  switch (bytes) {
  case 1:
    return abi::ElementType::ui8;
  case 2:
    return abi::ElementType::ui16;
  case 4:
    return abi::ElementType::ui32;
  default:
    return abi::ElementType::ui64;
  }
}

} // namespace

Result<ScatterRule> readScatterRule(Params &params, abi::ElementType type) {
  auto kind =
      static_cast<ScatterKind>(params.choice("kind", {"set", "add", "mul", "max", "min"}, 0));
  if (kind == ScatterKind::set)
    return ScatterRule{kind, unsignedOfSize(abi::bytesOf(type))};
  if (type == abi::ElementType::boolean) {
    type = abi::ElementType::ui8;
    kind = kind == ScatterKind::add        ? ScatterKind::maximum
           : kind == ScatterKind::multiply ? ScatterKind::minimum
                                           : kind;
  }
  if (Status status = visitArithmetic<Status>(type, [](auto) { return Status(); }); !status.isOk())
    return status;
  return ScatterRule{kind, type};
}

} // namespace sheaf::rt
