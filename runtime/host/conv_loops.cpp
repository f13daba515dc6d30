// Computes convolutions element by element of the result.
//
// Where a window reads does not depend on element types: a walk over windows, written once, hands the places to sums
// over channels, written for each type.
#include "runtime/host/conv_loops.h"

#include "runtime/host/parallel.h"
#include "runtime/host/product_types.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

using Three = ConvSpace::Three;

/// A tensor [a, b, space of 3 dims], by its strides in elements.
struct Strides5 {
  int64_t a, b;
  Three space;

  explicit Strides5(const BufferShape &shape)
      : a(shape.strides[0]), b(shape.strides[1]),
        space(padTo3(shape.strides, shape.rank() - 2, 0)) {}

  int64_t at(int64_t i, int64_t j, const Three &place) const {
    return i * a + j * b + place[0] * space[0] + place[1] * space[1] + place[2] * space[2];
  }
};

/// Adds to `sum` the products of `count` elements, each `step` from the next.
template <typename S>
using AddProducts = void (*)(const void *data, int64_t dataAt, int64_t dataStep, const void *filter,
                             int64_t filterAt, int64_t filterStep, int64_t count, S &sum);

template <typename L, typename F, typename S>
void addProducts(const void *data, int64_t dataAt, int64_t dataStep, const void *filter,
                 int64_t filterAt, int64_t filterStep, int64_t count, S &sum) {
  const L *x = static_cast<const L *>(data) + dataAt;
  const F *w = static_cast<const F *>(filter) + filterAt;
  for (int64_t i = 0; i < count; ++i)
    sum += static_cast<S>(x[i * dataStep]) * static_cast<S>(w[i * filterStep]);
}

/// The walk over the windows of a convolution.
class Windows {
public:
  explicit Windows(const ConvPlan &plan)
      : plan(plan), input(plan.input), filter(plan.filter), result(plan.result), space(plan) {
    inputPerGroup = plan.input.dims[1] / plan.params.groups;
    resultPerGroup = plan.result.dims[1] / plan.params.groups;
  }

  /// Elements from one input channel to the next, in the input and in the filter, and how many there are in a sum.
  int64_t inputStep() const { return input.b; }
  // The filter is [o, c / groups, ..] of the forward convolution.
  int64_t filterStep() const { return plan.isTransposed ? filter.a : filter.b; }
  int64_t numChannels() const { return inputPerGroup; }

  /// In one channel of the result of one image, edges counted in.
  double productsPerChannel() const {
    auto products = static_cast<double>(inputPerGroup);
    for (size_t dim = 0; dim < 3; ++dim)
      products *= static_cast<double>(space.result[dim]) * static_cast<double>(space.window[dim]);
    return products;
  }

  /// Calls `body(at, place)` for each element of one channel of the result, at element `at`.
  template <typename Body> void forEachPlace(int64_t n, int64_t channel, const Body &body) const {
    Three place;
    for (place[0] = 0; place[0] < space.result[0]; ++place[0])
      for (place[1] = 0; place[1] < space.result[1]; ++place[1])
        for (place[2] = 0; place[2] < space.result[2]; ++place[2])
          body(result.at(n, channel, place), place);
  }

  /// Calls `body(inputAt, filterAt)` for each place of the window at `place` that lies inside the input, with the
  /// elements of the first channel that is summed.
  template <typename Body>
  void forEachTap(int64_t n, int64_t channel, const Three &place, const Body &body) const {
    int64_t first = channel / resultPerGroup * inputPerGroup, within = channel % resultPerGroup;
    Three tap, from;
    for (tap[0] = 0; tap[0] < space.window[0]; ++tap[0])
      for (tap[1] = 0; tap[1] < space.window[1]; ++tap[1])
        for (tap[2] = 0; tap[2] < space.window[2]; ++tap[2])
          if (findInput(place, tap, from))
            body(input.at(n, first, from),
                 plan.isTransposed ? filter.at(first, within, tap) : filter.at(channel, 0, tap));
  }

private:
  /// Where in the input place `tap` of the window at `place` of the result reads; false: nowhere.
  bool findInput(const Three &place, const Three &tap, Three &from) const {
    for (size_t dim = 0; dim < 3; ++dim) {
      if (plan.isTransposed) {
        int64_t spread = place[dim] + space.low[dim] - tap[dim] * space.dilations[dim];
        if (spread < 0 || spread % space.strides[dim] != 0)
          return false;
        from[dim] = spread / space.strides[dim];
      } else {
        from[dim] =
            place[dim] * space.strides[dim] - space.low[dim] + tap[dim] * space.dilations[dim];
      }
      if (from[dim] < 0 || from[dim] >= space.input[dim])
        return false;
    }
    return true;
  }

  ConvPlan plan;
  Strides5 input, filter, result;
  ConvSpace space;
  int64_t inputPerGroup, resultPerGroup;
};

/// Results of type R, from sums of type S.
template <typename R, typename S> class Loops {
public:
  Loops(const ConvPlan &plan, AddProducts<S> add)
      : windows(plan), add(add), params(plan.params), numImages(plan.result.dims[0]),
        numChannels(plan.result.dims[1]) {}

  void run(void *const *buffers) const {
    constexpr double productsPerSecond = 1e9; // One by one, with the checks of edges.
    int64_t grain = grainForSeconds(windows.productsPerChannel() / productsPerSecond);
    parallelFor(0, numImages * numChannels, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        runChannel(buffers, i / numChannels, i % numChannels);
    });
  }

private:
  void runChannel(void *const *buffers, int64_t n, int64_t channel) const {
    size_t next = 2;
    const R *bias = params.hasBias ? static_cast<const R *>(buffers[next++]) : nullptr;
    const R *residual = params.hasResidual ? static_cast<const R *>(buffers[next++]) : nullptr;
    R *out = static_cast<R *>(buffers[next]);
    windows.forEachPlace(n, channel, [&](int64_t at, const Three &place) {
      S value = 0;
      windows.forEachTap(n, channel, place, [&](int64_t inputAt, int64_t filterAt) {
        add(buffers[0], inputAt, windows.inputStep(), buffers[1], filterAt, windows.filterStep(),
            windows.numChannels(), value);
      });
      if (bias)
        value += static_cast<S>(bias[channel]);
      if (residual)
        value += static_cast<S>(residual[at]);
      if constexpr (!std::is_integral_v<R>)
        value = activate(params.activation, value);
      out[at] = static_cast<R>(value);
    });
  }

  Windows windows;
  AddProducts<S> add;
  ConvParams params;
  int64_t numImages, numChannels;
};

template <typename R> BoundStep makeLoops(const ConvPlan &plan, AddProducts<ProductSum<R>> add) {
  return makeStep([loops = Loops<R, ProductSum<R>>(plan, add)](void *const *buffers, std::byte *) {
    loops.run(buffers);
  });
}

} // namespace

Result<std::unique_ptr<Step>> makeConvLoops(const ConvPlan &plan) {
  if (!abi::isFloat(plan.result.type) && plan.params.activation != Activation::none)
    return Status::invalid("integers take no activation");
  return visitProduct({plan.result.type, plan.input.type, plan.filter.type},
                      [&](auto result, auto input, auto filter) {
                        using R = typename decltype(result)::Type;
                        return makeLoops<R>(
                            plan, addProducts<typename decltype(input)::Type,
                                              typename decltype(filter)::Type, ProductSum<R>>);
                      });
}

} // namespace sheaf::rt::host
