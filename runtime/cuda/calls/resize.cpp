// The call `resize`: by tables of places and weights, which the step keeps on the GPU.
#include "runtime/abi/calls.h"
#include "runtime/core/convert.h"
#include "runtime/core/resize_plan.h"
#include "runtime/cuda/elementwise.h"
#include "runtime/cuda/kernels/resize_parameters.h"

#include <cstring>

namespace sheaf::rt::cuda {
namespace {

/// The tables of all dims, one after another.
struct ResizeLists {
  std::vector<int64_t> places;
  std::vector<double> weights;
  std::vector<uint8_t> flags; ///< whether a result is extrapolated

  size_t bytes() const { return 8 * places.size() + 8 * weights.size() + flags.size(); }
};

ResizeParameters parametersOf(const ResizePlan &plan, const BufferShape &out, ResizeLists &lists) {
  ResizeParameters result{};
  result.count = out.elements();
  result.rowTaps = 1;
  result.rank = static_cast<int32_t>(out.rank());
  int64_t elementsBelow = 1;
  for (size_t dim = out.rank(); dim-- > 0; elementsBelow *= out.dims[dim])
    result.dims[dim].elementsBelow = elementsBelow;
  for (size_t dim = 0; dim < out.rank(); ++dim) {
    const ResizeTable &table = plan.tables[dim];
    ResizeDim &entry = result.dims[dim];
    entry.extent = out.dims[dim];
    entry.step = out.strides[dim] * out.elementBytes();
    entry.taps = table.taps;
    entry.tapsBefore = result.rowTaps;
    entry.firstTap = static_cast<int64_t>(lists.places.size());
    entry.firstResult = static_cast<int64_t>(lists.flags.size());
    if (dim + 1 < out.rank())
      result.rowTaps *= table.taps;
    lists.places.insert(lists.places.end(), table.places.begin(), table.places.end());
    lists.weights.insert(lists.weights.end(), table.weights.begin(), table.weights.end());
    lists.flags.insert(lists.flags.end(), table.isExtrapolated.begin(), table.isExtrapolated.end());
  }
  return result;
}

/// The lists, in this order, in one block of the GPU.
Result<Memory> upload(CudaDevice &device, const ResizeLists &lists) {
  std::vector<std::byte> bytes(lists.bytes());
  std::byte *to = bytes.data();
  auto append = [&](const void *from, size_t count) {
    std::memcpy(to, from, count);
    to += count;
  };
  append(lists.places.data(), 8 * lists.places.size());
  append(lists.weights.data(), 8 * lists.weights.size());
  append(lists.flags.data(), lists.flags.size());
  Result<Memory> memory = device.allocate(abi::Space::device, bytes.size(), /*account=*/nullptr);
  if (!memory.isOk())
    return memory;
  if (Status status = device.upload(bytes.data(), memory->data(), bytes.size()); !status.isOk())
    return status;
  return memory;
}

BoundStep bind(CudaCallSite &site) {
  Result<ResizePlan> plan = ResizePlan::make(site);
  if (!plan.isOk())
    return plan.takeStatus();
  const BufferShape &out = site.outs[0].shape;
  if (out.elements() == 0)
    return makeStep([](void *const *, std::byte *) {});
  ResizeLists lists;
  ResizeParameters parameters = parametersOf(*plan, out, lists);
  Result<Memory> memory = upload(site.device, lists);
  if (!memory.isOk())
    return memory.takeStatus();
  std::string name = plan->isNearest ? "nearest" + std::to_string(out.elementBytes())
                                     : std::string("weighted_") + abi::nameOf(out.type);
  Result<Elementwise> kernel = Elementwise::find(site, "resize", name, out.elements());
  if (!kernel.isOk())
    return kernel.takeStatus();
  const std::byte *places = memory->data(), *weights = places + 8 * lists.places.size(),
                  *flags = weights + 8 * lists.weights.size();
  double extrapolated = plan->extrapolationValue;
  if (!plan->isNearest)
    return makeStep(
        [=, kernel = *kernel, memory = std::move(*memory)](void *const *buffers, std::byte *) {
          return kernel(parameters, places, weights, flags, extrapolated, buffers[0], buffers[1]);
        });
  uint64_t bits = 0; // The kernel takes the low ones.
  writeElement(out.type, ExactNumber::fromDouble(extrapolated), true, &bits, {});
  return makeStep(
      [=, kernel = *kernel, memory = std::move(*memory)](void *const *buffers, std::byte *) {
        return kernel(parameters, places, flags, bits, buffers[0], buffers[1]);
      });
}

const RegisteredCall<bind> registered({.name = abi::calls::resize, .takesStrides = true});

} // namespace
} // namespace sheaf::rt::cuda
