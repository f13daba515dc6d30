// libcudnn: the backend's descriptors, heuristics, plans and their execution.
#include "test/standin/cudnn/backend.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "test/standin/cudart/state.h"
#include "test/standin/cudnn/fused_graph.h"
#include "test/standin/cudnn/handle.h"

using namespace sheaf::standin;
using namespace sheaf::standin::cudnn;

namespace {

/// An attribute of a kind of descriptor.
struct Rule {
  cudnnBackendAttributeName_t name;
  cudnnBackendAttributeType_t type;
  bool isNeeded = true;
  int64_t most = 1; ///< values
};

constexpr auto descriptor = CUDNN_TYPE_BACKEND_DESCRIPTOR;

/// What is known of each kind: nothing else may be set.
const std::map<cudnnBackendDescriptorType_t, std::vector<Rule>> rules = {
    {CUDNN_BACKEND_TENSOR_DESCRIPTOR,
     {{CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE},
      {CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, true, CUDNN_DIM_MAX},
      {CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, true, CUDNN_DIM_MAX},
      {CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64},
      {CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64},
      {CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, false},
      {CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, false}}},
    {CUDNN_BACKEND_MATMUL_DESCRIPTOR, {{CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE}}},
    {CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR,
     {{CUDNN_ATTR_OPERATION_MATMUL_ADESC, descriptor},
      {CUDNN_ATTR_OPERATION_MATMUL_BDESC, descriptor},
      {CUDNN_ATTR_OPERATION_MATMUL_CDESC, descriptor},
      {CUDNN_ATTR_OPERATION_MATMUL_DESC, descriptor}}},
    {CUDNN_BACKEND_POINTWISE_DESCRIPTOR,
     {{CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE},
      {CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE},
      {CUDNN_ATTR_POINTWISE_AXIS, CUDNN_TYPE_INT64, false}}},
    {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR,
     {{CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, descriptor},
      {CUDNN_ATTR_OPERATION_POINTWISE_XDESC, descriptor},
      {CUDNN_ATTR_OPERATION_POINTWISE_BDESC, descriptor, false},
      {CUDNN_ATTR_OPERATION_POINTWISE_TDESC, descriptor, false},
      {CUDNN_ATTR_OPERATION_POINTWISE_YDESC, descriptor}}},
    {CUDNN_BACKEND_REDUCTION_DESCRIPTOR,
     {{CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE},
      {CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE}}},
    {CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR,
     {{CUDNN_ATTR_OPERATION_REDUCTION_DESC, descriptor},
      {CUDNN_ATTR_OPERATION_REDUCTION_XDESC, descriptor},
      {CUDNN_ATTR_OPERATION_REDUCTION_YDESC, descriptor}}},
    {CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR,
     {{CUDNN_ATTR_OPERATION_RESHAPE_XDESC, descriptor},
      {CUDNN_ATTR_OPERATION_RESHAPE_YDESC, descriptor}}},
    {CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR,
     {{CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE},
      {CUDNN_ATTR_OPERATIONGRAPH_OPS, descriptor, true, 100}}},
    {CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR,
     {{CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, descriptor},
      {CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE}}},
    {CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, {}},
    {CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR,
     {{CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE},
      {CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, descriptor}}},
    {CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR,
     {{CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, true, 100},
      {CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, true, 100},
      {CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR}}},
};

size_t bytesOf(cudnnBackendAttributeType_t type) {
  switch (type) {
  case CUDNN_TYPE_BOOLEAN:
    return sizeof(bool);
  case CUDNN_TYPE_INT64:
    return sizeof(int64_t);
  case CUDNN_TYPE_HANDLE:
  case CUDNN_TYPE_VOID_PTR:
    return sizeof(void *);
  default:
    return sizeof(cudnnDataType_t); // Enumerators, all of one size.
  }
}

/// The graph that a configuration, which heuristics have filled, is for.
constexpr auto graphOfConfig = CUDNN_ATTR_ENGINECFG_ENGINE;

/// Of a tensor.
cudnnStatus_t checkTensor(const Descriptor &tensor) {
  auto dims = tensor.list<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS),
       strides = tensor.list<int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
  bool isFit = dims.size() == strides.size() && dims.size() >= 3 &&
               std::ranges::all_of(dims, [](int64_t dim) { return dim > 0; }) &&
               std::ranges::all_of(strides, [](int64_t stride) { return stride > 0; });
  return isFit ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}

std::atomic<int> numPlanRuns = 0;

/// Says at the end of the process how many plans have run.
struct Report {
  ~Report() {
    if (std::getenv("SHEAF_STANDIN_REPORT"))
      std::fprintf(stderr, "standin: %d plans of cuDNN\n", numPlanRuns.load());
  }
} report;

} // namespace

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t kind,
                                           cudnnBackendDescriptor_t *handle) {
  if (!rules.contains(kind))
    return CUDNN_STATUS_NOT_SUPPORTED;
  *handle = new DescriptorRef(std::make_shared<Descriptor>(Descriptor{kind, {}}));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t handle) {
  delete static_cast<DescriptorRef *>(handle);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t handle,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t count,
                                       const void *values) {
  Descriptor &descriptor = *toDescriptor(handle);
  const std::vector<Rule> &known = rules.at(descriptor.kind);
  auto rule = std::ranges::find(known, name, &Rule::name);
  if (rule == known.end())
    return CUDNN_STATUS_NOT_SUPPORTED;
  if (descriptor.isFinal || rule->type != type || count < 1 || count > rule->most || !values)
    return CUDNN_STATUS_BAD_PARAM;
  Attribute attribute;
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    for (int64_t i = 0; i < count; ++i) {
      const auto *handles = static_cast<const cudnnBackendDescriptor_t *>(values);
      if (!handles[i] || !toDescriptor(handles[i])->isFinal)
        return CUDNN_STATUS_BAD_PARAM;
      attribute.descriptors.push_back(toDescriptor(handles[i]));
    }
  } else {
    const auto *bytes = static_cast<const std::byte *>(values);
    attribute.bytes.assign(bytes, bytes + static_cast<size_t>(count) * bytesOf(type));
  }
  descriptor.attributes[name] = std::move(attribute);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t handle) {
  Descriptor &descriptor = *toDescriptor(handle);
  for (const Rule &rule : rules.at(descriptor.kind))
    if (rule.isNeeded && !descriptor.has(rule.name))
      return CUDNN_STATUS_BAD_PARAM;
  cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
  if (descriptor.kind == CUDNN_BACKEND_TENSOR_DESCRIPTOR)
    status = checkTensor(descriptor);
  if (descriptor.kind == CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR)
    status = FusedGraph(descriptor.refer(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH)).check();
  descriptor.isFinal = status == CUDNN_STATUS_SUCCESS;
  return status;
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t handle,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t, int64_t wanted, int64_t *count,
                                       void *values) {
  const Descriptor &descriptor = *toDescriptor(handle);
  if (!descriptor.isFinal || wanted < 1)
    return CUDNN_STATUS_BAD_PARAM;
  *count = 1;
  if (name == CUDNN_ATTR_ENGINEHEUR_RESULTS) {
    Descriptor &config = *toDescriptor(*static_cast<cudnnBackendDescriptor_t *>(values));
    config.attributes[graphOfConfig] =
        descriptor.attributes.at(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
    config.isFinal = true;
    return CUDNN_STATUS_SUCCESS;
  }
  if (name != CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE)
    return CUDNN_STATUS_NOT_SUPPORTED;
  *static_cast<int64_t *>(values) = FusedGraph::workspaceBytes;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t planHandle,
                                  cudnnBackendDescriptor_t packHandle) {
  const Descriptor &plan = *toDescriptor(planHandle), &pack = *toDescriptor(packHandle);
  if (!plan.isFinal || !pack.isFinal)
    return CUDNN_STATUS_BAD_PARAM;
  auto graph = std::make_shared<FusedGraph>(
      plan.refer(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG).refer(graphOfConfig));
  if (cudnnStatus_t status = graph->bind(pack); status != CUDNN_STATUS_SUCCESS)
    return status;
  Stream *stream = cudart::toStream(toHandle(handle)->stream);
  if (!stream)
    return CUDNN_STATUS_BAD_PARAM;
  ++numPlanRuns;
  const cudaError_t error = cudart::call([&] {
    return cudart::submit(*stream, Operation("plan of cuDNN", [graph](Execution &execution) {
      graph->run(execution);
    }));
  });
  return error == cudaSuccess ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_EXECUTION_FAILED;
}
