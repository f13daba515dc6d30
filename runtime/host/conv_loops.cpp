// Computes convolutions element by element of the result.
#include "runtime/host/conv_loops.h"

#include "runtime/host/element.h"
#include "runtime/host/parallel.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

using Three = std::array<int64_t, 3>;

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

/// L, F, R: elements of input, filter and result; S: the type of sums.
template <typename L, typename F, typename R, typename S> class Loops {
public:
  explicit Loops(const ConvPlan &plan)
      : plan(plan), input(plan.input), filter(plan.filter), result(plan.result) {
    size_t numSpaceDims = plan.input.rank() - 2;
    const WindowParams &params = plan.params.window;
    inputSpace = padTo3(plan.input.dims, numSpaceDims, 1);
    resultSpace = padTo3(plan.result.dims, numSpaceDims, 1);
    window = padTo3(params.window, numSpaceDims, 1);
    strides = padTo3(params.strides, numSpaceDims, 1);
    dilations = padTo3(params.dilations, numSpaceDims, 1);
    low = padTo3(params.low, numSpaceDims, 0);
    inputPerGroup = plan.input.dims[1] / plan.params.groups;
    resultPerGroup = plan.result.dims[1] / plan.params.groups;
  }

  void run(void *const *buffers) const {
    int64_t channels = plan.result.dims[1];
    parallelFor(0, plan.result.dims[0] * channels, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        runChannel(buffers, i / channels, i % channels);
    });
  }

private:
  void runChannel(void *const *buffers, int64_t n, int64_t channel) const {
    size_t next = 2;
    const R *bias = plan.params.hasBias ? static_cast<const R *>(buffers[next++]) : nullptr;
    const R *residual = plan.params.hasResidual ? static_cast<const R *>(buffers[next++]) : nullptr;
    R *out = static_cast<R *>(buffers[next]);
    Three place;
    for (place[0] = 0; place[0] < resultSpace[0]; ++place[0])
      for (place[1] = 0; place[1] < resultSpace[1]; ++place[1])
        for (place[2] = 0; place[2] < resultSpace[2]; ++place[2]) {
          S value = sumAt(static_cast<const L *>(buffers[0]), static_cast<const F *>(buffers[1]), n,
                          channel, place);
          int64_t at = result.at(n, channel, place);
          if (bias)
            value += static_cast<S>(bias[channel]);
          if (residual)
            value += static_cast<S>(residual[at]);
          if constexpr (!std::is_integral_v<R>)
            value = activate(plan.params.activation, value);
          out[at] = static_cast<R>(value);
        }
  }

  /// Where in the input place `tap` of the window at `place` of the result reads; false: nowhere.
  bool findInput(const Three &place, const Three &tap, Three &from) const {
    for (int dim = 0; dim < 3; ++dim) {
      if (plan.isTransposed) {
        int64_t spread = place[dim] + low[dim] - tap[dim] * dilations[dim];
        if (spread < 0 || spread % strides[dim] != 0)
          return false;
        from[dim] = spread / strides[dim];
      } else {
        from[dim] = place[dim] * strides[dim] - low[dim] + tap[dim] * dilations[dim];
      }
      if (from[dim] < 0 || from[dim] >= inputSpace[dim])
        return false;
    }
    return true;
  }

  S sumAt(const L *data, const F *weights, int64_t n, int64_t channel, const Three &place) const {
    int64_t group = channel / resultPerGroup, within = channel % resultPerGroup;
    S sum = 0;
    Three tap, from;
    for (tap[0] = 0; tap[0] < window[0]; ++tap[0])
      for (tap[1] = 0; tap[1] < window[1]; ++tap[1])
        for (tap[2] = 0; tap[2] < window[2]; ++tap[2]) {
          if (!findInput(place, tap, from))
            continue;
          for (int64_t i = 0; i < inputPerGroup; ++i) {
            int64_t source = group * inputPerGroup + i;
            // The filter is [o, c / groups, ..] of the forward convolution.
            int64_t at =
                plan.isTransposed ? filter.at(source, within, tap) : filter.at(channel, i, tap);
            sum += static_cast<S>(data[input.at(n, source, from)]) * static_cast<S>(weights[at]);
          }
        }
    return sum;
  }

  ConvPlan plan;
  Strides5 input, filter, result;
  Three inputSpace, resultSpace, window, strides, dilations, low;
  int64_t inputPerGroup, resultPerGroup;
};

/// Integer sums wrap, so they are kept in an unsigned type of the result's width.
template <typename T>
using Sum = std::conditional_t<std::is_integral_v<T>,
                               std::conditional_t<(sizeof(T) < 8), uint32_t, uint64_t>, Wide<T>>;

/// The loops for elements L of the input, F of the filter and R of the result.
template <typename R, typename L, typename F>
BoundStep bindTypes(TypeTag<R>, TypeTag<L>, TypeTag<F>, const ConvPlan &plan) {
  constexpr bool isSame = std::is_same_v<L, F>, isHalf = isFloatElement<L> && sizeof(L) == 2;
  constexpr bool isBytes = sizeof(L) == 1 && sizeof(F) == 1;
  if constexpr ((isSame && std::is_same_v<L, R>) || (isBytes && std::is_same_v<R, int32_t>) ||
                (isSame && isHalf && std::is_same_v<R, float>))
    return makeStep([loops = Loops<L, F, R, Sum<R>>(plan)](void *const *buffers, std::byte *) {
      loops.run(buffers);
    });
  else
    return Status::invalid("input ", abi::nameOf(plan.input.type), ", filter ",
                           abi::nameOf(plan.filter.type), " and result ",
                           abi::nameOf(plan.result.type), " do not go together");
}

} // namespace

Result<std::unique_ptr<Step>> makeConvLoops(const ConvPlan &plan) {
  for (const BufferShape *shape : {&plan.input, &plan.filter, &plan.result})
    if (!shape->layout.empty())
      return Status::invalid(shape->str(),
                             ": blocked layouts are for f32 and bf16 where the library takes them");
  if (!abi::isFloat(plan.result.type) && plan.params.activation != Activation::none)
    return Status::invalid("integers take no activation");
  return visitArithmetic(plan.result.type, [&](auto result) {
    return visitArithmetic(plan.input.type, [&](auto input) {
      return visitArithmetic(plan.filter.type,
                             [&](auto filter) { return bindTypes(result, input, filter, plan); });
    });
  });
}

} // namespace sheaf::rt::host
