// exp and tanh for loops: code the compiler turns into vector instructions.
#ifndef SHEAF_RUNTIME_HOST_FAST_EXP_H
#define SHEAF_RUNTIME_HOST_FAST_EXP_H

#include <bit>
#include <cmath>
#include <cstdint>

namespace sheaf::rt::host {

/// exp(x) within 2 units in the last place; 0 below -87.3, and NaN stays NaN. For x <= 88.
inline float fastExp(float x) {
  constexpr float lowest = -87.3f, log2e = 1.44269504f;
  constexpr float ln2High = 0.693359375f, ln2Low = -2.12194440e-4f; // ln 2, in two parts
  constexpr float roundingShift = 12582912.0f;                      // 1.5 * 2^23
  float clamped = x < lowest ? lowest : x;
  float shifted = clamped * log2e + roundingShift;
  float n = shifted - roundingShift;
  float r = (clamped - n * ln2High) - n * ln2Low;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1;
  // The low bits of `shifted` are n: moved up, they are the exponent of 2^n.
  uint32_t exponent = (std::bit_cast<uint32_t>(shifted) + 127) << 23;
  float result = p * std::bit_cast<float>(exponent);
  return x < lowest ? 0 : result;
}

inline double fastExp(double x) { return std::exp(x); }

/// tanh(x) within 1e-6 of it, relatively; NaN stays NaN.
inline float fastTanh(float x) {
  float size = std::abs(x), e = fastExp(-2 * size), square = x * x;
  float large = (1 - e) / (1 + e);
  // Where 1 - e would lose digits: the first terms of the series, of which the next is below 1e-8 of it.
  float small = size * (1 - square * (1.0f / 3 - square * (2.0f / 15)));
  return std::copysign(size < 0.0625f ? small : large, x);
}

inline double fastTanh(double x) { return std::tanh(x); }

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_FAST_EXP_H
