// Graphs of operations that cuDNN computes at once.
#ifndef SHEAF_RUNTIME_CUDA_CUDNN_GRAPH_H
#define SHEAF_RUNTIME_CUDA_CUDNN_GRAPH_H

#include "runtime/cuda/cudnn.h"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace sheaf::rt::cuda {

/// A graph, as the backend API of cuDNN 9 has it, and a plan that computes it. First it is described: what goes wrong
/// there `plan` tells. Tensors have four dims, and strides in elements.
class CudnnGraph {
public:
  using Four = std::array<int64_t, 4>;
  using Tensor = cudnnBackendDescriptor_t; ///< lives as long as the graph

  /// What a plan is made for: a handle, or, where there is no GPU, finished properties of one.
  struct Target {
    cudnnHandle_t handle = nullptr;
    cudnnBackendDescriptor_t properties = nullptr;
  };

  /// Row-major strides.
  static Four packed(const Four &dims);

  /// A tensor in memory that begins at a multiple of 16 bytes; `run` takes their addresses in the order of these calls.
  Tensor memory(cudnnDataType_t type, const Four &dims, const Four &strides);
  /// A tensor that only operations of this graph see.
  Tensor between(cudnnDataType_t type, const Four &dims, const Four &strides);
  Tensor between(cudnnDataType_t type, const Four &dims) {
    return between(type, dims, packed(dims));
  }
  /// A number, broadcast.
  Tensor number(float value);
  Tensor number(int32_t value);

  // Operations write `result` and return it. Sums are f32.

  /// The products of the matrices in the last two dims; of `b` there may be fewer, which are repeated within a batch.
  Tensor multiply(Tensor a, Tensor b, Tensor result);
  /// What `mode` makes of each element of `x` and, for modes of two operands, of `y`.
  Tensor map(cudnnPointwiseMode_t mode, Tensor x, Tensor y, Tensor result,
             cudnnDataType_t computed = CUDNN_DATA_FLOAT);
  Tensor map(cudnnPointwiseMode_t mode, Tensor x, Tensor result) {
    return map(mode, x, nullptr, result);
  }
  /// Each element's place along `dim` of `x`.
  Tensor indexOf(Tensor x, int64_t dim, Tensor result);
  /// `x` where `isChosen`, elsewhere `other`.
  Tensor select(Tensor isChosen, Tensor x, Tensor other, Tensor result);
  /// Reduces the dims in which `result` is shorter.
  Tensor reduce(cudnnReduceTensorOp_t kind, Tensor x, Tensor result);
  /// The elements of `x` as `result` has them, by its strides.
  Tensor view(Tensor x, Tensor result);

  /// Makes a plan. False: the library has none that asks for no more than so many bytes.
  Result<bool> plan(const Target &target, int64_t maxWorkspaceBytes);

  size_t workspaceBytes() const { return static_cast<size_t>(planBytes); }

  /// Puts it into the stream of `handle`.
  Status run(cudnnHandle_t handle, std::span<void *const> memory, void *workspace) const;

private:
  using Descriptor = std::unique_ptr<void, cudnnStatus_t (*)(void *)>;

  Tensor make(cudnnBackendDescriptorType_t kind);
  void set(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
           cudnnBackendAttributeType_t type, const void *values, int64_t count = 1);
  void refer(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name, Tensor tensor);
  cudnnBackendDescriptor_t finish(cudnnBackendDescriptor_t descriptor);
  Tensor tensor(cudnnDataType_t type, const Four &dims, const Four &strides,
                const cudnnBackendAttributeName_t *trait);
  Tensor number(cudnnDataType_t type, const void *value);
  cudnnBackendDescriptor_t pointwise(cudnnPointwiseMode_t mode, cudnnDataType_t computed,
                                     const int64_t *axis);
  void addOperation(cudnnBackendDescriptor_t operation);
  std::vector<cudnnBackendDescriptor_t>
  candidates(cudnnBackendDescriptor_t graph, cudnnBackendHeurMode_t mode, const Target &target);
  bool tryPlan(cudnnBackendDescriptor_t config, const Target &target, int64_t maxWorkspaceBytes);
  void note(cudnnStatus_t error, const char *function);

  std::vector<Descriptor> owned;
  std::vector<cudnnBackendDescriptor_t> operations;
  int64_t numTensors = 0;
  std::vector<int64_t> memoryIds, numberIds;
  std::vector<std::unique_ptr<uint64_t>> numbers; ///< where the library reads them
  cudnnStatus_t error = CUDNN_STATUS_SUCCESS;     ///< the first
  const char *failed = nullptr;                   ///< the function that gave it
  cudnnBackendDescriptor_t chosen = nullptr;
  int64_t planBytes = 0;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_CUDNN_GRAPH_H
