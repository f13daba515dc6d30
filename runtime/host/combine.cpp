// Combines elements with updates, for each type and kind.
#include "runtime/host/combine.h"

namespace sheaf::rt::host {
namespace {

template <typename T, ScatterKind kind>
void combine(std::byte *elements, const std::byte *updates, int64_t count) {
  T *olds = reinterpret_cast<T *>(elements);
  const T *news = reinterpret_cast<const T *>(updates);
  for (int64_t i = 0; i < count; ++i) {
    T old = olds[i], update = news[i];
    if constexpr (kind == ScatterKind::set)
      olds[i] = update;
    else if constexpr (kind == ScatterKind::add)
      olds[i] = wrappingAdd(old, update);
    else if constexpr (kind == ScatterKind::multiply)
      olds[i] = wrappingMultiply(old, update);
    else if constexpr (kind == ScatterKind::maximum)
      olds[i] = isNan(old) || old > update ? old : update;
    else
      olds[i] = isNan(old) || old < update ? old : update;
  }
}

template <typename T> Combine combineOf(ScatterKind kind) {
  switch (kind) {
  case ScatterKind::set:
    return combine<T, ScatterKind::set>;
  case ScatterKind::add:
    return combine<T, ScatterKind::add>;
  case ScatterKind::multiply:
    return combine<T, ScatterKind::multiply>;
  case ScatterKind::maximum:
    return combine<T, ScatterKind::maximum>;
  case ScatterKind::minimum:
    break;
  }
  return combine<T, ScatterKind::minimum>;
}

} // namespace

Result<Combine> readCombine(Params &params, abi::ElementType type) {
  Result<ScatterRule> rule = readScatterRule(params, type);
  if (!rule.isOk())
    return rule.takeStatus();
  return visitArithmetic<Result<Combine>>(rule->type, [&](auto tag) -> Result<Combine> {
    return combineOf<typename decltype(tag)::Type>(rule->kind);
  });
}

} // namespace sheaf::rt::host
