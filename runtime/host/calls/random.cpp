// The call `random`: numbers that depend on the seeds and on where in the whole value they lie, and on nothing else.
#include "runtime/abi/calls.h"
#include "runtime/core/element_format.h"
#include "runtime/core/random_plan.h"
#include "runtime/host/parallel.h"
#include "runtime/host/registry.h"

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

BoundStep bind(CallSite &site) {
  Result<RandomPlan> plan = RandomPlan::make(site);
  if (!plan.isOk())
    return plan.takeStatus();
  const BufferShape &out = site.outs[0].shape;
  return makeStep([plan = std::move(*plan), type = ElementFormat::of(out.type),
                   bytes = out.elementBytes()](void *const *buffers, std::byte *) {
    RandomStream stream = plan.stream;
    if (plan.hasSeed)
      stream.key += *static_cast<const uint64_t *>(buffers[0]);
    auto *to = static_cast<std::byte *>(buffers[plan.hasSeed ? 1 : 0]);
    parallelFor(0, plan.indices.count(), 256, [&](int64_t begin, int64_t end) {
      StridedCursor<1> cursor(plan.indices, begin);
      for (int64_t i = begin; i < end; ++i, cursor.next()) {
        auto index = static_cast<uint64_t>(plan.first + cursor.offset(0));
        double value = plan.distribution.at<HostMath>(
            stream.words(index / plan.distribution.elementsPerBlock()), index);
        uint64_t bits = type.encode(ExactNumber::fromDouble(value), true, {});
        std::memcpy(to + i * bytes, &bits, static_cast<size_t>(bytes));
      }
    });
  });
}

const RegisteredCall registered({.name = abi::calls::random, .minIns = 0}, bind);

} // namespace
} // namespace sheaf::rt::host
