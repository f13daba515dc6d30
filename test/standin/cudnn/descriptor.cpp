// libcudnn: handles and descriptors.
#include "test/standin/cudnn/convolution.h"
#include "test/standin/cudnn/handle.h"

#include <optional>

using namespace sheaf::standin;
using namespace sheaf::standin::cudnn;

static std::optional<FloatType> floatType(cudnnDataType_t type) {
  switch (type) {
  case CUDNN_DATA_FLOAT:
    return FloatType::f32;
  case CUDNN_DATA_DOUBLE:
    return FloatType::f64;
  case CUDNN_DATA_HALF:
    return FloatType::f16;
  case CUDNN_DATA_BFLOAT16:
    return FloatType::bf16;
  default:
    return std::nullopt;
  }
}

size_t cudnnGetVersion() { return CUDNN_VERSION; }

const char *cudnnGetErrorString(cudnnStatus_t status) {
  switch (status) {
  case CUDNN_STATUS_SUCCESS:
    return "CUDNN_STATUS_SUCCESS";
  case CUDNN_STATUS_BAD_PARAM:
    return "CUDNN_STATUS_BAD_PARAM";
  case CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH:
    return "CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH";
  case CUDNN_STATUS_NOT_SUPPORTED:
    return "CUDNN_STATUS_NOT_SUPPORTED";
  default:
    return "another CUDNN_STATUS";
  }
}

cudnnStatus_t cudnnCreate(cudnnHandle_t *handle) {
  *handle = reinterpret_cast<cudnnHandle_t>(new Handle);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  delete toHandle(handle);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  toHandle(handle)->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t *handle) {
  *handle = reinterpret_cast<cudnnTensorDescriptor_t>(new Tensor);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t handle) {
  delete toTensor(handle);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t handle, cudnnDataType_t type,
                                         int rank, const int sizes[], const int strides[]) {
  std::optional<FloatType> element = floatType(type);
  if (!element)
    return CUDNN_STATUS_NOT_SUPPORTED;
  if (rank < 3 || rank > CUDNN_DIM_MAX)
    return CUDNN_STATUS_BAD_PARAM;
  for (int i = 0; i < rank; ++i)
    if (sizes[i] < 1 || strides[i] < 1)
      return CUDNN_STATUS_BAD_PARAM;
  *toTensor(handle) = {*element, {sizes, sizes + rank}, {strides, strides + rank}};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t *handle) {
  *handle = reinterpret_cast<cudnnFilterDescriptor_t>(new Tensor);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t handle) {
  delete toTensor(handle);
  return CUDNN_STATUS_SUCCESS;
}

/// `sizes` is [k, c, space...] in every format, which says how the filter lies.
cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t handle, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int rank, const int sizes[]) {
  std::optional<FloatType> element = floatType(type);
  if (!element || (format != CUDNN_TENSOR_NCHW && format != CUDNN_TENSOR_NHWC))
    return CUDNN_STATUS_NOT_SUPPORTED;
  if (rank < 3 || rank > CUDNN_DIM_MAX)
    return CUDNN_STATUS_BAD_PARAM;
  std::vector<size_t> order; // of dims, from the fastest
  const auto last = static_cast<size_t>(rank) - 1;
  if (format == CUDNN_TENSOR_NHWC)
    order.push_back(1);
  for (size_t dim = last; dim > 1; --dim)
    order.push_back(dim);
  if (format == CUDNN_TENSOR_NCHW)
    order.push_back(1);
  order.push_back(0);
  Tensor &tensor = *toTensor(handle);
  tensor = {*element, {sizes, sizes + rank}, std::vector<int64_t>(static_cast<size_t>(rank))};
  int64_t stride = 1;
  for (size_t dim : order) {
    tensor.strides[dim] = stride;
    stride *= sizes[dim];
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t *handle) {
  *handle = reinterpret_cast<cudnnConvolutionDescriptor_t>(new Geometry);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t handle) {
  delete toGeometry(handle);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t handle, int rank,
                                              const int pads[], const int strides[],
                                              const int dilations[], cudnnConvolutionMode_t mode,
                                              cudnnDataType_t computeType) {
  std::optional<FloatType> compute = floatType(computeType);
  if (rank < 1 || rank > 3)
    return CUDNN_STATUS_BAD_PARAM;
  for (int i = 0; i < rank; ++i)
    if (pads[i] < 0 || strides[i] < 1 || dilations[i] < 1)
      return CUDNN_STATUS_BAD_PARAM;
  if (!compute)
    return CUDNN_STATUS_NOT_SUPPORTED;
  *toGeometry(handle) = {{pads, pads + rank},
                         {strides, strides + rank},
                         {dilations, dilations + rank},
                         1,
                         mode == CUDNN_CONVOLUTION,
                         *compute,
                         CUDNN_DEFAULT_MATH};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t handle, int groups) {
  toGeometry(handle)->groups = groups;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t handle,
                                          cudnnMathType_t mathType) {
  toGeometry(handle)->mathType = mathType;
  return CUDNN_STATUS_SUCCESS;
}
