// The element types that products take and give: what contractions and convolutions share.
#ifndef SHEAF_RUNTIME_CUDA_PRODUCT_TYPES_H
#define SHEAF_RUNTIME_CUDA_PRODUCT_TYPES_H

#include "runtime/abi/element_type.h"
#include "runtime/core/activation.h"
#include "runtime/cuda/kernels/parameters.h"

namespace sheaf::rt::cuda {

/// Of an integer of 8 bits or more.
IntegerType integerType(abi::ElementType type);

/// Element types of a result and two operands.
struct ProductTypes {
  abi::ElementType result, lhs, rhs;

  bool isFloat() const { return abi::isFloat(lhs); }

  /// Errors: types that don't go together, or an activation that they don't have.
  Status check(Activation activation) const;

  /// Of our own kernel: "<call>_f16_f32", or "<call>_integers".
  std::string kernelName(const std::string &call) const;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_PRODUCT_TYPES_H
