// Arithmetic on numbers from a file: each operation says when it overflows.
#ifndef SHEAF_RUNTIME_CORE_CHECKED_H
#define SHEAF_RUNTIME_CORE_CHECKED_H

#include <cstdint>
#include <optional>
#include <span>

namespace sheaf::rt {

inline std::optional<int64_t> checkedAdd(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum))
    return std::nullopt;
  return sum;
}

inline std::optional<int64_t> checkedMultiply(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product))
    return std::nullopt;
  return product;
}

/// The number of elements of a tensor; none for a negative extent or an overflow. The product of the extents other
/// than 0 must fit too, so that strides computed from them do.
inline std::optional<int64_t> checkedElements(std::span<const int64_t> dims) {
  int64_t product = 1;
  bool isEmpty = false;
  for (int64_t dim : dims) {
    if (dim < 0)
      return std::nullopt;
    if (dim == 0)
      isEmpty = true;
    else if (__builtin_mul_overflow(product, dim, &product))
      return std::nullopt;
  }
  return isEmpty ? 0 : product;
}

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_CHECKED_H
