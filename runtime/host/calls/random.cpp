// The call `random`: numbers that depend on the seeds and on where in the whole value they lie, and on nothing else.
#include "runtime/abi/calls.h"
#include "runtime/abi/contract_strides.h"
#include "runtime/core/checked.h"
#include "runtime/core/convert.h"
#include "runtime/core/element.h"
#include "runtime/core/philox.h"
#include "runtime/core/strided.h"
#include "runtime/host/parallel.h"
#include "runtime/host/registry.h"

#include <cmath>
#include <numbers>

namespace sheaf::rt::host {
namespace {

enum class Kind { uniform, normal, bernoulli };

/// A value in [0, 1) for element `index`: 24 bits of word index % 4 of block index / 4, or 53 bits of two words.
double uniformAt(const RandomStream &stream, uint64_t index, bool isWide) {
  if (!isWide)
    return static_cast<double>(stream.words(index / 4)[index % 4] >> 8) * 0x1p-24;
  std::array<uint32_t, 4> words = stream.words(index / 2);
  uint64_t bits = uint64_t(words[2 * (index % 2)]) << 32 | words[2 * (index % 2) + 1];
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// Box-Muller: elements 2 i and 2 i + 1 are the cosine and the sine of the same pair of uniform values.
double normalAt(const RandomStream &stream, uint64_t index, bool isWide) {
  double first = uniformAt(stream, index & ~uint64_t(1), isWide);
  double second = uniformAt(stream, index | 1, isWide);
  double radius = std::sqrt(-2 * std::log(1 - first)), angle = 2 * std::numbers::pi * second;
  return radius * (index & 1 ? std::sin(angle) : std::cos(angle));
}

struct Distribution {
  Kind kind;
  double a, b;
  bool isWide;

  double at(const RandomStream &stream, uint64_t index) const {
    switch (kind) {
    case Kind::uniform:
      return a + (b - a) * uniformAt(stream, index, isWide);
    case Kind::normal:
      return a + b * normalAt(stream, index, isWide);
    case Kind::bernoulli:
      return uniformAt(stream, index, isWide) < a;
    }
    return 0;
  }
};

BoundStep bind(CallSite &site) {
  const BufferShape &out = site.outs[0].shape;
  Distribution distribution{
      static_cast<Kind>(site.params.choice("kind", {"uniform", "normal", "bernoulli"})),
      site.params.number("a", 0), site.params.number("b", 1), out.type == abi::ElementType::f64};
  auto seed = static_cast<uint64_t>(site.params.integer("seed", 0));
  bool hasSeed = site.params.flag("has_seed", false);
  BufferShape global{out.type, site.params.integers("global_dims", out.dims), {}};
  std::vector<int64_t> start =
      site.params.integers("global_start", std::vector<int64_t>(out.rank(), 0));
  if (hasSeed != (site.ins.size() == 1) ||
      (hasSeed && (site.ins[0].shape.elements() != 1 || site.ins[0].shape.elementBytes() != 8)))
    return Status::invalid("has_seed is ", hasSeed, "; it goes with one in, of one 64-bit integer");
  if (distribution.kind != Kind::bernoulli && (!abi::isFloat(out.type) || out.elementBytes() < 2))
    return Status::invalid("it does not take elements of type ", abi::nameOf(out.type));
  if (global.rank() != out.rank() || start.size() != out.rank() || !checkedElements(global.dims))
    return Status::invalid("global_dims and global_start must have the rank of out ", out.str());
  for (size_t dim = 0; dim < out.rank(); ++dim)
    if (start[dim] < 0 || start[dim] > global.dims[dim] - out.dims[dim])
      return Status::invalid("out ", out.str(), " does not lie within the whole value in dim ",
                             dim);
  // The space of the row-major index within the whole value, in units of one.
  StridedSpace<1> indices;
  std::vector<int64_t> globalStrides = abi::rowMajorStrides(global.dims);
  int64_t first = 0;
  for (size_t dim = 0; dim < out.rank(); ++dim) {
    indices.dims.push_back({out.dims[dim], {globalStrides[dim]}});
    first += start[dim] * globalStrides[dim];
  }
  indices.merge();
  return makeStep([=, run = site.seed, type = out.type,
                   bytes = out.elementBytes()](void *const *buffers, std::byte *) {
    uint64_t key = seed + (hasSeed ? *static_cast<const uint64_t *>(buffers[0]) : 0);
    RandomStream stream{key, run};
    auto *to = static_cast<std::byte *>(buffers[hasSeed ? 1 : 0]);
    parallelFor(0, indices.count(), 256, [&](int64_t begin, int64_t end) {
      StridedCursor<1> cursor(indices, begin);
      for (int64_t i = begin; i < end; ++i, cursor.next()) {
        double value = distribution.at(stream, static_cast<uint64_t>(first + cursor.offset(0)));
        writeElement(type, ExactNumber::fromDouble(value), true, to + i * bytes, {});
      }
    });
  });
}

const RegisteredCall registered({.name = abi::calls::random, .minIns = 0}, bind);

} // namespace
} // namespace sheaf::rt::host
