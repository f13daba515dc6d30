// How far a kernel's element may be from the exact one.
#ifndef SHEAF_TEST_PASSES_LOWERING_KERNEL_ACCURACY_H
#define SHEAF_TEST_PASSES_LOWERING_KERNEL_ACCURACY_H

#include "test/passes/lowering/kernel/tensor.h"
#include <cmath>
#include <limits>

namespace sheaf::lowering {

/// The distance of neighbouring numbers of the type of `tensor` near `value`.
inline double ulp(const Tensor &tensor, double value) {
  int mantissaBits = llvm::APFloat::semanticsPrecision(tensor.semantics());
  int smallest = llvm::APFloat::semanticsMinExponent(tensor.semantics());
  int exponent = value == 0 ? smallest : std::max(std::ilogb(value), smallest);
  return std::ldexp(1.0, exponent - mantissaBits + 1);
}

/// `expected`, exact in f64, rounded to the type.
inline double rounded(const Tensor &tensor, double expected) {
  Tensor one(tensor.element, {1});
  one.set(0, expected);
  return one.get(0);
}

/// Equal: both NaN, the same infinity, or within `ulps` units in the last place of the exact value
/// or `absolute` of it.
inline bool isClose(const Tensor &tensor, double found, double expected, double ulps,
                    double absolute = 0) {
  if (std::isnan(expected) || std::isnan(found))
    return std::isnan(expected) && std::isnan(found);
  double target = rounded(tensor, expected);
  if (std::isinf(target) || std::isinf(found)) // Within the bound of the largest finite value too.
    return found == target ||
           std::abs(rounded(tensor, std::nextafter(expected, 0))) == std::abs(found);
  // Rounding to the type adds half a unit to the error of computing.
  return std::abs(found - expected) <= std::max((ulps + 0.5) * ulp(tensor, expected), absolute);
}

} // namespace sheaf::lowering

#endif
