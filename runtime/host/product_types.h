// The element types that products take and give: what contractions and convolutions share.
#ifndef SHEAF_RUNTIME_HOST_PRODUCT_TYPES_H
#define SHEAF_RUNTIME_HOST_PRODUCT_TYPES_H

#include "runtime/core/element.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {

/// The type that sums of products are kept in for a result of type T. Integers wrap, so unsigned ones of the result's
/// width do for all.
template <typename T>
using ProductSum =
    std::conditional_t<std::is_integral_v<T>,
                       std::conditional_t<(sizeof(T) < 8), uint32_t, uint64_t>, Wide<T>>;

/// Element types of a result and two operands.
struct ProductTypes {
  abi::ElementType result, lhs, rhs;
};

/// Calls `visit(result, lhs, rhs)` with the tags of `types`: three times the same; bytes, of either sign, that give
/// i32; or 16-bit floats that give f32. Errors: any other combination.
template <typename Visitor>
BoundStep visitProduct(const ProductTypes &types, const Visitor &visit) {
  auto isByte = [](abi::ElementType type) {
    return type == abi::ElementType::i8 || type == abi::ElementType::ui8;
  };
  auto visitByte = [](abi::ElementType type, const auto &visit) -> BoundStep {
    if (type == abi::ElementType::i8)
      return visit(TypeTag<int8_t>());
    return visit(TypeTag<uint8_t>());
  };
  if (types.lhs == types.rhs && types.lhs == types.result)
    return visitArithmetic<BoundStep>(types.result, [&](auto tag) { return visit(tag, tag, tag); });
  if (types.result == abi::ElementType::i32 && isByte(types.lhs) && isByte(types.rhs))
    return visitByte(types.lhs, [&](auto lhs) {
      return visitByte(types.rhs, [&](auto rhs) { return visit(TypeTag<int32_t>(), lhs, rhs); });
    });
  if (types.result == abi::ElementType::f32 && types.lhs == types.rhs) {
    if (types.lhs == abi::ElementType::f16)
      return visit(TypeTag<float>(), TypeTag<F16>(), TypeTag<F16>());
    if (types.lhs == abi::ElementType::bf16)
      return visit(TypeTag<float>(), TypeTag<BF16>(), TypeTag<BF16>());
  }
  return Status::invalid("operands of ", abi::nameOf(types.lhs), " and ", abi::nameOf(types.rhs),
                         " and a result of ", abi::nameOf(types.result), " do not go together");
}

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_PRODUCT_TYPES_H
