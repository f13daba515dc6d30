// Propagation of shardings over a graph of tensors: the engine, free of ops.
#ifndef SHEAF_PASSES_SHARDING_PROPAGATION_H
#define SHEAF_PASSES_SHARDING_PROPAGATION_H

#include "passes/sharding/op_rule.h"

namespace sheaf::sharding {

/// Why a dim has axes: they came from dim `dim` of tensor `tensor` through node `node`.
struct Origin {
  unsigned tensor = 0;
  unsigned dim = 0;
  unsigned node = 0;
};

/// A tensor whose sharding is sought.
struct PropagatedTensor {
  int64_t bytes = 0;
  dist::TensorSharding sharding;
  /// Per dim, of axes that propagation added last; none where they were given.
  llvm::SmallVector<std::optional<Origin>, 4> origins;
};

/// What ties tensors together: an op, or values that are one (the trips of a loop).
struct PropagationNode {
  OpRule rule;
  /// The tensors, in the order of the rule's.
  llvm::SmallVector<unsigned, 4> tensors;
  dist::Direction direction = dist::Direction::none;
  /// Whether `direction` counts; without it shardings pass both ways.
  bool isOneWay = false;
  /// Factors that pass nothing, by name.
  llvm::SmallString<4> blocked;
  bool isElementwise = false;
};

/// Carries axes along factors until nothing changes. Dims of a lower priority number go first; for each,
/// element-wise nodes go before the others; for each, what all tensors of a node agree on goes
/// before what has to be decided. A closed dim never changes, an open one only gets more axes.
///
/// The result does not depend on the order of nodes or tensors: nodes propose, all from the same state,
/// and each tensor settles its proposals by their content. Axes are settled in time linear in what
/// changes; how many devices an axis has does not matter.
///
/// Source: the factors, levels and strategies are those of Shardy (openxla/shardy, MLIR RFC 2024); the
/// settling of proposals is ours.
class Propagation {
public:
  std::vector<PropagatedTensor> tensors;
  std::vector<PropagationNode> nodes;

  void run();

private:
  struct Proposal {
    unsigned dim;
    dist::AxisList axes;
    Origin origin;
  };

  void runLevel(int64_t priority, bool onlyElementwise, bool isAggressive);
  void propose(unsigned node, bool isAggressive);
  bool settle(unsigned tensor);
  /// The sharding as this level sees it: dims of later priorities look empty.
  dist::TensorSharding visible(unsigned tensor) const;

  int64_t level = 0;
  std::vector<llvm::SmallVector<Proposal, 2>> proposals;
  std::vector<llvm::SmallVector<unsigned, 4>> users;
};

} // namespace sheaf::sharding

#endif
