// The call `pool`: the maximum, sum or mean of windows.
#include "runtime/abi/calls.h"
#include "runtime/core/element.h"
#include "runtime/core/pool_plan.h"
#include "runtime/host/parallel.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

/// The largest so far; NaN stays.
struct Maximum {
  template <typename W> static W start() { return lowestOf<W>(); }
  template <typename W> static W join(W best, W value) {
    return value > best || value != value ? value : best;
  }
};
struct Total {
  template <typename W> static W start() { return 0; }
  template <typename W> static W join(W sum, W value) { return sum + value; }
};

/// Pools planes; results are built in segments of a row (one lane), or of the lanes of one place.
template <typename T, typename Join> class Pooling {
public:
  using W = Wide<T>;

  explicit Pooling(const PoolGeometry &plan) : plan(plan) {}

  void run(void *const *buffers) const {
    int64_t rowsPerPlane = plan.out.space[0] * plan.out.space[1];
    int64_t rowBytes = plan.out.space[2] * plan.lanes * plan.window[0] * plan.window[1] *
                       plan.window[2] * static_cast<int64_t>(sizeof(T));
    parallelFor(0, plan.numBatch * plan.numGroups * rowsPerPlane, grainFor(rowBytes),
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    int64_t plane = i / rowsPerPlane, row = i % rowsPerPlane;
                    int64_t n = plane / plan.numGroups, group = plane % plan.numGroups;
                    const std::byte *in = static_cast<const std::byte *>(buffers[0]) +
                                          n * plan.in.batchStep + group * plan.in.groupStep;
                    std::byte *out = static_cast<std::byte *>(buffers[1]) + n * plan.out.batchStep +
                                     group * plan.out.groupStep;
                    runRow(in, out, row / plan.out.space[1], row % plan.out.space[1]);
                  }
                });
  }

private:
  static constexpr int64_t segment = 64;

  void runRow(const std::byte *in, std::byte *out, int64_t z, int64_t y) const {
    std::byte *row = out + z * plan.out.steps[0] + y * plan.out.steps[1];
    if (plan.lanes > 1) {
      for (int64_t x = 0; x < plan.out.space[2]; ++x)
        for (int64_t lane = 0; lane < plan.lanes; lane += segment)
          runLanes(in + lane * static_cast<int64_t>(sizeof(T)),
                   row + x * plan.out.steps[2] + lane * static_cast<int64_t>(sizeof(T)),
                   std::min(segment, plan.lanes - lane), z, y, x);
    } else {
      for (int64_t x = 0; x < plan.out.space[2]; x += segment)
        runSegment(in, row, z, y, x, std::min(segment, plan.out.space[2] - x));
    }
  }

  /// Calls `visit(rowOfInput)` for the rows of the input under the window.
  template <typename Visit>
  void forEachInputRow(const std::byte *in, int64_t z, int64_t y, const Visit &visit) const {
    TapRange zs = plan.taps(0, z), ys = plan.taps(1, y);
    for (int64_t kz = zs.begin; kz < zs.end; ++kz)
      for (int64_t ky = ys.begin; ky < ys.end; ++ky)
        visit(in + (plan.start(0, z) + kz * plan.dilations[0]) * plan.in.steps[0] +
              (plan.start(1, y) + ky * plan.dilations[1]) * plan.in.steps[1]);
  }

  void runLanes(const std::byte *in, std::byte *out, int64_t lanes, int64_t z, int64_t y,
                int64_t x) const {
    W values[segment];
    std::fill_n(values, segment, Join::template start<W>());
    TapRange xs = plan.taps(2, x);
    forEachInputRow(in, z, y, [&](const std::byte *row) {
      for (int64_t kx = xs.begin; kx < xs.end; ++kx) {
        const T *from = reinterpret_cast<const T *>(
            row + (plan.start(2, x) + kx * plan.dilations[2]) * plan.in.steps[2]);
        for (int64_t lane = 0; lane < lanes; ++lane)
          values[lane] = Join::join(values[lane], static_cast<W>(from[lane]));
      }
    });
    W scale = scaleAt(z, y, x);
    T *to = reinterpret_cast<T *>(out);
    for (int64_t lane = 0; lane < lanes; ++lane)
      to[lane] = static_cast<T>(plan.isAverage() ? values[lane] / scale : values[lane]);
  }

  void runSegment(const std::byte *in, std::byte *row, int64_t z, int64_t y, int64_t x0,
                  int64_t count) const {
    W values[segment];
    std::fill_n(values, segment, Join::template start<W>());
    int64_t step = plan.in.steps[2] * plan.strides[2];
    forEachInputRow(in, z, y, [&](const std::byte *inRow) {
      for (int64_t kx = 0; kx < plan.window[2]; ++kx) {
        // The places x of the result for which this place of the window is inside the input.
        int64_t shift = kx * plan.dilations[2] - plan.low[2];
        int64_t first = shift < 0 ? (-shift + plan.strides[2] - 1) / plan.strides[2] : 0;
        int64_t last = plan.in.space[2] - shift <= 0
                           ? 0
                           : (plan.in.space[2] - shift - 1) / plan.strides[2] + 1;
        int64_t begin = std::max(first, x0), end = std::min(last, x0 + count);
        const std::byte *from = inRow + shift * plan.in.steps[2] + begin * step;
        joinSpan(values + (begin - x0), from, step, end - begin);
      }
    });
    for (int64_t i = 0; i < count; ++i) {
      W value = plan.isAverage() ? values[i] / scaleAt(z, y, x0 + i) : values[i];
      *reinterpret_cast<T *>(row + (x0 + i) * plan.out.steps[2]) = static_cast<T>(value);
    }
  }

  static void joinSpan(W *values, const std::byte *from, int64_t step, int64_t count) {
    if (step == sizeof(T)) {
      const T *dense = reinterpret_cast<const T *>(from);
      for (int64_t i = 0; i < count; ++i)
        values[i] = Join::join(values[i], static_cast<W>(dense[i]));
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      values[i] =
          Join::join(values[i], static_cast<W>(*reinterpret_cast<const T *>(from + i * step)));
  }

  W scaleAt(int64_t z, int64_t y, int64_t x) const { return static_cast<W>(plan.divisor(z, y, x)); }

  PoolGeometry plan;
};

BoundStep bind(CallSite &site) {
  Result<PoolGeometry> plan = readPool(site);
  if (!plan.isOk())
    return plan.takeStatus();
  if (site.outs[0].shape.elements() == 0)
    return makeStep([](void *const *, std::byte *) {});
  abi::ElementType type = site.ins[0].shape.type;
  if (plan->kind == PoolKind::max)
    return visitArithmetic<BoundStep>(type, [&](auto tag) -> BoundStep {
      using T = typename decltype(tag)::Type;
      return makeStep([pooling = Pooling<T, Maximum>(*plan)](void *const *buffers, std::byte *) {
        pooling.run(buffers);
      });
    });
  return visitFloat<BoundStep>(type, [&](auto tag) -> BoundStep {
    using T = typename decltype(tag)::Type;
    return makeStep([pooling = Pooling<T, Total>(*plan)](void *const *buffers, std::byte *) {
      pooling.run(buffers);
    });
  });
}

const RegisteredCall registered({.name = abi::calls::pool, .takesStrides = true}, bind);

} // namespace
} // namespace sheaf::rt::host
