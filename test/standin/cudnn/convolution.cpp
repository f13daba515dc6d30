// Convolves in plain loops: all three forms walk over the same products of an input, a weight and an output.
#include "test/standin/cudnn/convolution.h"

#include <atomic>
#include <cstring>

namespace sheaf::standin::cudnn {

cudnnStatus_t Convolution::check() const {
  const size_t space = geometry.pads.size();
  if (x.sizes.size() != space + 2 || w.sizes.size() != space + 2 || y.sizes.size() != space + 2)
    return CUDNN_STATUS_BAD_PARAM;
  if (x.sizes[0] != y.sizes[0] || w.sizes[0] != y.sizes[1] || geometry.groups < 1 ||
      w.sizes[1] * geometry.groups != x.sizes[1] || w.sizes[0] % geometry.groups)
    return CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
  for (size_t i = 0; i < space; ++i) {
    const int64_t reach = geometry.dilations[i] * (w.sizes[i + 2] - 1) + 1;
    const int64_t room = x.sizes[i + 2] + 2 * geometry.pads[i] - reach;
    if (room < 0 || y.sizes[i + 2] != room / geometry.strides[i] + 1)
      return CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
  }
  const FloatType wider = x.type == FloatType::f64 ? FloatType::f64 : FloatType::f32;
  if (x.type != w.type || x.type != y.type || geometry.computeType != wider || space < 2 ||
      space > 3 || geometry.isFlipped)
    return CUDNN_STATUS_NOT_SUPPORTED;
  return CUDNN_STATUS_SUCCESS;
}

namespace {

/// Walks over the products along one spatial dim after the other.
class Walk {
public:
  Walk(const Convolution &convolution, std::vector<double> &x, std::vector<double> &w,
       std::vector<double> &y)
      : c(convolution), x(x), w(w), y(y), numSpace(convolution.geometry.pads.size()) {}

  void run() {
    const int64_t groupInputs = c.w.sizes[1], groupOutputs = c.w.sizes[0] / c.geometry.groups;
    for (int64_t n = 0; n < c.x.sizes[0]; ++n)
      for (int64_t k = 0; k < c.y.sizes[1]; ++k)
        for (int64_t i = 0; i < groupInputs; ++i) {
          const int64_t channel = k / groupOutputs * groupInputs + i;
          step(0, n * c.x.sizes[1] + channel, k * groupInputs + i, n * c.y.sizes[1] + k);
        }
  }

private:
  /// The arguments are indices of the dims before `dim` in the three tensors.
  void step(size_t dim, int64_t xAt, int64_t wAt, int64_t yAt) {
    if (dim == numSpace)
      return multiply(static_cast<size_t>(xAt), static_cast<size_t>(wAt), static_cast<size_t>(yAt));
    const int64_t xSize = c.x.sizes[dim + 2], wSize = c.w.sizes[dim + 2],
                  ySize = c.y.sizes[dim + 2];
    for (int64_t tap = 0; tap < wSize; ++tap)
      for (int64_t out = 0; out < ySize; ++out) {
        const int64_t in =
            out * c.geometry.strides[dim] - c.geometry.pads[dim] + tap * c.geometry.dilations[dim];
        if (in >= 0 && in < xSize)
          step(dim + 1, xAt * xSize + in, wAt * wSize + tap, yAt * ySize + out);
      }
  }

  void multiply(size_t xAt, size_t wAt, size_t yAt) {
    switch (c.wanted) {
    case Wanted::Output:
      y[yAt] += x[xAt] * w[wAt];
      break;
    case Wanted::Input:
      x[xAt] += y[yAt] * w[wAt];
      break;
    case Wanted::Filter:
      w[wAt] += x[xAt] * y[yAt];
      break;
    }
  }

  const Convolution &c;
  std::vector<double> &x, &w, &y;
  const size_t numSpace;
};

} // namespace

void Convolution::run(Execution &execution) const {
  // Whoever else uses the workspace at the same time must be found.
  if (workspaceBytes)
    std::memset(execution.write(workspace, workspaceBytes), 0xa5, workspaceBytes);
  // Unless it is forbidden, f32 goes through tensor cores as TF32.
  const bool isTf32 = x.type == FloatType::f32 && geometry.mathType != CUDNN_FMA_MATH;
  auto fetch = [&](const Tensor &tensor, const void *data, Wanted role) {
    if (wanted == role)
      return std::vector<double>(static_cast<size_t>(tensor.count()));
    std::vector<double> values = tensor.read(execution, data);
    for (double &value : values)
      value = isTf32 ? static_cast<double>(roundToTf32(static_cast<float>(value))) : value;
    return values;
  };
  std::vector<double> xs = fetch(x, xData, Wanted::Input), ws = fetch(w, wData, Wanted::Filter),
                      ys = fetch(y, yData, Wanted::Output);
  Walk(*this, xs, ws, ys).run();
  // Where terms come in any order, two runs differ by rounding.
  static std::atomic<unsigned> runs = 0;
  const double scale = isDeterministic ? alpha : alpha * (1 + (++runs % 2) * 0x1p-20);
  switch (wanted) {
  case Wanted::Output:
    return y.write(execution, const_cast<void *>(yData), ys, scale, beta);
  case Wanted::Input:
    return x.write(execution, const_cast<void *>(xData), xs, scale, beta);
  case Wanted::Filter:
    return w.write(execution, const_cast<void *>(wData), ws, scale, beta);
  }
}

} // namespace sheaf::standin::cudnn
