// Descriptors and graphs that cuDNN does not take. What it computes of those that it takes, the tests of calls compare
// with sums in double (test/runtime/host/attention*_test.cpp).
#include "test/standin/cudart/device_test.h"

#include <cudnn.h>

namespace sheaf::standin {
namespace {

class Backend : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(cudnnCreate(&handle), CUDNN_STATUS_SUCCESS);
  }
  void TearDown() override {
    for (cudnnBackendDescriptor_t descriptor : made)
      cudnnBackendDestroyDescriptor(descriptor);
    cudnnDestroy(handle);
    DeviceTest::TearDown();
  }

  cudnnBackendDescriptor_t make(cudnnBackendDescriptorType_t kind) {
    cudnnBackendDescriptor_t descriptor = nullptr;
    EXPECT_EQ(cudnnBackendCreateDescriptor(kind, &descriptor), CUDNN_STATUS_SUCCESS);
    made.push_back(descriptor);
    return descriptor;
  }
  static cudnnStatus_t set(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                           cudnnBackendAttributeType_t type, const auto &value) {
    return cudnnBackendSetAttribute(descriptor, name, type, 1, &value);
  }
  /// All but finished; of 2 heads of 8 x 8.
  cudnnBackendDescriptor_t tensor(int64_t id, bool isVirtual) {
    cudnnBackendDescriptor_t tensor = make(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    const int64_t dims[] = {1, 2, 8, 8}, strides[] = {128, 64, 8, 1};
    set(tensor, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_HALF);
    cudnnBackendSetAttribute(tensor, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, dims);
    cudnnBackendSetAttribute(tensor, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides);
    set(tensor, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, id);
    if (isVirtual)
      set(tensor, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, true);
    return tensor;
  }
  cudnnBackendDescriptor_t finished(int64_t id, bool isVirtual = false) {
    cudnnBackendDescriptor_t result = tensor(id, isVirtual);
    set(result, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, int64_t(16));
    EXPECT_EQ(cudnnBackendFinalize(result), CUDNN_STATUS_SUCCESS);
    return result;
  }
  cudnnBackendDescriptor_t product(cudnnBackendDescriptor_t a, cudnnBackendDescriptor_t b,
                                   cudnnBackendDescriptor_t c) {
    cudnnBackendDescriptor_t math = make(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
    set(math, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    EXPECT_EQ(cudnnBackendFinalize(math), CUDNN_STATUS_SUCCESS);
    cudnnBackendDescriptor_t product = make(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
    set(product, CUDNN_ATTR_OPERATION_MATMUL_ADESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, a);
    set(product, CUDNN_ATTR_OPERATION_MATMUL_BDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, b);
    set(product, CUDNN_ATTR_OPERATION_MATMUL_CDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, c);
    set(product, CUDNN_ATTR_OPERATION_MATMUL_DESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, math);
    EXPECT_EQ(cudnnBackendFinalize(product), CUDNN_STATUS_SUCCESS);
    return product;
  }

  cudnnHandle_t handle = nullptr;
  std::vector<cudnnBackendDescriptor_t> made;
};

TEST_F(Backend, descriptorsAreSetAsTheyAreDeclaredAndThenFinished) {
  cudnnBackendDescriptor_t unfinished = tensor(0, false);
  EXPECT_EQ(cudnnBackendFinalize(unfinished), CUDNN_STATUS_BAD_PARAM); // It lacks an alignment.
  EXPECT_EQ(set(unfinished, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT32, int64_t(16)),
            CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(set(unfinished, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT),
            CUDNN_STATUS_NOT_SUPPORTED);
  cudnnBackendDescriptor_t product = make(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  EXPECT_EQ(
      set(product, CUDNN_ATTR_OPERATION_MATMUL_ADESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, unfinished),
      CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(set(finished(1), CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, int64_t(2)),
            CUDNN_STATUS_BAD_PARAM);
}

TEST_F(Backend, graphsThatNoEngineKnowsAreRefused) {
  cudnnBackendDescriptor_t between = finished(1, /*isVirtual=*/true);
  const cudnnBackendDescriptor_t operations[] = {product(finished(0), finished(2), between),
                                                 product(between, finished(3), finished(4))};
  cudnnBackendDescriptor_t graph = make(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  set(graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, handle);
  cudnnBackendSetAttribute(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 2,
                           operations);
  ASSERT_EQ(cudnnBackendFinalize(graph), CUDNN_STATUS_SUCCESS);
  cudnnBackendDescriptor_t heuristics = make(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  set(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, graph);
  set(heuristics, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, CUDNN_HEUR_MODE_A);
  EXPECT_EQ(cudnnBackendFinalize(heuristics), CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN);
}

} // namespace
} // namespace sheaf::standin
