// Describes graphs of operations to cuDNN's backend and has them computed.
#include "runtime/cuda/cudnn_graph.h"

#include <algorithm>
#include <cstring>

namespace sheaf::rt::cuda {
namespace {

/// What a status says of a graph that the library does not take, which is an answer and no failure.
bool isRefusal(cudnnStatus_t error) {
  return CUDNN_STATUS_CATEGORY(error) == CUDNN_STATUS_NOT_SUPPORTED ||
         CUDNN_STATUS_CATEGORY(error) == CUDNN_STATUS_BAD_PARAM;
}

} // namespace

CudnnGraph::Four CudnnGraph::packed(const Four &dims) {
  return {dims[1] * dims[2] * dims[3], dims[2] * dims[3], dims[3], 1};
}

//===--- Descriptors -----------------------------------------------------------===//

void CudnnGraph::note(cudnnStatus_t status, const char *function) {
  if (error != CUDNN_STATUS_SUCCESS || status == CUDNN_STATUS_SUCCESS)
    return;
  error = status;
  failed = function;
}

cudnnBackendDescriptor_t CudnnGraph::make(cudnnBackendDescriptorType_t kind) {
  cudnnBackendDescriptor_t made = nullptr;
  note(cudnn().cudnnBackendCreateDescriptor(kind, &made), "cudnnBackendCreateDescriptor");
  owned.emplace_back(made, cudnn().cudnnBackendDestroyDescriptor);
  return made;
}

void CudnnGraph::set(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                     cudnnBackendAttributeType_t type, const void *values, int64_t count) {
  if (error == CUDNN_STATUS_SUCCESS)
    note(cudnn().cudnnBackendSetAttribute(descriptor, name, type, count, values),
         "cudnnBackendSetAttribute");
}

void CudnnGraph::refer(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                       Tensor tensor) {
  set(descriptor, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, &tensor);
}

cudnnBackendDescriptor_t CudnnGraph::finish(cudnnBackendDescriptor_t descriptor) {
  if (error == CUDNN_STATUS_SUCCESS)
    note(cudnn().cudnnBackendFinalize(descriptor), "cudnnBackendFinalize");
  return descriptor;
}

//===--- Tensors ---------------------------------------------------------------===//

CudnnGraph::Tensor CudnnGraph::tensor(cudnnDataType_t type, const Four &dims, const Four &strides,
                                      const cudnnBackendAttributeName_t *trait) {
  constexpr int64_t alignment = 16;
  constexpr bool isSo = true;
  Tensor tensor = make(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  set(tensor, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, &type);
  set(tensor, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, dims.data(), 4);
  set(tensor, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, strides.data(), 4);
  set(tensor, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, &numTensors);
  set(tensor, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, &alignment);
  if (trait)
    set(tensor, *trait, CUDNN_TYPE_BOOLEAN, &isSo);
  ++numTensors;
  return finish(tensor);
}

CudnnGraph::Tensor CudnnGraph::memory(cudnnDataType_t type, const Four &dims, const Four &strides) {
  memoryIds.push_back(numTensors);
  return tensor(type, dims, strides, nullptr);
}

CudnnGraph::Tensor CudnnGraph::between(cudnnDataType_t type, const Four &dims,
                                       const Four &strides) {
  constexpr cudnnBackendAttributeName_t trait = CUDNN_ATTR_TENSOR_IS_VIRTUAL;
  return tensor(type, dims, strides, &trait);
}

CudnnGraph::Tensor CudnnGraph::number(cudnnDataType_t type, const void *value) {
  constexpr cudnnBackendAttributeName_t trait = CUDNN_ATTR_TENSOR_IS_BY_VALUE;
  numberIds.push_back(numTensors);
  numbers.push_back(std::make_unique<uint64_t>(0));
  std::memcpy(numbers.back().get(), value, 4);
  return tensor(type, {1, 1, 1, 1}, {1, 1, 1, 1}, &trait);
}
CudnnGraph::Tensor CudnnGraph::number(float value) { return number(CUDNN_DATA_FLOAT, &value); }
CudnnGraph::Tensor CudnnGraph::number(int32_t value) { return number(CUDNN_DATA_INT32, &value); }

//===--- Operations ------------------------------------------------------------===//

void CudnnGraph::addOperation(cudnnBackendDescriptor_t operation) {
  operations.push_back(finish(operation));
}

CudnnGraph::Tensor CudnnGraph::multiply(Tensor a, Tensor b, Tensor result) {
  constexpr cudnnDataType_t computed = CUDNN_DATA_FLOAT;
  cudnnBackendDescriptor_t product = make(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  set(product, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, &computed);
  finish(product);
  cudnnBackendDescriptor_t operation = make(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  refer(operation, CUDNN_ATTR_OPERATION_MATMUL_ADESC, a);
  refer(operation, CUDNN_ATTR_OPERATION_MATMUL_BDESC, b);
  refer(operation, CUDNN_ATTR_OPERATION_MATMUL_CDESC, result);
  refer(operation, CUDNN_ATTR_OPERATION_MATMUL_DESC, product);
  addOperation(operation);
  return result;
}

cudnnBackendDescriptor_t CudnnGraph::pointwise(cudnnPointwiseMode_t mode, cudnnDataType_t computed,
                                               const int64_t *axis) {
  cudnnBackendDescriptor_t descriptor = make(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  set(descriptor, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, &mode);
  set(descriptor, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, &computed);
  if (axis)
    set(descriptor, CUDNN_ATTR_POINTWISE_AXIS, CUDNN_TYPE_INT64, axis);
  finish(descriptor);
  cudnnBackendDescriptor_t operation = make(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  refer(operation, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, descriptor);
  return operation;
}

CudnnGraph::Tensor CudnnGraph::map(cudnnPointwiseMode_t mode, Tensor x, Tensor y, Tensor result,
                                   cudnnDataType_t computed) {
  cudnnBackendDescriptor_t operation = pointwise(mode, computed, nullptr);
  refer(operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
  if (y)
    refer(operation, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, y);
  refer(operation, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, result);
  addOperation(operation);
  return result;
}

CudnnGraph::Tensor CudnnGraph::indexOf(Tensor x, int64_t dim, Tensor result) {
  cudnnBackendDescriptor_t operation = pointwise(CUDNN_POINTWISE_GEN_INDEX, CUDNN_DATA_FLOAT, &dim);
  refer(operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
  refer(operation, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, result);
  addOperation(operation);
  return result;
}

CudnnGraph::Tensor CudnnGraph::select(Tensor isChosen, Tensor x, Tensor other, Tensor result) {
  cudnnBackendDescriptor_t operation =
      pointwise(CUDNN_POINTWISE_BINARY_SELECT, CUDNN_DATA_FLOAT, nullptr);
  refer(operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
  refer(operation, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, other);
  refer(operation, CUDNN_ATTR_OPERATION_POINTWISE_TDESC, isChosen);
  refer(operation, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, result);
  addOperation(operation);
  return result;
}

CudnnGraph::Tensor CudnnGraph::reduce(cudnnReduceTensorOp_t kind, Tensor x, Tensor result) {
  constexpr cudnnDataType_t computed = CUDNN_DATA_FLOAT;
  cudnnBackendDescriptor_t reduction = make(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
  set(reduction, CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, &computed);
  set(reduction, CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, &kind);
  finish(reduction);
  cudnnBackendDescriptor_t operation = make(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  refer(operation, CUDNN_ATTR_OPERATION_REDUCTION_DESC, reduction);
  refer(operation, CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x);
  refer(operation, CUDNN_ATTR_OPERATION_REDUCTION_YDESC, result);
  addOperation(operation);
  return result;
}

CudnnGraph::Tensor CudnnGraph::view(Tensor x, Tensor result) {
  cudnnBackendDescriptor_t operation = make(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
  refer(operation, CUDNN_ATTR_OPERATION_RESHAPE_XDESC, x);
  refer(operation, CUDNN_ATTR_OPERATION_RESHAPE_YDESC, result);
  addOperation(operation);
  return result;
}

//===--- Plans -----------------------------------------------------------------===//

/// The ways that the library expects to be good, the fastest first; none where it refuses the graph.
std::vector<cudnnBackendDescriptor_t> CudnnGraph::candidates(cudnnBackendDescriptor_t graph,
                                                             cudnnBackendHeurMode_t mode,
                                                             const Target &target) {
  constexpr int64_t maxWays = 16;
  cudnnBackendDescriptor_t heuristics = make(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  refer(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  set(heuristics, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, &mode);
  if (target.properties)
    refer(heuristics, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, target.properties);
  finish(heuristics);
  std::vector<cudnnBackendDescriptor_t> ways(maxWays);
  for (cudnnBackendDescriptor_t &way : ways)
    way = make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  int64_t count = 0;
  if (error == CUDNN_STATUS_SUCCESS)
    note(cudnn().cudnnBackendGetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                          CUDNN_TYPE_BACKEND_DESCRIPTOR, maxWays, &count,
                                          ways.data()),
         "cudnnBackendGetAttribute");
  if (isRefusal(error)) { // This mode knows no way; another may.
    error = CUDNN_STATUS_SUCCESS;
    return {};
  }
  ways.resize(static_cast<size_t>(std::min(count, maxWays)));
  return ways;
}

/// Keeps the plan if it is made and asks for no more memory.
bool CudnnGraph::tryPlan(cudnnBackendDescriptor_t config, const Target &target,
                         int64_t maxWorkspaceBytes) {
  cudnnBackendDescriptor_t plan = make(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  refer(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
  if (target.properties)
    refer(plan, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, target.properties);
  else
    set(plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, &target.handle);
  if (error != CUDNN_STATUS_SUCCESS || cudnn().cudnnBackendFinalize(plan) != CUDNN_STATUS_SUCCESS)
    return false;
  int64_t bytes = 0, count = 0;
  note(cudnn().cudnnBackendGetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                        CUDNN_TYPE_INT64, 1, &count, &bytes),
       "cudnnBackendGetAttribute");
  if (error != CUDNN_STATUS_SUCCESS || bytes > maxWorkspaceBytes)
    return false;
  chosen = plan;
  planBytes = bytes;
  return true;
}

Result<bool> CudnnGraph::plan(const Target &target, int64_t maxWorkspaceBytes) {
  cudnnBackendDescriptor_t graph = make(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  if (target.handle)
    set(graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, &target.handle);
  set(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, operations.data(),
      static_cast<int64_t>(operations.size()));
  finish(graph);
  if (isRefusal(error))
    return false;
  for (cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK})
    for (cudnnBackendDescriptor_t config : candidates(graph, mode, target))
      if (tryPlan(config, target, maxWorkspaceBytes))
        return true;
  if (error == CUDNN_STATUS_SUCCESS)
    return false;
  return statusOf(error, failed);
}

Status CudnnGraph::run(cudnnHandle_t handle, std::span<void *const> memory, void *workspace) const {
  std::vector<int64_t> ids = memoryIds;
  ids.insert(ids.end(), numberIds.begin(), numberIds.end());
  std::vector<void *> places(memory.begin(), memory.end());
  for (const std::unique_ptr<uint64_t> &number : numbers)
    places.push_back(number.get());
  cudnnBackendDescriptor_t pack = nullptr;
  cudnnStatus_t error =
      cudnn().cudnnBackendCreateDescriptor(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, &pack);
  Descriptor owner(pack, cudnn().cudnnBackendDestroyDescriptor);
  auto count = static_cast<int64_t>(ids.size());
  auto set = [&](cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
                 const void *values) {
    if (error == CUDNN_STATUS_SUCCESS)
      error = cudnn().cudnnBackendSetAttribute(pack, name, type, count, values);
  };
  set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count, ids.data());
  set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count, places.data());
  set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
  if (error == CUDNN_STATUS_SUCCESS)
    error = cudnn().cudnnBackendFinalize(pack);
  if (error == CUDNN_STATUS_SUCCESS)
    error = cudnn().cudnnBackendExecute(handle, chosen, pack);
  return statusOf(error, "cudnnBackendExecute");
}

} // namespace sheaf::rt::cuda
