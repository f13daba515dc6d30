// Graphs of operations that engines of cuDNN fuse: attention and its gradients.
#ifndef SHEAF_TEST_STANDIN_CUDNN_FUSED_GRAPH_H
#define SHEAF_TEST_STANDIN_CUDNN_FUSED_GRAPH_H

#include "test/standin/cudnn/backend.h"
#include "test/standin/device/operation.h"

namespace sheaf::standin::cudnn {

/// A graph, which is computed operation by operation; what lies between is rounded to its type.
class FusedGraph {
public:
  static constexpr int64_t workspaceBytes = 1024;

  /// Of a finished descriptor, whose descriptors live as long as this.
  explicit FusedGraph(const Descriptor &graph);

  /// Whether an engine knows it: these operations in this order, of tensors that it takes.
  cudnnStatus_t check() const;
  /// Finds the memory of all tensors.
  cudnnStatus_t bind(const Descriptor &pack);
  void run(Execution &execution) const;

private:
  struct Values; ///< of a tensor

  std::vector<DescriptorRef> operations;
  std::vector<DescriptorRef> tensors;  ///< once each, in the order in which they are met
  std::map<int64_t, void *> addresses; ///< of tensors in memory
  std::map<int64_t, double> numbers;   ///< of tensors that are one
  void *workspace = nullptr;
};

} // namespace sheaf::standin::cudnn

#endif
