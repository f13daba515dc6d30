// The call `pool_argmax`: the maximum of windows, and where in the whole input it is.
#include "runtime/abi/calls.h"
#include "runtime/core/element.h"
#include "runtime/core/pool_plan.h"
#include "runtime/host/parallel.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

using Three = std::array<int64_t, 3>;

/// The number of a place in the plane, counted with the last space dim fastest, or the first.
int64_t placeNumber(const PoolGeometry &plan, const Three &place, bool isColumnMajor) {
  const Three &space = plan.in.space;
  return isColumnMajor ? place[0] + space[0] * (place[1] + space[1] * place[2])
                       : place[2] + space[2] * (place[1] + space[1] * place[0]);
}

template <typename T>
void poolPlane(const PoolGeometry &plan, const PoolTensor &indexTensor, bool isColumnMajor,
               int64_t firstIndex, const std::byte *in, std::byte *values, std::byte *indices) {
  Three place, from;
  for (place[0] = 0; place[0] < plan.out.space[0]; ++place[0])
    for (place[1] = 0; place[1] < plan.out.space[1]; ++place[1])
      for (place[2] = 0; place[2] < plan.out.space[2]; ++place[2]) {
        std::array<TapRange, 3> taps;
        Three start;
        for (int dim = 0; dim < 3; ++dim) {
          start[dim] = plan.start(dim, place[dim]);
          taps[dim] = plan.taps(dim, place[dim]);
        }
        T best = static_cast<T>(lowestOf<Wide<T>>());
        int64_t bestIndex = -1;
        for (int64_t z = taps[0].begin; z < taps[0].end; ++z)
          for (int64_t y = taps[1].begin; y < taps[1].end; ++y)
            for (int64_t x = taps[2].begin; x < taps[2].end; ++x) {
              from = {start[0] + z * plan.dilations[0], start[1] + y * plan.dilations[1],
                      start[2] + x * plan.dilations[2]};
              T value = *reinterpret_cast<const T *>(in + from[0] * plan.in.steps[0] +
                                                     from[1] * plan.in.steps[1] +
                                                     from[2] * plan.in.steps[2]);
              if (bestIndex < 0 || value > best || (isNan(value) && !isNan(best))) {
                best = value;
                bestIndex = firstIndex + placeNumber(plan, from, isColumnMajor);
              }
            }
        auto offset = [&](const PoolTensor &tensor) {
          return place[0] * tensor.steps[0] + place[1] * tensor.steps[1] +
                 place[2] * tensor.steps[2];
        };
        *reinterpret_cast<T *>(values + offset(plan.out)) = best;
        *reinterpret_cast<int64_t *>(indices + offset(indexTensor)) = bestIndex;
      }
}

BoundStep bind(CallSite &site) {
  Result<PoolArgmaxPlan> made = PoolArgmaxPlan::make(site);
  if (!made.isOk())
    return made.takeStatus();
  const BufferShape &in = site.ins[0].shape;
  if (site.outs[0].shape.elements() == 0)
    return makeStep([](void *const *, std::byte *) {});
  PoolGeometry plan = made->geometry;
  PoolTensor indexTensor = made->indices;
  bool isColumnMajor = made->isColumnMajor;
  int64_t channels = in.dims[1], planeElements = in.elements() / (in.dims[0] * channels);
  return visitArithmetic<BoundStep>(in.type, [&](auto tag) -> BoundStep {
    using T = typename decltype(tag)::Type;
    double comparisons = 1;
    for (size_t dim = 0; dim < 3; ++dim)
      comparisons *=
          static_cast<double>(plan.out.space[dim]) * static_cast<double>(plan.window[dim]);
    constexpr double comparisonsPerSecond = 500e6;
    int64_t grain = grainForSeconds(comparisons / comparisonsPerSecond);
    return makeStep([=](void *const *buffers, std::byte *) {
      parallelFor(0, plan.numBatch * channels, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          int64_t n = i / channels, c = i % channels;
          auto at = [&](size_t buffer, const PoolTensor &tensor) {
            return static_cast<std::byte *>(buffers[buffer]) + n * tensor.batchStep +
                   c * tensor.groupStep;
          };
          poolPlane<T>(plan, indexTensor, isColumnMajor, i * planeElements, at(0, plan.in),
                       at(1, plan.out), at(2, indexTensor));
        }
      });
    });
  });
}

const RegisteredCall
    registered({.name = abi::calls::poolArgmax, .numOuts = 2, .takesStrides = true}, bind);

} // namespace
} // namespace sheaf::rt::host
