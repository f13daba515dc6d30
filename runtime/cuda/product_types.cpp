// Checks the element types of products.
#include "runtime/cuda/product_types.h"

#include "runtime/core/element.h"

namespace sheaf::rt::cuda {

using abi::ElementType;

IntegerType integerType(ElementType type) {
  bool isSigned = type == ElementType::i8 || type == ElementType::i16 || type == ElementType::i32 ||
                  type == ElementType::i64;
  return {static_cast<int32_t>(abi::bytesOf(type)), isSigned};
}

Status ProductTypes::check(Activation activation) const {
  auto accept = [](auto) { return Status(); };
  for (ElementType type : {lhs, rhs, result})
    if (Status status = visitArithmetic<Status>(type, accept); !status.isOk())
      return status;
  auto isByte = [](ElementType type) {
    return type == ElementType::i8 || type == ElementType::ui8;
  };
  bool isMixed = isByte(lhs) && isByte(rhs);
  bool is16Bit = lhs == ElementType::f16 || lhs == ElementType::bf16;
  bool isWidened =
      (is16Bit && result == ElementType::f32) || (isMixed && result == ElementType::i32);
  if ((lhs != rhs && !isMixed) || (result != lhs && !isWidened))
    return Status::invalid("it does not multiply ", abi::nameOf(lhs), " by ", abi::nameOf(rhs),
                           " into ", abi::nameOf(result));
  if (activation == Activation::none)
    return {};
  if (!isFloat())
    return Status::invalid("integers have no activation");
  if (result == ElementType::f64 && activation != Activation::relu)
    return Status::invalid("a GPU has no such activation in f64");
  return {};
}

std::string ProductTypes::kernelName(const std::string &call) const {
  return isFloat() ? call + "_" + abi::nameOf(lhs) + "_" + abi::nameOf(result) : call + "_integers";
}

} // namespace sheaf::rt::cuda
