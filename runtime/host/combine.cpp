// Combines elements with updates, for each type and kind.
#include "runtime/host/combine.h"

namespace sheaf::rt::host {
namespace {

enum class CombineKind { set, add, multiply, maximum, minimum };

template <typename T, CombineKind kind>
void combine(std::byte *elements, const std::byte *updates, int64_t count) {
  T *olds = reinterpret_cast<T *>(elements);
  const T *news = reinterpret_cast<const T *>(updates);
  for (int64_t i = 0; i < count; ++i) {
    T old = olds[i], update = news[i];
    if constexpr (kind == CombineKind::set)
      olds[i] = update;
    else if constexpr (kind == CombineKind::add)
      olds[i] = wrappingAdd(old, update);
    else if constexpr (kind == CombineKind::multiply)
      olds[i] = wrappingMultiply(old, update);
    else if constexpr (kind == CombineKind::maximum)
      olds[i] = isNan(old) || old > update ? old : update;
    else
      olds[i] = isNan(old) || old < update ? old : update;
  }
}

template <typename T> Combine combineOf(CombineKind kind) {
  switch (kind) {
  case CombineKind::set:
    return combine<T, CombineKind::set>;
  case CombineKind::add:
    return combine<T, CombineKind::add>;
  case CombineKind::multiply:
    return combine<T, CombineKind::multiply>;
  case CombineKind::maximum:
    return combine<T, CombineKind::maximum>;
  case CombineKind::minimum:
    break;
  }
  return combine<T, CombineKind::minimum>;
}

} // namespace

Result<Combine> readCombine(Params &params, abi::ElementType type) {
  auto kind =
      static_cast<CombineKind>(params.choice("kind", {"set", "add", "mul", "max", "min"}, 0));
  Combine found = nullptr;
  auto visit = [&](auto tag) {
    found = combineOf<typename decltype(tag)::Type>(kind);
    return Status();
  };
  if (kind == CombineKind::set) {
    (void)visitStorage<Status>(type, visit);
    return found;
  }
  if (type == abi::ElementType::boolean) {
    type = abi::ElementType::ui8;
    kind = kind == CombineKind::add        ? CombineKind::maximum
           : kind == CombineKind::multiply ? CombineKind::minimum
                                           : kind;
  }
  if (Status status = visitArithmetic<Status>(type, visit); !status.isOk())
    return status;
  return found;
}

} // namespace sheaf::rt::host
