// Convolutions of cuDNN: forward, and the gradients of data and filter.
#ifndef SHEAF_TEST_STANDIN_CUDNN_CONVOLUTION_H
#define SHEAF_TEST_STANDIN_CUDNN_CONVOLUTION_H

#include <cudnn.h>

#include "test/standin/cudnn/tensor.h"

namespace sheaf::standin::cudnn {

struct Geometry {
  std::vector<int> pads, strides, dilations;
  int groups = 1;
  bool isFlipped = false; ///< CUDNN_CONVOLUTION, which nobody uses
  FloatType computeType = FloatType::f32;
  cudnnMathType_t mathType = CUDNN_DEFAULT_MATH;
};

/// Which of the three tensors is computed from the other two.
enum class Wanted : uint8_t { Output, Input, Filter };

struct Convolution {
  Geometry geometry;
  Tensor x, w, y; ///< [n, c, space...], [k, c / groups, space...], [n, k, space...]
  Wanted wanted = Wanted::Output;
  const void *xData = nullptr, *wData = nullptr, *yData = nullptr; ///< the wanted one is written
  double alpha = 1, beta = 0;
  bool isDeterministic = true;
  void *workspace = nullptr;
  size_t workspaceBytes = 0;

  cudnnStatus_t check() const;
  void run(Execution &execution) const;
};

inline Tensor *toTensor(cudnnTensorDescriptor_t handle) {
  return reinterpret_cast<Tensor *>(handle);
}
inline Tensor *toTensor(cudnnFilterDescriptor_t handle) {
  return reinterpret_cast<Tensor *>(handle);
}
inline Geometry *toGeometry(cudnnConvolutionDescriptor_t handle) {
  return reinterpret_cast<Geometry *>(handle);
}

} // namespace sheaf::standin::cudnn

#endif
