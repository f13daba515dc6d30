// Computes an operation for the 32 lanes of a warp: loops that the compiler makes vectors of.
#ifndef SHEAF_TEST_STANDIN_PTX_LANES_H
#define SHEAF_TEST_STANDIN_PTX_LANES_H

#include <tuple>
#include <utility>

#include "test/standin/ptx/warp.h"

namespace sheaf::standin::ptx {

/// Two values in one register, as .f16x2.
template <typename T> struct Packed {
  T low, high;
};

template <typename T> constexpr Type typeOfLane = typeOf<T>();
template <typename T>
constexpr Type typeOfLane<Packed<T>> = {typeOf<T>().kind, 2 * typeOf<T>().bits, true};

/// A register's values, one per lane.
template <typename T> struct Lanes {
  T values[warpSize];

  Lanes() = default;
  Lanes(Warp &warp, Slot slot) { std::memcpy(values, warp.at(slot), sizeof values); }

  T &operator[](unsigned lane) { return values[lane]; }
  const T &operator[](unsigned lane) const { return values[lane]; }

  /// Writes the lanes of `mask`; the others keep what they had.
  void store(Warp &warp, Slot slot, uint32_t mask) const {
    std::byte *at = warp.at(slot);
    if (mask == allLanes) {
      std::memcpy(at, values, sizeof values);
      return;
    }
    Lanes merged(warp, slot);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      merged[lane] = mask >> lane & 1 ? values[lane] : merged[lane];
    std::memcpy(at, merged.values, sizeof values);
  }
};

/// Bit i of the result says whether `flags[i]` holds.
inline uint32_t packFlags(const bool (&flags)[warpSize]) {
  uint32_t packed = 0;
  for (unsigned lane = 0; lane < warpSize; lane += 8) {
    uint64_t bytes; // 0 or 1 each; the product has the i-th of them at bit 56 + i
    std::memcpy(&bytes, flags + lane, sizeof bytes);
    packed |= static_cast<uint32_t>((bytes * 0x0102040810204080) >> 56) << lane;
  }
  return packed;
}

/// `Op` on values, or on both halves of packed ones.
template <typename Op, typename D, typename... S> D apply(const S &...values) {
  return Op()(values...);
}
template <typename Op, typename D, typename... T>
Packed<D> applyPacked(const Packed<T> &...values) {
  return {Op()(values.low...), Op()(values.high...)};
}

template <typename T> struct IsPacked : std::false_type {};
template <typename T> struct IsPacked<Packed<T>> : std::true_type {
  using Element = T;
};

/// operands[0] = Op(operands[1], ...), for every lane; what idle lanes compute is thrown away.
template <typename Op, typename D, typename... S>
void mapLanes(Warp &warp, const Instruction &instruction, uint32_t mask) {
  [&]<size_t... i>(std::index_sequence<i...>) {
    Lanes<D> result;
    std::tuple<Lanes<S>...> sources{Lanes<S>(warp, instruction.operands[i + 1])...};
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      if constexpr (IsPacked<D>::value)
        result[lane] =
            applyPacked<Op, typename IsPacked<D>::Element>(std::get<i>(sources)[lane]...);
      else
        result[lane] = Op()(std::get<i>(sources)[lane]...);
    }
    result.store(warp, instruction.operands[0], mask);
  }(std::index_sequence_for<S...>());
}

/// A predicate: operands[0] = Op(operands[1], ...).
template <typename Op, typename... S>
void testLanes(Warp &warp, const Instruction &instruction, uint32_t mask) {
  [&]<size_t... i>(std::index_sequence<i...>) {
    bool flags[warpSize];
    std::tuple<Lanes<S>...> sources{Lanes<S>(warp, instruction.operands[i + 1])...};
    for (unsigned lane = 0; lane < warpSize; ++lane)
      flags[lane] = Op()(std::get<i>(sources)[lane]...);
    warp.setPredicate(instruction.operands[0], packFlags(flags), mask);
  }(std::index_sequence_for<S...>());
}

template <typename... T> struct Types {};
using UnsignedTypes = Types<uint16_t, uint32_t, uint64_t>;
using SignedTypes = Types<int16_t, int32_t, int64_t>;
using IntegerTypes = Types<uint16_t, uint32_t, uint64_t, int16_t, int32_t, int64_t>;
using WideFloatTypes = Types<float, double>;
using HalfTypes = Types<Half, BFloat, Packed<Half>, Packed<BFloat>>;
using FloatTypes = Types<float, double, Half, BFloat, Packed<Half>, Packed<BFloat>>;

template <typename... A, typename... B> Types<A..., B...> join(Types<A...>, Types<B...>) {
  return {};
}

/// Calls `make.operator()<T>()` for the T of the list that computes `type`; null if there is none.
template <typename Make, typename... T> Handler choose(Types<T...>, Type type, Make make) {
  Handler handler = nullptr;
  (void)((type == typeOfLane<T> && (handler = make.template operator()<T>(), true)) || ...);
  return handler;
}

/// T, as often as there are indices.
template <size_t, typename T> using Repeated = T;

/// The handler of an `Op` that takes `count` values of a type of `list` and returns one.
template <typename Op, size_t count, typename List> Handler chooseMap(List list, Type type) {
  return choose(list, type, []<typename T>() -> Handler {
    return []<size_t... i>(std::index_sequence<i...>) -> Handler {
      return &mapLanes<Op, T, Repeated<i, T>...>;
    }(std::make_index_sequence<count>());
  });
}

} // namespace sheaf::standin::ptx

#endif
