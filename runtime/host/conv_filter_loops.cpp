// Sums the filter gradient of convolutions, element by element of the filter.
#include "runtime/host/conv_filter_loops.h"

#include "runtime/core/element.h"
#include "runtime/host/parallel.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

using Three = ConvSpace::Three;

/// Elements of type T; each tensor is row-major.
template <typename T> class Loops {
public:
  explicit Loops(const ConvPlan &plan)
      : batch(plan.input.dims[0]), channels(plan.input.dims[1]), outputs(plan.filter.dims[0]),
        perGroupIn(plan.filter.dims[1]), perGroupOut(outputs / plan.params.groups), space(plan) {}

  void run(void *const *buffers) const {
    const T *input = static_cast<const T *>(buffers[0]);
    const T *gradient = static_cast<const T *>(buffers[1]);
    T *filter = static_cast<T *>(buffers[2]);
    int64_t taps = volume(space.window);
    constexpr double productsPerSecond = 1e9;
    double products = static_cast<double>(batch) * static_cast<double>(volume(space.result));
    parallelFor(0, outputs * perGroupIn * taps, grainForSeconds(products / productsPerSecond),
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i)
                    filter[i] = static_cast<T>(sumOf(input, gradient, i / taps / perGroupIn,
                                                     i / taps % perGroupIn, tapAt(i % taps)));
                });
  }

private:
  static int64_t volume(const Three &extents) { return extents[0] * extents[1] * extents[2]; }

  Three tapAt(int64_t index) const {
    return {index / space.window[2] / space.window[1], index / space.window[2] % space.window[1],
            index % space.window[2]};
  }

  /// The places of the output at which tap `tap` along `dim` reads the input, and not the padding.
  std::pair<int64_t, int64_t> placesInside(size_t dim, int64_t tap) const {
    int64_t start = tap * space.dilations[dim] - space.low[dim]; // what place 0 reads
    auto roundUp = [&](int64_t distance) { // divided by the stride; 0 for what is behind
      return distance <= 0 ? 0 : (distance + space.strides[dim] - 1) / space.strides[dim];
    };
    return {roundUp(-start), std::min(space.result[dim], roundUp(space.input[dim] - start))};
  }

  /// The sum for input channel `in` of the group of output channel `out`, at one tap.
  Wide<T> sumOf(const T *input, const T *gradient, int64_t out, int64_t in,
                const Three &tap) const {
    auto [z0, z1] = placesInside(0, tap[0]);
    auto [y0, y1] = placesInside(1, tap[1]);
    auto [x0, x1] = placesInside(2, tap[2]);
    int64_t channel = out / perGroupOut * perGroupIn + in;
    auto read = [&](size_t dim, int64_t place) {
      return place * space.strides[dim] + tap[dim] * space.dilations[dim] - space.low[dim];
    };
    Wide<T> sum = 0;
    for (int64_t n = 0; n < batch; ++n)
      for (int64_t z = z0; z < z1; ++z)
        for (int64_t y = y0; y < y1; ++y) {
          const T *from =
              input + (((n * channels + channel) * space.input[0] + read(0, z)) * space.input[1] +
                       read(1, y)) *
                          space.input[2];
          const T *of =
              gradient +
              (((n * outputs + out) * space.result[0] + z) * space.result[1] + y) * space.result[2];
          for (int64_t x = x0; x < x1; ++x)
            sum += static_cast<Wide<T>>(from[read(2, x)]) * static_cast<Wide<T>>(of[x]);
        }
    return sum;
  }

  int64_t batch, channels, outputs, perGroupIn, perGroupOut;
  ConvSpace space;
};

} // namespace

Result<std::unique_ptr<Step>> makeConvFilterLoops(const ConvPlan &plan) {
  return visitFloat<BoundStep>(plan.filter.type, [&](auto tag) -> BoundStep {
    return makeStep([loops = Loops<typename decltype(tag)::Type>(plan)](
                        void *const *buffers, std::byte *) { loops.run(buffers); });
  });
}

} // namespace sheaf::rt::host
