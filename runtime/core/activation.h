// The functions that contractions and convolutions apply to their results.
#ifndef SHEAF_RUNTIME_CORE_ACTIVATION_H
#define SHEAF_RUNTIME_CORE_ACTIVATION_H

#include "runtime/core/params.h"

#include <cmath>
#include <numbers>

namespace sheaf::rt {

enum class Activation { none, relu, geluErf, geluTanh, silu, tanh, sigmoid };

/// Reads the parameter `activation`.
inline Activation readActivation(Params &params) {
  return static_cast<Activation>(params.choice(
      "activation", {"none", "relu", "gelu_erf", "gelu_tanh", "silu", "tanh", "sigmoid"}, 0));
}

/// Applies `activation` to one float.
template <typename T> T activate(Activation activation, T x) {
  switch (activation) {
  case Activation::none:
    return x;
  case Activation::relu:
    return x < 0 ? T(0) : x;
  case Activation::geluErf:
    return x * T(0.5) * (1 + std::erf(x / std::numbers::sqrt2_v<T>));
  case Activation::geluTanh: {
    T inner = std::sqrt(2 / std::numbers::pi_v<T>) * (x + T(0.044715) * x * x * x);
    return T(0.5) * x * (1 + std::tanh(inner));
  }
  case Activation::silu:
    return x / (1 + std::exp(-x));
  case Activation::tanh:
    return std::tanh(x);
  case Activation::sigmoid:
    return 1 / (1 + std::exp(-x));
  }
  return x;
}

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_ACTIVATION_H
