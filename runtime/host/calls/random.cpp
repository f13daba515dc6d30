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

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace sheaf::rt::host {
namespace {

enum class Kind { uniform, normal, bernoulli };

/// The words of a stream from element to element: neighbours share a block.
class WordReader {
public:
  explicit WordReader(const RandomStream &stream) : stream(stream) {}

  const std::array<uint32_t, 4> &blockOf(uint64_t block) {
    if (block != known)
      words = stream.words(known = block);
    return words;
  }

private:
  RandomStream stream;
  uint64_t known = ~uint64_t(0); ///< No element is of this block: blocks hold two or more.
  std::array<uint32_t, 4> words{};
};

/// A value in [0, 1) for element `index`: 24 bits of word index % 4 of block index / 4, or 53 bits of two words.
double uniformAt(WordReader &reader, uint64_t index, bool isWide) {
  if (!isWide)
    return static_cast<double>(reader.blockOf(index / 4)[index % 4] >> 8) * 0x1p-24;
  const std::array<uint32_t, 4> &words = reader.blockOf(index / 2);
  uint64_t bits = uint64_t(words[2 * (index % 2)]) << 32 | words[2 * (index % 2) + 1];
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// Box-Muller: elements 2 i and 2 i + 1 are the cosine and the sine of the same pair of uniform values.
double normalAt(WordReader &reader, uint64_t index, bool isWide) {
  double first = uniformAt(reader, index & ~uint64_t(1), isWide);
  double second = uniformAt(reader, index | 1, isWide);
  double radius = std::sqrt(-2 * std::log(1 - first)), angle = 2 * std::numbers::pi * second;
  return radius * (index & 1 ? std::sin(angle) : std::cos(angle));
}

struct Distribution {
  Kind kind;
  double a, b;
  bool isWide;

  double at(WordReader &reader, uint64_t index) const {
    switch (kind) {
    case Kind::uniform:
      return a + (b - a) * uniformAt(reader, index, isWide);
    case Kind::normal:
      return a + b * normalAt(reader, index, isWide);
    case Kind::bernoulli:
      return uniformAt(reader, index, isWide) < a;
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
  size_t numIns = 0;
  std::optional<size_t> seedAt, firstAt;
  for (auto [name, at] : {std::pair("has_seed", &seedAt), std::pair("has_first", &firstAt)}) {
    if (!site.params.flag(name, false))
      continue;
    *at = numIns++;
    if (site.ins.size() < numIns || site.ins[**at].shape.elements() != 1 ||
        site.ins[**at].shape.elementBytes() != 8)
      return Status::invalid(name, " goes with an in, of one 64-bit integer");
  }
  if (site.ins.size() != numIns)
    return Status::invalid("has ", site.ins.size(), " ins; the parameters say ", numIns);
  BufferShape global{out.type, site.params.integers("global_dims", out.dims), {}};
  std::vector<int64_t> start =
      site.params.integers("global_start", std::vector<int64_t>(out.rank(), 0));
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
  int64_t begin = 0;
  for (size_t dim = 0; dim < out.rank(); ++dim) {
    indices.dims.push_back({out.dims[dim], {globalStrides[dim]}});
    begin += start[dim] * globalStrides[dim];
  }
  indices.merge();
  // u < p, u of 24 bits.
  bool isMask = distribution.kind == Kind::bernoulli && out.type == abi::ElementType::boolean;
  auto keptBelow = static_cast<uint32_t>(std::ceil(std::clamp(distribution.a, 0.0, 1.0) * 0x1p24));
  return makeStep([=, run = site.seed, type = out.type,
                   bytes = out.elementBytes()](void *const *buffers, std::byte *) {
    auto valueOf = [&](std::optional<size_t> in) {
      return in ? *static_cast<const uint64_t *>(buffers[*in]) : 0;
    };
    RandomStream stream{seed + valueOf(seedAt), run};
    uint64_t first = static_cast<uint64_t>(begin) + valueOf(firstAt);
    auto *to = static_cast<std::byte *>(buffers[numIns]);
    parallelFor(0, indices.count(), 256, [&](int64_t from, int64_t end) {
      WordReader reader(stream);
      StridedCursor<1> cursor(indices, from);
      auto next = [&] {
        uint64_t index = first + static_cast<uint64_t>(cursor.offset(0));
        cursor.next();
        return index;
      };
      if (isMask) // As below, without the way through floats: a mask is as large as what it masks.
        for (int64_t i = from; i < end; ++i) {
          uint64_t index = next();
          to[i] = static_cast<std::byte>(reader.blockOf(index / 4)[index % 4] >> 8 < keptBelow);
        }
      else
        for (int64_t i = from; i < end; ++i)
          writeElement(type, ExactNumber::fromDouble(distribution.at(reader, next())), true,
                       to + i * bytes, {});
    });
  });
}

const RegisteredCall registered({.name = abi::calls::random, .minIns = 0, .maxIns = 2}, bind);

} // namespace
} // namespace sheaf::rt::host
