// The call `resize`: every result is a weighted sum of places of the input, dim by dim.
#include "runtime/abi/calls.h"
#include "runtime/core/convert.h"
#include "runtime/core/element.h"
#include "runtime/core/resize_plan.h"
#include "runtime/core/strided.h"
#include "runtime/host/parallel.h"
#include "runtime/host/registry.h"

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

namespace sheaf::rt::host {
namespace {

/// A place of the input that contributes to a row of results, by the dims but the last.
struct RowTap {
  int64_t offset; ///< bytes
  double weight;
};

/// A resize row by row.
struct RowResize {
  std::vector<ResizeTable> tables;
  StridedSpace<1> rows; ///< of the out: the dims but the last
  int64_t rowExtent = 1, rowStep = 0;
  int64_t maxRowTaps = 1;
  double extrapolationValue;

  RowResize(const ResizePlan &plan, const BufferShape &out)
      : tables(plan.tables), rows(stridedSpace<1>({&out})),
        extrapolationValue(plan.extrapolationValue) {
    rowExtent = rows.dims.back().extent;
    rowStep = rows.dims.back().steps[0];
    rows.dims.pop_back();
    for (size_t dim = 0; dim < rows.dims.size(); ++dim)
      maxRowTaps *= tables[dim].taps;
  }

  /// The contributions to row `row`; -1 when all of the row is extrapolated.
  int64_t findRowTaps(int64_t row, RowTap *taps) const {
    int64_t count = 1;
    taps[0] = {0, 1};
    for (size_t dim = rows.dims.size(); dim-- > 0;) {
      const ResizeTable &table = tables[dim];
      int64_t place = row % rows.dims[dim].extent;
      row /= rows.dims[dim].extent;
      if (table.isExtrapolated[place])
        return -1;
      // From the last to the first, so that those still to be read are not overwritten.
      for (int64_t i = count; i-- > 0;)
        for (int64_t tap = table.taps; tap-- > 0;)
          taps[i * table.taps + tap] = {taps[i].offset + table.places[place * table.taps + tap],
                                        taps[i].weight * table.weights[place * table.taps + tap]};
      count *= table.taps;
    }
    return count;
  }

  /// Calls `visit(out, in, taps, count, place)` for each result; `count` is -1 where it is extrapolated.
  template <typename Visit>
  void forEach(void *const *buffers, std::byte *scratch, const Visit &visit) const {
    std::atomic<int64_t> nextSlot = 0;
    const auto *in = static_cast<const std::byte *>(buffers[0]);
    auto *out = static_cast<std::byte *>(buffers[1]);
    int64_t rowBytes = rowExtent * maxRowTaps * tables.back().taps * 8;
    parallelFor(0, rows.count(), grainFor(rowBytes), [&](int64_t begin, int64_t end) {
      RowTap *taps = reinterpret_cast<RowTap *>(scratch) + nextSlot.fetch_add(1) * maxRowTaps;
      StridedCursor<1> cursor(rows, begin);
      for (int64_t row = begin; row < end; ++row, cursor.next()) {
        int64_t count = findRowTaps(row, taps);
        for (int64_t place = 0; place < rowExtent; ++place)
          visit(out + cursor.offset(0) + place * rowStep, in, taps,
                tables.back().isExtrapolated[place] ? -1 : count, place);
      }
    });
  }
};

template <typename T> T roundTo(double value) {
  if constexpr (std::is_integral_v<T>) {
    double rounded = std::nearbyint(value);
    if (rounded >= static_cast<double>(std::numeric_limits<T>::max()))
      return std::numeric_limits<T>::max();
    if (!(rounded > static_cast<double>(std::numeric_limits<T>::min())))
      return std::isnan(rounded) ? T(0) : std::numeric_limits<T>::min();
    return static_cast<T>(rounded);
  } else {
    return static_cast<T>(static_cast<Wide<T>>(value));
  }
}

BoundStep bindNearest(const RowResize &plan, abi::ElementType type, size_t scratchBytes) {
  return visitStorage<BoundStep>(type, [&](auto tag) -> BoundStep {
    using T = typename decltype(tag)::Type;
    T extrapolated = 0;
    writeElement(type, ExactNumber::fromDouble(plan.extrapolationValue), true, &extrapolated, {});
    return makeStep(
        [plan, extrapolated](void *const *buffers, std::byte *scratch) {
          const ResizeTable &last = plan.tables.back();
          plan.forEach(buffers, scratch,
                       [&](std::byte *out, const std::byte *in, const RowTap *taps, int64_t count,
                           int64_t place) {
                         T value = extrapolated;
                         if (count > 0)
                           std::memcpy(&value, in + taps[0].offset + last.places[place],
                                       sizeof value);
                         std::memcpy(out, &value, sizeof value);
                       });
        },
        scratchBytes);
  });
}

BoundStep bindWeighted(const RowResize &plan, abi::ElementType type, size_t scratchBytes) {
  return visitArithmetic<BoundStep>(type, [&](auto tag) -> BoundStep {
    using T = typename decltype(tag)::Type;
    return makeStep(
        [plan](void *const *buffers, std::byte *scratch) {
          const ResizeTable &last = plan.tables.back();
          plan.forEach(
              buffers, scratch,
              [&](std::byte *out, const std::byte *in, const RowTap *taps, int64_t count,
                  int64_t place) {
                double sum = count < 0 ? plan.extrapolationValue : 0;
                for (int64_t i = 0; i < count; ++i) {
                  double rowSum = 0;
                  for (int64_t tap = place * last.taps; tap < (place + 1) * last.taps; ++tap)
                    rowSum += last.weights[tap] *
                              static_cast<double>(static_cast<Wide<T>>(*reinterpret_cast<const T *>(
                                  in + taps[i].offset + last.places[tap])));
                  sum += taps[i].weight * rowSum;
                }
                *reinterpret_cast<T *>(out) = roundTo<T>(sum);
              });
        },
        scratchBytes);
  });
}

BoundStep bind(CallSite &site) {
  Result<ResizePlan> made = ResizePlan::make(site);
  if (!made.isOk())
    return made.takeStatus();
  const BufferShape &out = site.outs[0].shape;
  if (out.elements() == 0)
    return makeStep([](void *const *, std::byte *) {});
  RowResize plan(*made, out);
  size_t scratchBytes =
      static_cast<size_t>(plan.maxRowTaps) * sizeof(RowTap) * static_cast<size_t>(site.numThreads);
  return made->isNearest ? bindNearest(plan, out.type, scratchBytes)
                         : bindWeighted(plan, out.type, scratchBytes);
}

const RegisteredCall registered({.name = abi::calls::resize, .takesStrides = true}, bind);

} // namespace
} // namespace sheaf::rt::host
