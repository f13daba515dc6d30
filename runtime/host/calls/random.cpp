// The call `random`: numbers that depend on the seeds and on where in the whole value they lie, and on nothing else.
#include "runtime/abi/calls.h"
#include "runtime/core/element_format.h"
#include "runtime/core/random_plan.h"
#include "runtime/host/parallel.h"
#include "runtime/host/registry.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace sheaf::rt::host {
namespace {

struct HostMath {
  static double log(double x) { return std::log(x); }
  static double sqrt(double x) { return std::sqrt(x); }
  static double sin(double x) { return std::sin(x); }
  static double cos(double x) { return std::cos(x); }
};

/// The words of a stream from element to element: neighbours share a block.
class WordReader {
public:
  explicit WordReader(const RandomStream &stream) : stream(stream) {}

  const auto &blockOf(uint64_t block) {
    if (block != known)
      words = stream.words(known = block);
    return words;
  }

private:
  RandomStream stream;
  uint64_t known = ~uint64_t(0); ///< No element is of this block: blocks hold two or more.
  decltype(stream.words(0)) words{};
};

BoundStep bind(CallSite &site) {
  Result<RandomPlan> made = RandomPlan::make(site);
  if (!made.isOk())
    return made.takeStatus();
  const Distribution &distribution = made->distribution;
  const BufferShape &out = site.outs[0].shape;
  // u < p, u of 24 bits.
  bool isMask =
      distribution.kind == Distribution::Kind::bernoulli && out.type == abi::ElementType::boolean;
  auto keptBelow = static_cast<uint32_t>(std::ceil(std::clamp(distribution.a, 0.0, 1.0) * 0x1p24));
  return makeStep([plan = std::move(*made), isMask, keptBelow, type = ElementFormat::of(out.type),
                   bytes = out.elementBytes()](void *const *buffers, std::byte *) {
    auto valueOf = [&](std::optional<size_t> in) {
      return in ? *static_cast<const uint64_t *>(buffers[*in]) : 0;
    };
    RandomStream stream = plan.stream;
    stream.key += valueOf(plan.seedAt);
    uint64_t first = static_cast<uint64_t>(plan.first) + valueOf(plan.firstAt);
    auto *to = static_cast<std::byte *>(buffers[plan.numIns]);
    parallelFor(0, plan.indices.count(), 256, [&](int64_t begin, int64_t end) {
      WordReader reader(stream);
      StridedCursor<1> cursor(plan.indices, begin);
      auto next = [&] {
        uint64_t index = first + static_cast<uint64_t>(cursor.offset(0));
        cursor.next();
        return index;
      };
      if (isMask) { // As below, without the way through floats: a mask is as large as what it masks.
        for (int64_t i = begin; i < end; ++i) {
          uint64_t index = next();
          to[i] = static_cast<std::byte>(reader.blockOf(index / 4)[index % 4] >> 8 < keptBelow);
        }
        return;
      }
      for (int64_t i = begin; i < end; ++i) {
        uint64_t index = next();
        double value = plan.distribution.at<HostMath>(
            reader.blockOf(index / plan.distribution.elementsPerBlock()), index);
        uint64_t bits = type.encode(ExactNumber::fromDouble(value), true, {});
        std::memcpy(to + i * bytes, &bits, static_cast<size_t>(bytes));
      }
    });
  });
}

const RegisteredCall registered({.name = abi::calls::random, .minIns = 0, .maxIns = 2}, bind);

} // namespace
} // namespace sheaf::rt::host
