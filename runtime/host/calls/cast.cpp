// The call `cast`: every element type to every other.
//
// Types of one byte have 256 values, so a table made at load converts them. Types that C++ has convert by its rules
// where those agree with the call's. All else goes element by element through exact numbers.
#include "runtime/abi/calls.h"
#include "runtime/host/convert.h"
#include "runtime/host/element.h"
#include "runtime/host/parallel.h"
#include "runtime/host/registry.h"
#include "runtime/host/strided.h"

#include <array>
#include <cstring>
#include <limits>

namespace sheaf::rt::host {
namespace {

/// The space of a cast: dims merged, the innermost apart.
struct CastSpace {
  StridedSpace<2> outer;
  StridedSpace<2>::Dim inner{1, {0, 0}};

  CastSpace(const BufferShape &in, const BufferShape &out) : outer(stridedSpace<2>({&in, &out})) {
    outer.sortBySteps(1);
    outer.merge();
    if (!outer.dims.empty()) {
      inner = outer.dims.back();
      outer.dims.pop_back();
    }
  }

  /// Calls `convert(in, out, count)`-like bodies over rows; long single rows are cut among threads.
  template <typename Body>
  void forEachRow(const std::byte *in, std::byte *out, const Body &body) const {
    if (outer.dims.empty()) {
      parallelFor(0, inner.extent, grainFor(8), [&](int64_t begin, int64_t end) {
        body(in + begin * inner.steps[0], out + begin * inner.steps[1], end - begin);
      });
      return;
    }
    parallelFor(0, outer.count(), grainFor(8 * inner.extent), [&](int64_t begin, int64_t end) {
      StridedCursor<2> cursor(outer, begin);
      for (int64_t i = begin; i < end; ++i, cursor.next())
        body(in + cursor.offset(0), out + cursor.offset(1), inner.extent);
    });
  }
};

template <typename T> T loadFrom(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Converts by the rules of C++, made whole where C++ leaves them undefined.
template <typename From, typename To> To convertNative(From value) {
  if constexpr (isFloatElement<From> && std::is_integral_v<To>) {
    auto wide = static_cast<std::conditional_t<std::is_same_v<From, double>, double, float>>(value);
    using W = decltype(wide);
    // The first float past the range: a power of two, so it is exact.
    constexpr W past = static_cast<W>(uint64_t(1) << (std::numeric_limits<To>::digits - 1)) * 2;
    if (!(wide == wide))
      return 0;
    if (wide >= past)
      return std::numeric_limits<To>::max();
    if (wide <= static_cast<W>(std::numeric_limits<To>::min()))
      return std::numeric_limits<To>::min();
    return static_cast<To>(wide);
  } else {
    return static_cast<To>(value);
  }
}

template <typename From, typename To, typename Convert>
std::unique_ptr<Step> makeLoop(const CallSite &site, Convert convert) {
  CastSpace space(site.ins[0].shape, site.outs[0].shape);
  return makeStep([space, convert](void *const *buffers, std::byte *) {
    int64_t inStep = space.inner.steps[0], outStep = space.inner.steps[1];
    bool isDense = inStep == sizeof(From) && outStep == sizeof(To);
    space.forEachRow(static_cast<const std::byte *>(buffers[0]),
                     static_cast<std::byte *>(buffers[1]),
                     [&](const std::byte *in, std::byte *out, int64_t count) {
                       if (isDense) {
                         const From *from = reinterpret_cast<const From *>(in);
                         To *to = reinterpret_cast<To *>(out);
                         for (int64_t i = 0; i < count; ++i)
                           to[i] = convert(from[i]);
                         return;
                       }
                       for (int64_t i = 0; i < count; ++i) {
                         To value = convert(loadFrom<From>(in + i * inStep));
                         std::memcpy(out + i * outStep, &value, sizeof value);
                       }
                     });
  });
}

bool isFloatType(abi::ElementType type) { return abi::isFloat(type); }

/// From a type of one byte: a table.
BoundStep bindTable(const CallSite &site, const CastRules &rules) {
  abi::ElementType from = site.ins[0].shape.type, to = site.outs[0].shape.type;
  return visitStorage(to, [&](auto tag) -> BoundStep {
    using To = typename decltype(tag)::Type;
    std::array<To, 256> table;
    for (int value = 0; value < 256; ++value) {
      auto byte = static_cast<uint8_t>(value);
      writeElement(to, readElement(from, &byte), isFloatType(from), &table[byte], rules);
    }
    return makeLoop<uint8_t, To>(site, [table](uint8_t value) { return table[value]; });
  });
}

/// Through exact numbers.
BoundStep bindExact(const CallSite &site, const CastRules &rules) {
  abi::ElementType from = site.ins[0].shape.type, to = site.outs[0].shape.type;
  return visitStorage(from, [&](auto fromTag) -> BoundStep {
    using From = typename decltype(fromTag)::Type;
    return visitStorage(to, [&](auto toTag) -> BoundStep {
      using To = typename decltype(toTag)::Type;
      bool isFromFloat = isFloatType(from);
      return makeLoop<From, To>(site, [=](From value) {
        To result = 0;
        writeElement(to, readElement(from, &value), isFromFloat, &result, rules);
        return result;
      });
    });
  });
}

/// Between types that C++ has. Into bf16 only from f32: all other ways would round twice.
BoundStep bindNative(const CallSite &site) {
  return visitArithmetic(site.ins[0].shape.type, [&](auto fromTag) -> BoundStep {
    using From = typename decltype(fromTag)::Type;
    return visitArithmetic(site.outs[0].shape.type, [&](auto toTag) -> BoundStep {
      using To = typename decltype(toTag)::Type;
      return makeLoop<From, To>(site, [](From value) {
        if constexpr (std::is_same_v<To, BF16> || std::is_same_v<From, BF16>)
          return convertNative<float, To>(static_cast<float>(value));
        else
          return convertNative<From, To>(value);
      });
    });
  });
}

bool isNative(abi::ElementType from, abi::ElementType to) {
  auto isWide = [](abi::ElementType type) {
    return (type >= abi::ElementType::i8 && type <= abi::ElementType::ui64) ||
           type >= abi::ElementType::f16;
  };
  if (to == abi::ElementType::bf16)
    return from == abi::ElementType::f32 || from == abi::ElementType::f16;
  // An integer past the range of f16 must become infinity; C++ leaves that open.
  if (to == abi::ElementType::f16)
    return from == abi::ElementType::f32 || from == abi::ElementType::f64 ||
           from == abi::ElementType::bf16;
  return isWide(from) && isWide(to);
}

BoundStep bind(CallSite &site) {
  CastRules rules;
  rules.isSaturating = site.params.flag("saturate", true);
  rules.powerRounding =
      static_cast<PowerRounding>(site.params.choice("round", {"up", "down", "nearest"}, 0));
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  if (in.dims != out.dims)
    return Status::invalid("in ", in.str(), " and out ", out.str(), " must have equal dims");
  if (in.elements() == 0)
    return makeStep([](void *const *, std::byte *) {});
  if (in.elementBytes() == 1)
    return bindTable(site, rules);
  return isNative(in.type, out.type) ? bindNative(site) : bindExact(site, rules);
}

const RegisteredCall registered({.name = abi::calls::cast, .takesStrides = true}, bind);

} // namespace
} // namespace sheaf::rt::host
