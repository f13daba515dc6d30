// Which products of 8-bit floats GPUs compute: asked by the compiler, enforced by the runtime.
//
// They are the call `contract` of calls.h with two more parameters, has_lhs_scale and has_rhs_scale: bool = 0, and as
// many more ins behind lhs and rhs, lhs_scale first: one f32 each, which the sum is multiplied by before anything is
// added.
// Sums are of f32, or of what the units for 8-bit floats have. No other types have scales.
//
// Source: "cublasLtMatmul()" in the documentation of cuBLAS 13, which lists what its kernels for FP8 take.
#ifndef SHEAF_RUNTIME_ABI_NARROW_PRODUCT_H
#define SHEAF_RUNTIME_ABI_NARROW_PRODUCT_H

#include "runtime/abi/element_type.h"

namespace sheaf::abi {

/// The types of 8 bits that are multiplied as they are.
inline constexpr bool isNarrowFactor(ElementType type) {
  return type == ElementType::f8E4M3FN || type == ElementType::f8E5M2;
}

/// Whether products of these types exist. Two operands of f8E5M2 have none.
inline constexpr bool multipliesNarrow(ElementType lhs, ElementType rhs, ElementType result) {
  return isNarrowFactor(lhs) && isNarrowFactor(rhs) &&
         (lhs == ElementType::f8E4M3FN || rhs == ElementType::f8E4M3FN) &&
         (result == ElementType::f16 || result == ElementType::bf16 || result == ElementType::f32);
}

/// Whether the product adds a bias of its result's type as it stores: to f32 the library adds a bias of bf16 only.
inline constexpr bool addsNarrowBias(ElementType result) { return result != ElementType::f32; }

/// Whether a product [m, k] x [k, n] has rows of the bytes that the units for 8-bit floats take at once. Any m will do.
inline constexpr bool hasNarrowExtents(int64_t n, int64_t k) {
  return n > 0 && k > 0 && n % 16 == 0 && k % 16 == 0;
}

} // namespace sheaf::abi

#endif // SHEAF_RUNTIME_ABI_NARROW_PRODUCT_H
