// RoiAlign: pooling of regions by bilinear samples (He et al. 2017).
#include "importers/onnx/node.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

/// The samples along one spatial dim, each `[r, samples]`: lower and upper place, the weight of the upper
/// one, and whether the sample is in the image.
struct Samples {
  Value low, high, fraction, isInside;
};

/// Samples `bins * ratio` places evenly between the region's bounds, columns `first` and `first + 2`.
Samples sampleDim(Node &n, Value regions, int64_t first, int64_t bins, int64_t ratio,
                  int64_t extent, bool isHalfPixel) {
  Value start = n.sliceDim(regions, 1, first, first + 1);
  Value size = n.sub(n.sliceDim(regions, 1, first + 2, first + 3), start);
  auto number = [&](double value) { return n.number(value, regions); };
  if (!isHalfPixel) // Regions are at least one pixel.
    size = n.max(size, number(1));
  Value binSize = n.div(size, number(static_cast<double>(bins)));
  SmallVector<double> steps;
  for (int64_t bin = 0; bin < bins; ++bin)
    for (int64_t index = 0; index < ratio; ++index)
      steps.push_back(static_cast<double>(bin) +
                      (static_cast<double>(index) + 0.5) / static_cast<double>(ratio));
  Value step = n.floats(steps, {1, bins * ratio}, n.element(regions));
  Value place = n.add(start, n.mul(binSize, step));
  Value isInside = n.binary(BinaryKind::bitwise_and, n.compare(CompareKind::ge, place, number(-1)),
                            n.compare(CompareKind::le, place, number(static_cast<double>(extent))));
  Value last = number(static_cast<double>(extent - 1));
  Value bounded = n.min(n.max(place, number(0)), last);
  Value low = n.unary(UnaryKind::floor, bounded), high = n.min(n.add(low, number(1)), last);
  return {low, high, n.sub(bounded, low), isInside};
}

void importRoiAlign(Node &n) {
  n.expectInputs(3, 3);
  Value x = n.input(0), regions = n.input(1), batch = n.input(2);
  std::string mode = n.string("mode", "avg");
  std::string coordinates = n.opset() < 16
                                ? "output_half_pixel"
                                : n.string("coordinate_transformation_mode", "half_pixel");
  int64_t rows = n.integer("output_height", 1), columns = n.integer("output_width", 1);
  int64_t ratio = n.integer("sampling_ratio", 0);
  double scale = n.real("spatial_scale", 1);
  n.expectChoice("mode", mode, {"avg", "max"});
  n.expectChoice("coordinate_transformation_mode", coordinates,
                 {"half_pixel", "output_half_pixel"});
  if (!n.failed() && ratio == 0)
    n.fail("sampling_ratio is 0: the number of samples depends on data");
  constexpr int64_t kMost = 4096;
  if (!n.failed() && (n.rank(x) != 4 || n.rank(regions) != 2 || n.dim(regions, 1) != 4 ||
                      rows <= 0 || columns <= 0 || ratio < 0 || rows > kMost || columns > kMost ||
                      ratio > kMost || n.dim(x, 2) == 0 || n.dim(x, 3) == 0))
    n.fail("its sizes do not fit the input " + shapeText(n.shape(x)));
  if (n.failed())
    return;
  bool isHalfPixel = coordinates == "half_pixel";
  int64_t r = n.dim(regions, 0), c = n.dim(x, 1), height = n.dim(x, 2), width = n.dim(x, 3);
  Value scaled =
      n.sub(n.mul(regions, n.number(scale, regions)), n.number(isHalfPixel ? 0.5 : 0, regions));
  Samples ys = sampleDim(n, scaled, 1, rows, ratio, height, isHalfPixel);
  Samples xs = sampleDim(n, scaled, 0, columns, ratio, width, isHalfPixel);
  int64_t points = rows * ratio * columns * ratio;
  Value pixels = n.reshape(n.gather(x, batch, 0), {r, c, height * width});
  Type i64 = IntegerType::get(n.context(), 64);
  Value isInside = n.binary(BinaryKind::bitwise_and, n.unsqueeze(ys.isInside, {2}),
                            n.unsqueeze(xs.isInside, {1}));
  Value one = n.number(1, regions), total;
  for (bool isLower : {false, true})
    for (bool isRight : {false, true}) {
      Value y = n.unsqueeze(isLower ? ys.high : ys.low, {2});
      Value xPlace = n.unsqueeze(isRight ? xs.high : xs.low, {1});
      Value index = n.add(n.mul(n.cast(y, i64), n.scalar(i64, static_cast<double>(width))),
                          n.cast(xPlace, i64));
      Value corner = n.gather(pixels, n.reshape(index, {r, points}), 2, 1);
      Value yWeight = n.unsqueeze(isLower ? ys.fraction : n.sub(one, ys.fraction), {2});
      Value xWeight = n.unsqueeze(isRight ? xs.fraction : n.sub(one, xs.fraction), {1});
      Value weight = n.mul(yWeight, xWeight);
      weight = n.select(isInside, weight, n.number(0, weight));
      Value part = n.mul(corner, n.reshape(n.cast(weight, n.element(x)), {r, 1, points}));
      if (!total)
        total = part;
      else
        total = mode == "avg" ? n.add(total, part) : n.max(total, part);
    }
  Value samples = n.reshape(total, {r, c, rows, ratio, columns, ratio});
  n.output(0, mode == "avg" ? n.mean(samples, {3, 5}) : n.reduce(ReduceKind::max, samples, {3, 5}));
}

} // namespace

void registerRoiAlign(OpTable &table) { table.add("RoiAlign", importRoiAlign, 10); }

} // namespace sheaf::onnx
