// Where the results of a resize come from, dim by dim.
#ifndef SHEAF_RUNTIME_CORE_RESIZE_TABLE_H
#define SHEAF_RUNTIME_CORE_RESIZE_TABLE_H

#include "runtime/core/params.h"

#include <vector>

namespace sheaf::rt {

enum class ResizeMode { nearest, linear, cubic };
enum class ResizeCoordinates {
  halfPixel,
  halfPixelSymmetric,
  pytorchHalfPixel,
  alignCorners,
  asymmetric,
  tfHalfPixelForNn,
  tfCropAndResize
};
enum class ResizeRounding { preferFloor, preferCeil, floor, ceil };

/// The parameters of `resize` (ONNX Resize, opset 19).
struct ResizeParams {
  ResizeMode mode;
  ResizeCoordinates coordinates;
  ResizeRounding rounding;
  std::vector<double> scales, roi;
  double cubicCoefficient, extrapolationValue;
  bool excludeOutside, isAntialiased;

  static ResizeParams read(Params &params);
};

/// Along one dim, each result is a weighted sum of `taps` places of the input.
struct ResizeTable {
  int64_t taps = 1;
  std::vector<int64_t> places;      ///< [result][tap], within the input
  std::vector<double> weights;      ///< [result][tap]
  std::vector<bool> isExtrapolated; ///< [result]: takes the extrapolation value instead

  /// For dim `dim`, from `inExtent` (at least 1) to `outExtent` places.
  static ResizeTable make(const ResizeParams &params, size_t dim, size_t rank, int64_t inExtent,
                          int64_t outExtent);
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_RESIZE_TABLE_H
