// Resize and Upsample.
#include "importers/onnx/node.h"
#include "llvm/ADT/StringSwitch.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

/// How an operator resizes, for all dims of its input.
struct ResizeForm {
  SmallVector<double> scales;
  SmallVector<int64_t> shape;
  SmallVector<double> region; // Starts, then ends, as fractions; empty without cropping.
  ResizeCoordinates coordinates = ResizeCoordinates::asymmetric;
  ResizeRounding rounding = ResizeRounding::floor;
  double cubicCoefficient = -0.75, extrapolation = 0;
  bool excludesOutside = false, antialiases = false;
};

void finishResize(Node &n, Value x, const ResizeForm &form) {
  std::string mode = n.string("mode", "nearest");
  if (!n.expectChoice("mode", mode, {"nearest", "linear", "cubic"}) || n.failed())
    return;
  auto kind = llvm::StringSwitch<ResizeMode>(mode)
                  .Case("linear", ResizeMode::linear)
                  .Case("cubic", ResizeMode::cubic)
                  .Default(ResizeMode::nearest);
  bool isSame = ArrayRef(form.shape) == n.shape(x) && form.region.empty() &&
                llvm::all_of(form.scales, [](double scale) { return scale == 1; });
  if (isSame)
    return n.output(0, x);
  n.output(0,
           n.make<ResizeOp>(n.type(x).clone(form.shape), kind, form.coordinates, form.rounding, x,
                            form.scales, form.region, APFloat(form.cubicCoefficient),
                            APFloat(form.extrapolation), form.excludesOutside, form.antialiases));
}

/// Extents that scales give; fails the node when they do not fit.
void scaleShape(Node &n, Value x, ResizeForm &form) {
  if (n.failed())
    return;
  if (static_cast<int64_t>(form.scales.size()) != n.rank(x))
    return n.fail("has " + Twine(form.scales.size()) + " scales for rank " + Twine(n.rank(x)));
  for (auto [dim, scale] : llvm::enumerate(form.scales)) {
    double extent = static_cast<double>(n.dim(x, static_cast<int64_t>(dim)));
    if (!form.region.empty())
      extent *= form.region[dim + form.scales.size()] - form.region[dim];
    double scaled = std::floor(extent * scale);
    if (!(scale > 0) || !(scaled >= 0) || scaled > 1e15)
      return n.fail("a scale is " + Twine(std::to_string(scale)));
    form.shape.push_back(static_cast<int64_t>(scaled));
  }
}

/// Before opset 11 only scales: an attribute or an input.
void importUpsample(Node &n) {
  bool isAttribute = n.opType() == "Upsample" && n.opset() < 9;
  n.expectInputs(isAttribute ? 1 : 2, isAttribute ? 1 : 2);
  Value x = n.input(0);
  ResizeForm form;
  form.scales = isAttribute ? n.reals("scales") : n.constantFloats(1, "scales");
  scaleShape(n, x, form);
  finishResize(n, x, form);
}

void readChoices(Node &n, ResizeForm &form) {
  std::string coordinates = n.string("coordinate_transformation_mode", "half_pixel");
  std::string rounding = n.string("nearest_mode", "round_prefer_floor");
  auto foundCoordinates = symbolizeResizeCoordinates(coordinates);
  auto foundRounding = symbolizeResizeRounding(rounding);
  if (!foundCoordinates)
    return n.fail("coordinate_transformation_mode " + coordinates + " is not supported");
  if (!foundRounding)
    return n.fail("nearest_mode " + rounding + " is not known");
  form.coordinates = *foundCoordinates;
  form.rounding = *foundRounding;
  form.cubicCoefficient = n.real("cubic_coeff_a", -0.75);
  form.extrapolation = n.real("extrapolation_value", 0);
  form.excludesOutside = n.integer("exclude_outside", 0) != 0;
  form.antialiases = n.integer("antialias", 0) != 0;
}

/// Sizes on some axes, with the policy that keeps their proportions.
void readSizes(Node &n, Value x, ArrayRef<int64_t> axes, ResizeForm &form) {
  SmallVector<int64_t> sizes = n.constantInts(3, "sizes");
  std::string policy = n.string("keep_aspect_ratio_policy", "stretch");
  n.expectChoice("keep_aspect_ratio_policy", policy, {"stretch", "not_larger", "not_smaller"});
  if (n.failed())
    return;
  if (sizes.size() != axes.size())
    return n.fail("has " + Twine(sizes.size()) + " sizes for " + Twine(axes.size()) + " axes");
  form.shape = SmallVector<int64_t>(n.shape(x));
  form.scales.assign(n.rank(x), 1);
  double common = policy == "not_larger" ? std::numeric_limits<double>::infinity() : 0;
  for (auto [axis, size] : llvm::zip(axes, sizes)) {
    if (size < 0 || n.dim(x, axis) == 0)
      return n.fail("sizes do not fit the input " + shapeText(n.shape(x)));
    double scale = static_cast<double>(size) / static_cast<double>(n.dim(x, axis));
    form.shape[axis] = size;
    form.scales[axis] = scale;
    common = policy == "not_larger" ? std::min(common, scale) : std::max(common, scale);
  }
  if (policy == "stretch")
    return;
  for (int64_t axis : axes) {
    form.scales[axis] = common;
    double extent = std::floor(common * static_cast<double>(n.dim(x, axis)) + 0.5);
    if (!(extent < 1e15))
      return n.fail("sizes are too large");
    form.shape[axis] = static_cast<int64_t>(extent);
  }
}

void importResize(Node &n) {
  n.expectInputs(1, 4);
  Value x = n.input(0);
  ResizeForm form;
  readChoices(n, form);
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, n.rank(x)));
  axes = n.axes(n.integers("axes", axes), n.rank(x));
  if (n.failed())
    return;
  if (form.coordinates == ResizeCoordinates::tf_crop_and_resize) {
    SmallVector<double> region = n.constantFloats(1, "roi");
    if (!n.failed() && region.size() != 2 * axes.size())
      n.fail("roi has " + Twine(region.size()) + " numbers for " + Twine(axes.size()) + " axes");
    if (n.failed())
      return;
    form.region.assign(n.rank(x), 0);
    form.region.append(n.rank(x), 1);
    for (auto [index, axis] : llvm::enumerate(axes)) {
      form.region[axis] = region[index];
      form.region[axis + n.rank(x)] = region[index + axes.size()];
    }
  }
  bool hasScales = n.has(2) && n.type(n.input(2)).getNumElements() > 0;
  if (hasScales == n.has(3))
    return n.fail("needs either scales or sizes");
  if (!hasScales) {
    readSizes(n, x, axes, form);
    return finishResize(n, x, form);
  }
  n.ignore("keep_aspect_ratio_policy"); // Says something of sizes only.
  SmallVector<double> scales = n.constantFloats(2, "scales");
  if (!n.failed() && scales.size() != axes.size())
    n.fail("has " + Twine(scales.size()) + " scales for " + Twine(axes.size()) + " axes");
  if (n.failed())
    return;
  form.scales.assign(n.rank(x), 1);
  for (auto [axis, scale] : llvm::zip(axes, scales))
    form.scales[axis] = scale;
  scaleShape(n, x, form);
  finishResize(n, x, form);
}

} // namespace

void registerResize(OpTable &table) {
  table.add("Resize", importUpsample, 10, 10);
  table.add("Resize", importResize, 11);
  table.add("Upsample", importUpsample, 7, 9);
}

} // namespace sheaf::onnx
