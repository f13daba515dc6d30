// How scatters put an update onto an element.
#ifndef SHEAF_RUNTIME_HOST_COMBINE_H
#define SHEAF_RUNTIME_HOST_COMBINE_H

#include "runtime/host/element.h"

namespace sheaf::rt::host {

enum class CombineKind { set, add, multiply, maximum, minimum };

inline CombineKind readCombineKind(Params &params) {
  return static_cast<CombineKind>(params.choice("kind", {"set", "add", "mul", "max", "min"}, 0));
}

struct CombineSet {
  template <typename T> T operator()(T, T update) const { return update; }
};
struct CombineAdd {
  template <typename T> T operator()(T old, T update) const { return wrappingAdd(old, update); }
};
struct CombineMultiply {
  template <typename T> T operator()(T old, T update) const {
    return wrappingMultiply(old, update);
  }
};
/// NaN wins, from either side.
struct CombineMaximum {
  template <typename T> T operator()(T old, T update) const {
    return isNan(old) || old > update ? old : update;
  }
};
struct CombineMinimum {
  template <typename T> T operator()(T old, T update) const {
    return isNan(old) || old < update ? old : update;
  }
};

/// Calls `visit(TypeTag<T>(), combine)` for elements of `type`. Setting moves elements of any type; booleans combine
/// as the integers 0 and 1 do under maximum and minimum.
template <typename Visitor>
BoundStep visitCombine(CombineKind kind, abi::ElementType type, const Visitor &visit) {
  if (kind == CombineKind::set)
    return visitStorage(type, [&](auto tag) { return visit(tag, CombineSet()); });
  bool isBoolean = type == abi::ElementType::boolean;
  if (isBoolean)
    type = abi::ElementType::ui8;
  return visitArithmetic(type, [&](auto tag) -> BoundStep {
    switch (kind) {
    case CombineKind::add:
      return isBoolean ? visit(tag, CombineMaximum()) : visit(tag, CombineAdd());
    case CombineKind::multiply:
      return isBoolean ? visit(tag, CombineMinimum()) : visit(tag, CombineMultiply());
    case CombineKind::maximum:
      return visit(tag, CombineMaximum());
    default:
      return visit(tag, CombineMinimum());
    }
  });
}

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_COMBINE_H
