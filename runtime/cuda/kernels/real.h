// Functions of f64, which PTX does not have.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_REAL_H
#define SHEAF_RUNTIME_CUDA_KERNELS_REAL_H

#include "runtime/cuda/kernels/device.h"

namespace sheaf::rt::cuda {

/// Of f64, within a few units in the last place.
struct Real {
  static DEVICE double sqrt(double x) { return __nvvm_sqrt_rn_d(x); }

  /// Of a positive normal number: with x = m 2^e and m near 1, e ln 2 + 2 atanh((m - 1) / (m + 1)).
  static DEVICE double log(double x) {
    auto bits = __builtin_bit_cast(uint64_t, x);
    constexpr uint64_t fraction = (uint64_t(1) << 52) - 1, one = uint64_t(1023) << 52;
    auto exponent = static_cast<int64_t>(bits >> 52) - 1023;
    auto m = __builtin_bit_cast(double, (bits & fraction) | one);
    if (m > 1.4142135623730951) {
      m *= 0.5;
      ++exponent;
    }
    double s = (m - 1) / (m + 1), square = s * s, sum = 0;
    for (int n = 23; n > 0; n -= 2) // s is at most 0.172: the next term is below 2^-60.
      sum = sum * square + 1.0 / n;
    return static_cast<double>(exponent) * 0.693147180559945309 + 2 * s * sum;
  }

  /// Of an angle within some turns.
  static DEVICE double sin(double x) { return sinAfter(x, 0); }
  static DEVICE double cos(double x) { return sinAfter(x, 1); }

  /// e^x: 2^n e^r with |r| <= ln 2 / 2. 0 below the normal numbers.
  static DEVICE double exp(double x) {
    if (x != x)
      return x;
    if (x < -708)
      return 0;
    if (x > 709)
      return __builtin_inf();
    double n = __nvvm_round_d(x * 1.44269504088896341);
    double r = (x - n * 0.693147180369123816) - n * 1.90821492927058770e-10, sum = 1;
    for (int i = 14; i > 0; --i)
      sum = sum * r * (1.0 / i) + 1;
    auto exponent = static_cast<uint64_t>(static_cast<int64_t>(n) + 1023);
    return sum * __builtin_bit_cast(double, exponent << 52);
  }

private:
  /// The sine of x and so many quarter turns more.
  static DEVICE double sinAfter(double x, int64_t quarters) {
    double n = __nvvm_round_d(x * 0.636619772367581343);
    double r = (x - n * 1.57079632673412561) - n * 6.07710050650619225e-11;
    quarters += static_cast<int64_t>(n);
    double square = r * r, sum = 0;
    // r is at most pi / 4: the next terms are below 2^-60. An odd number of quarters makes it the cosine's series.
    int isCosine = static_cast<int>(quarters & 1);
    for (int n = 19 - isCosine; n > 1; n -= 2)
      sum = (1 - sum) * square / (n * (n - 1));
    double value = (isCosine ? 1 : r) * (1 - sum);
    return quarters & 2 ? -value : value;
  }
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_REAL_H
