// The float types that libraries compute with, and how their values lie in memory.
#ifndef SHEAF_TEST_STANDIN_DEVICE_FLOAT_TYPE_H
#define SHEAF_TEST_STANDIN_DEVICE_FLOAT_TYPE_H

#include <bit>
#include <cmath>
#include <cstring>

#include "test/standin/ptx/half.h"

namespace sheaf::standin {

enum class FloatType : uint8_t { f16, bf16, f32, f64 };

inline uint64_t bytesOf(FloatType type) {
  return type == FloatType::f64 ? 8 : type == FloatType::f32 ? 4 : 2;
}

/// The value of a `type` at `at`, exactly.
inline double load(FloatType type, const std::byte *at) {
  auto get = [at]<typename T>(T value) {
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(ptx::widen(value));
  };
  switch (type) {
  case FloatType::f16:
    return get(ptx::Half{});
  case FloatType::bf16:
    return get(ptx::BFloat{});
  case FloatType::f32:
    return get(0.0f);
  case FloatType::f64:
    return get(0.0);
  }
  return 0;
}

/// Rounds to nearest-even.
inline void store(FloatType type, std::byte *at, double value) {
  auto put = [at](auto narrowed) { std::memcpy(at, &narrowed, sizeof narrowed); };
  switch (type) {
  case FloatType::f16:
    return put(ptx::narrow<ptx::Half>(value));
  case FloatType::bf16:
    return put(ptx::narrow<ptx::BFloat>(value));
  case FloatType::f32:
    return put(static_cast<float>(value));
  case FloatType::f64:
    return put(value);
  }
}

/// To 10 bits of mantissa.
inline float roundToTf32(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return std::isfinite(value) ? std::bit_cast<float>((bits + 0x1000) & 0xffffe000) : value;
}

} // namespace sheaf::standin

#endif
