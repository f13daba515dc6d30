// Pad in all modes, CenterCropPad.
#include "importers/onnx/node.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

/// Padding by places of the tensor itself: `source(i)` is the place that fills place `i` (`i` may be
/// negative or past the end). Built as one gather along the dim.
Value padByPlaces(Node &n, Value value, int64_t dim, int64_t low, int64_t high,
                  llvm::function_ref<int64_t(int64_t)> source) {
  SmallVector<int64_t> places;
  for (int64_t place = -low; place < n.dim(value, dim) + high; ++place)
    places.push_back(source(place));
  return n.gather(value, n.ints(places), dim);
}

int64_t positiveModulo(int64_t value, int64_t modulus) {
  return (value % modulus + modulus) % modulus;
}

Value padDim(Node &n, Value value, StringRef mode, int64_t dim, int64_t low, int64_t high) {
  int64_t extent = n.dim(value, dim);
  if (low == 0 && high == 0)
    return value;
  if (extent == 0) {
    n.fail("mode " + mode + " cannot pad dim " + Twine(dim) + ", which is empty");
    return {};
  }
  constexpr int64_t kMostPlaces = 1 << 24;
  if (extent + low + high > kMostPlaces) {
    n.fail("mode " + mode + " with more than " + Twine(kMostPlaces) + " places");
    return {};
  }
  if (mode == "edge")
    return padByPlaces(n, value, dim, low, high,
                       [&](int64_t place) { return std::clamp<int64_t>(place, 0, extent - 1); });
  if (mode == "wrap")
    return padByPlaces(n, value, dim, low, high,
                       [&](int64_t place) { return positiveModulo(place, extent); });
  return padByPlaces(n, value, dim, low, high, [&](int64_t place) { // reflect
    int64_t period = std::max<int64_t>(2 * (extent - 1), 1);
    int64_t inPeriod = positiveModulo(place, period);
    return inPeriod < extent ? inPeriod : period - inPeriod;
  });
}

/// Pads are attributes up to opset 10, then inputs; negative ones crop.
void importPad(Node &n) {
  bool hasInputs = n.opset() >= 11;
  n.expectInputs(hasInputs ? 2 : 1, hasInputs ? 4 : 1);
  Value value = n.input(0);
  std::string mode = n.string("mode", "constant");
  auto pads =
      hasInputs ? n.constantInts(1, "pads") : n.integers(n.opset() < 2 ? "paddings" : "pads");
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, n.rank(value)));
  if (hasInputs && n.has(3))
    axes = n.axes(n.constantInts(3, "axes"), n.rank(value));
  double fillNumber = hasInputs ? 0 : n.real("value", 0);
  if (n.failed() || !n.expectChoice("mode", mode, {"constant", "reflect", "edge", "wrap"}))
    return;
  if (pads.size() != 2 * axes.size())
    return n.fail("pads has " + Twine(pads.size()) + " entries for " + Twine(axes.size()) +
                  " axes");
  SmallVector<int64_t> low(n.rank(value)), high(n.rank(value));
  for (auto [index, axis] : llvm::enumerate(axes)) {
    low[axis] = pads[index];
    high[axis] = pads[index + axes.size()];
  }
  for (int64_t dim = 0; dim < n.rank(value) && !n.failed(); ++dim) {
    for (int64_t amount : {low[dim], high[dim]})
      if (amount > INT32_MAX * 64LL || amount < -INT32_MAX * 64LL)
        return n.fail("pads has the entry " + Twine(amount));
    int64_t extent = n.dim(value, dim);
    int64_t start = std::min(std::max<int64_t>(-low[dim], 0), extent);
    int64_t end = std::max(extent - std::max<int64_t>(-high[dim], 0), start);
    value = n.sliceDim(value, dim, start, end);
    low[dim] = std::max<int64_t>(low[dim], 0);
    high[dim] = std::max<int64_t>(high[dim], 0);
    if (mode != "constant")
      value = padDim(n, value, mode, dim, low[dim], high[dim]);
  }
  if (mode == "constant") {
    Value fill = hasInputs && n.has(2) ? n.reshape(n.input(2), {}) : n.number(fillNumber, value);
    value = n.pad(value, fill, low, high);
  }
  n.output(0, value);
}

/// Crops or pads around the middle to the given extents.
void importCenterCropPad(Node &n) {
  n.expectInputs(2, 2);
  Value value = n.input(0);
  SmallVector<int64_t> extents = n.constantInts(1, "shape");
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, n.rank(value)));
  axes = n.axes(n.integers("axes", axes), n.rank(value));
  if (n.failed())
    return;
  if (axes.size() != extents.size())
    return n.fail("shape has " + Twine(extents.size()) + " entries for " + Twine(axes.size()) +
                  " axes");
  for (auto [axis, extent] : llvm::zip(axes, extents)) {
    int64_t present = n.dim(value, axis);
    if (extent < 0)
      return n.fail("shape has the negative extent " + Twine(extent));
    if (extent <= present) {
      int64_t start = (present - extent) / 2;
      value = n.sliceDim(value, axis, start, start + extent);
      continue;
    }
    SmallVector<int64_t> low(n.rank(value)), high(n.rank(value));
    low[axis] = (extent - present) / 2;
    high[axis] = extent - present - low[axis];
    value = n.pad(value, n.number(0, value), low, high);
  }
  n.output(0, value);
}

} // namespace

void registerPad(OpTable &table) {
  table.add("CenterCropPad", importCenterCropPad, 18);
  table.add("Pad", importPad);
}

} // namespace sheaf::onnx
