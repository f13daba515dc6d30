// Computes the places and weights of a resize, as ONNX defines them.
#include "runtime/core/resize_table.h"

#include <algorithm>
#include <cmath>

namespace sheaf::rt {
namespace {

/// Where in the input place `y` of the result lies. `roiStart` and `roiEnd` are fractions of the input.
double sourceOf(const ResizeParams &params, double y, double scale, double inExtent,
                double outExtent, double roiStart, double roiEnd) {
  double scaledExtent = scale * inExtent;
  switch (params.coordinates) {
  case ResizeCoordinates::halfPixel:
    return (y + 0.5) / scale - 0.5;
  case ResizeCoordinates::halfPixelSymmetric:
    return inExtent / 2 * (1 - outExtent / scaledExtent) + (y + 0.5) / scale - 0.5;
  case ResizeCoordinates::pytorchHalfPixel:
    return scaledExtent == 1 ? -0.5 : (y + 0.5) / scale - 0.5;
  case ResizeCoordinates::alignCorners:
    return scaledExtent == 1 ? 0 : y * (inExtent - 1) / (scaledExtent - 1);
  case ResizeCoordinates::asymmetric:
    return y / scale;
  case ResizeCoordinates::tfHalfPixelForNn:
    return (y + 0.5) / scale;
  case ResizeCoordinates::tfCropAndResize:
    return roiStart * (inExtent - 1) +
           (scaledExtent == 1 ? (roiEnd - roiStart) * (inExtent - 1) / 2
                              : y * (roiEnd - roiStart) * (inExtent - 1) / (scaledExtent - 1));
  }
  return y;
}

double roundSource(double x, ResizeRounding rounding) {
  switch (rounding) {
  case ResizeRounding::preferFloor:
    return std::ceil(x - 0.5);
  case ResizeRounding::preferCeil:
    return std::floor(x + 0.5);
  case ResizeRounding::floor:
    return std::floor(x);
  case ResizeRounding::ceil:
    return std::ceil(x);
  }
  return x;
}

/// The cubic kernel with coefficient `a` at distance `x`.
double cubic(double x, double a) {
  x = std::fabs(x);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

double kernel(const ResizeParams &params, double distance) {
  return params.mode == ResizeMode::cubic ? cubic(distance, params.cubicCoefficient)
                                          : std::max(0.0, 1 - std::fabs(distance));
}

} // namespace

ResizeParams ResizeParams::read(Params &params) {
  ResizeParams result;
  result.mode = static_cast<ResizeMode>(params.choice("mode", {"nearest", "linear", "cubic"}, 0));
  result.coordinates = static_cast<ResizeCoordinates>(
      params.choice("coordinates",
                    {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                     "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"},
                    0));
  result.rounding = static_cast<ResizeRounding>(
      params.choice("nearest", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}, 0));
  result.scales = params.numbers("scales");
  result.roi = params.numbers("roi", {});
  result.cubicCoefficient = params.number("cubic_coeff_a", -0.75);
  result.extrapolationValue = params.number("extrapolation_value", 0);
  result.excludeOutside = params.flag("exclude_outside", false);
  result.isAntialiased = params.flag("antialias", false);
  return result;
}

ResizeTable ResizeTable::make(const ResizeParams &params, size_t dim, size_t rank, int64_t inExtent,
                              int64_t outExtent) {
  ResizeTable table;
  double scale = params.scales[dim];
  bool isCrop = params.coordinates == ResizeCoordinates::tfCropAndResize;
  bool isIdentity = scale == 1 && inExtent == outExtent && !isCrop;
  // An antialiased kernel is stretched when the result is smaller.
  double stretch = params.isAntialiased ? std::min(scale, 1.0) : 1.0;
  int64_t reach = params.mode == ResizeMode::cubic ? 2 : 1;
  auto firstTap = static_cast<int64_t>(std::floor(-static_cast<double>(reach) / stretch)) + 1;
  bool isPoint = isIdentity || params.mode == ResizeMode::nearest;
  table.taps = isPoint ? 1 : 2 * (1 - firstTap);
  auto inside = [&](double place) {
    return static_cast<int64_t>(std::clamp(place, 0.0, static_cast<double>(inExtent - 1)));
  };
  for (int64_t i = 0; i < outExtent; ++i) {
    auto y = static_cast<double>(i);
    double x = isIdentity ? y
                          : sourceOf(params, y, scale, static_cast<double>(inExtent),
                                     static_cast<double>(outExtent), isCrop ? params.roi[dim] : 0,
                                     isCrop ? params.roi[rank + dim] : 1);
    table.isExtrapolated.push_back(isCrop && (x < 0 || x > static_cast<double>(inExtent - 1)));
    if (isPoint) {
      table.places.push_back(inside(roundSource(x, params.rounding)));
      table.weights.push_back(1);
      continue;
    }
    // On a place of the input the window lies to its left, as in (0, 1].
    double left = std::ceil(x) - 1, ratio = x - left, sum = 0;
    size_t start = table.weights.size();
    for (int64_t tap = firstTap; tap < firstTap + table.taps; ++tap) {
      double place = left + static_cast<double>(tap);
      bool isOutside = place < 0 || place > static_cast<double>(inExtent - 1);
      double weight = params.excludeOutside && isOutside
                          ? 0
                          : kernel(params, (static_cast<double>(tap) - ratio) * stretch);
      table.places.push_back(inside(place));
      table.weights.push_back(weight);
      sum += weight;
    }
    if ((params.excludeOutside || params.isAntialiased) && sum != 0)
      for (size_t at = start; at < table.weights.size(); ++at)
        table.weights[at] /= sum;
  }
  return table;
}

} // namespace sheaf::rt
