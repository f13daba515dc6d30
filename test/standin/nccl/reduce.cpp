// The reductions of NCCL.
#include "test/standin/nccl/reduce.h"

#include <algorithm>
#include <cstring>

#include "test/standin/ptx/half.h"

namespace sheaf::standin::nccl {

using ptx::BFloat;
using ptx::Half;

namespace {

/// Calls `visit.operator()<T>()` for the C++ type of `type`; false if it is not supported.
template <typename Visit> bool withType(ncclDataType_t type, Visit visit) {
  switch (type) {
  case ncclInt8:
    return visit.template operator()<int8_t>(), true;
  case ncclUint8:
    return visit.template operator()<uint8_t>(), true;
  case ncclInt32:
    return visit.template operator()<int32_t>(), true;
  case ncclUint32:
    return visit.template operator()<uint32_t>(), true;
  case ncclInt64:
    return visit.template operator()<int64_t>(), true;
  case ncclUint64:
    return visit.template operator()<uint64_t>(), true;
  case ncclFloat16:
    return visit.template operator()<Half>(), true;
  case ncclBfloat16:
    return visit.template operator()<BFloat>(), true;
  case ncclFloat32:
    return visit.template operator()<float>(), true;
  case ncclFloat64:
    return visit.template operator()<double>(), true;
  default:
    return false;
  }
}

/// Of NaN and a number NCCL takes the number (fmaxf and the like, SPECIALIZE_REDUCE in its reduce_kernel.h).
template <typename W> W combine(W a, W b, ncclRedOp_t reduction) {
  auto isNaN = [](W x) { return x != x; };
  switch (reduction) {
  case ncclProd:
    return a * b;
  case ncclMax:
    return isNaN(a) ? b : isNaN(b) ? a : std::max(a, b);
  case ncclMin:
    return isNaN(a) ? b : isNaN(b) ? a : std::min(a, b);
  default:
    return a + b;
  }
}

template <typename T> T combineAs(T a, T b, ncclRedOp_t reduction) {
  if constexpr (std::is_integral_v<T>)
    // Sums and products wrap around; order is that of the type.
    return reduction == ncclMax || reduction == ncclMin
               ? combine(a, b, reduction)
               : static_cast<T>(
                     combine(static_cast<uint64_t>(a), static_cast<uint64_t>(b), reduction));
  else if constexpr (std::is_floating_point_v<T>)
    return combine(a, b, reduction);
  else
    return ptx::narrow<T>(combine(ptx::widen(a), ptx::widen(b), reduction));
}

template <typename T> T divide(T a, uint64_t by) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(a / static_cast<T>(by));
  else if constexpr (std::is_floating_point_v<T>)
    return a / static_cast<T>(by);
  else
    return ptx::narrow<T>(ptx::widen(a) / static_cast<double>(by));
}

template <typename T> T load(const std::byte *at, uint64_t index) {
  T value;
  std::memcpy(&value, at + index * sizeof(T), sizeof(T));
  return value;
}

} // namespace

uint64_t bytesOf(ncclDataType_t type) {
  uint64_t bytes = 0;
  withType(type, [&]<typename T>() { bytes = sizeof(T); });
  return bytes;
}

const char *nameOf(ncclDataType_t type) {
  static constexpr const char *names[] = {"i8",  "u8",  "i32", "u32", "i64",
                                          "u64", "f16", "f32", "f64", "bf16"};
  return type < ncclFloat8e4m3 ? names[type] : "unknown";
}

const char *nameOf(ncclRedOp_t reduction) {
  static constexpr const char *names[] = {"sum", "prod", "max", "min", "avg"};
  return reduction < ncclNumOps ? names[reduction] : "unknown";
}

void reduce(std::byte *total, const std::vector<const std::byte *> &others, uint64_t count,
            ncclDataType_t type, ncclRedOp_t reduction) {
  withType(type, [&]<typename T>() {
    for (uint64_t i = 0; i < count; ++i) {
      T value = load<T>(total, i);
      for (const std::byte *other : others)
        value = combineAs(value, load<T>(other, i), reduction);
      if (reduction == ncclAvg)
        value = divide(value, others.size() + 1);
      std::memcpy(total + i * sizeof(T), &value, sizeof(T));
    }
  });
}

} // namespace sheaf::standin::nccl
