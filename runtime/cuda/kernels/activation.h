// The functions that contractions and convolutions apply to their results, in f32 and without CUDA's libraries.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_ACTIVATION_H
#define SHEAF_RUNTIME_CUDA_KERNELS_ACTIVATION_H

#include "runtime/cuda/kernels/device.h"
#include "runtime/cuda/kernels/parameters.h"

namespace sheaf::rt::cuda {

DEVICE float absolute(float x) { return x < 0 ? -x : x; }

/// e^x: 2^(x log2 e), with the integer part apart so that the fraction keeps its bits.
DEVICE float exponential(float x) {
  constexpr float log2e = 1.44269504f, ln2High = 0.693145752f, ln2Low = 1.42860677e-6f;
  if (x != x)
    return x;
  if (x > 88.8f)
    return __builtin_inff();
  if (x < -104.0f)
    return 0;
  float whole = __nvvm_round_f(x * log2e);
  float rest = (x - whole * ln2High) - whole * ln2Low;
  // In two factors: 2^whole alone may be no normal number.
  float half = __nvvm_round_f(whole * 0.5f);
  return __nvvm_ex2_approx_f(rest * log2e) * __nvvm_ex2_approx_f(half) *
         __nvvm_ex2_approx_f(whole - half);
}

DEVICE float sigmoid(float x) { return 1 / (1 + exponential(-x)); }

/// By e^-2|x|, which does not overflow; small x by the series, whose terms would cancel there.
DEVICE float hyperbolicTangent(float x) {
  float size = absolute(x);
  if (size < 0.02f)
    return x - x * x * x * (1 / 3.0f);
  float power = exponential(-2 * size), result = (1 - power) / (1 + power);
  return x < 0 ? -result : result;
}

/// Source: Abramowitz and Stegun 7.1.26, error below 1.5e-7.
DEVICE float errorFunction(float x) {
  float size = absolute(x), t = 1 / (1 + 0.3275911f * size);
  float sum = 1.061405429f;
  sum = sum * t - 1.453152027f;
  sum = sum * t + 1.421413741f;
  sum = sum * t - 0.284496736f;
  sum = sum * t + 0.254829592f;
  float result = 1 - sum * t * exponential(-size * size);
  return x < 0 ? -result : result;
}

DEVICE float activate(ActivationKind kind, float x) {
  switch (kind) {
  case ActivationKind::none:
    break;
  case ActivationKind::relu:
    return x < 0 ? 0 : x;
  case ActivationKind::geluErf:
    return x * 0.5f * (1 + errorFunction(x * 0.707106781f));
  case ActivationKind::geluTanh:
    return 0.5f * x * (1 + hyperbolicTangent(0.797884561f * (x + 0.044715f * x * x * x)));
  case ActivationKind::silu:
    return x * sigmoid(x);
  case ActivationKind::tanh:
    return hyperbolicTangent(x);
  case ActivationKind::sigmoid:
    return sigmoid(x);
  }
  return x;
}

/// Of gelu_tanh: (1 + t) / 2 + x / 2 (1 - t^2) c (1 + 3 a x^2) with t = tanh(c (x + a x^3)).
DEVICE float geluTanhDerivative(float x) {
  constexpr float a = 0.044715f, c = 0.797884561f;
  float t = hyperbolicTangent(c * (x + a * x * x * x));
  return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * c * (1 + 3 * a * x * x);
}

/// In f64 only what needs no function; the host refuses the rest.
DEVICE double activate(ActivationKind kind, double x) {
  return kind == ActivationKind::relu && x < 0 ? 0 : x;
}

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_ACTIVATION_H
