// The call `cast`: every element type to every other.
//
// Types of one byte have 256 values, so a table made at load converts them. All else goes element by element through
// exact numbers: casts between the types that processors know are the business of generated kernels.
#include "runtime/abi/calls.h"
#include "runtime/core/cast_rules.h"
#include "runtime/core/element.h"
#include "runtime/core/strided.h"
#include "runtime/host/parallel.h"
#include "runtime/host/registry.h"

#include <array>
#include <cstring>

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

/// From a type of one byte: a table.
BoundStep bindTable(const CallSite &site, const ElementFormat &from, const ElementFormat &to,
                    const CastRules &rules) {
  return visitStorage<BoundStep>(site.outs[0].shape.type, [&](auto tag) -> BoundStep {
    using To = typename decltype(tag)::Type;
    std::array<To, 256> table;
    for (uint64_t byte = 0; byte < 256; ++byte)
      table[byte] = static_cast<To>(to.encode(from.decode(byte), from.isFloat(), rules));
    return makeLoop<uint8_t, To>(site, [table](uint8_t value) { return table[value]; });
  });
}

/// Through exact numbers.
BoundStep bindExact(const CallSite &site, const ElementFormat &from, const ElementFormat &to,
                    const CastRules &rules) {
  return visitStorage<BoundStep>(site.ins[0].shape.type, [&](auto fromTag) -> BoundStep {
    using From = typename decltype(fromTag)::Type;
    return visitStorage<BoundStep>(site.outs[0].shape.type, [&](auto toTag) -> BoundStep {
      using To = typename decltype(toTag)::Type;
      return makeLoop<From, To>(site, [from, to, rules](From value) {
        return static_cast<To>(to.encode(from.decode(value), from.isFloat(), rules));
      });
    });
  });
}

BoundStep bind(CallSite &site) {
  Result<CastRules> rules = readCast(site);
  if (!rules.isOk())
    return rules.takeStatus();
  const BufferShape &in = site.ins[0].shape, &out = site.outs[0].shape;
  if (in.elements() == 0)
    return makeStep([](void *const *, std::byte *) {});
  ElementFormat from = ElementFormat::of(in.type), to = ElementFormat::of(out.type);
  return in.elementBytes() == 1 ? bindTable(site, from, to, *rules)
                                : bindExact(site, from, to, *rules);
}

const RegisteredCall registered({.name = abi::calls::cast, .takesStrides = true}, bind);

} // namespace
} // namespace sheaf::rt::host
