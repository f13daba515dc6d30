// Describes attention and its gradients to cuDNN, in the form that its fused engines know.
//
// Source: the graphs that NVIDIA's cudnn-frontend 1.32 makes for versions before 9.21 (CompositeSDPANode,
// CompositeSDPABackwardNode, CompositeSoftmaxNode and CompositeDiagonalBandMaskNode in include/cudnn_frontend/node);
// later ones take them too. The engines know no other order of the operations.
#include "runtime/cuda/cudnn_attention.h"

#include <limits>

namespace sheaf::rt::cuda {
namespace {

using Four = CudnnGraph::Four;

/// The two last entries exchanged: a matrix, transposed.
Four transposed(const Four &four) { return {four[0], four[1], four[3], four[2]}; }

/// What the two graphs have in common.
class Description {
public:
  using Tensor = CudnnGraph::Tensor;

  Description(CudnnGraph &graph, const AttentionProblem &problem, size_t version)
      : graph(graph), problem(problem), version(version),
        type(problem.type == abi::ElementType::f16 ? CUDNN_DATA_HALF : CUDNN_DATA_BFLOAT16),
        scores{problem.batch, problem.heads, problem.queries, problem.keys},
        perQuery{problem.batch, problem.heads, problem.queries, 1},
        queries{problem.batch, problem.heads, problem.queries, problem.depth},
        keys{problem.batch, problem.groups, problem.keys, problem.depth},
        values{problem.batch, problem.groups, problem.keys, problem.valueDepth},
        results{problem.batch, problem.heads, problem.queries, problem.valueDepth} {}

  void describeResult();
  void describeGradients();

private:
  Tensor memory(const Four &dims, const Four &strides) { return graph.memory(type, dims, strides); }
  Tensor perQueryMemory() {
    return graph.memory(CUDNN_DATA_FLOAT, perQuery, CudnnGraph::packed(perQuery));
  }
  Tensor between(const Four &dims) { return graph.between(CUDNN_DATA_FLOAT, dims); }
  Tensor maskCausally(Tensor x);
  Tensor sumOfHeads(Tensor weights, Tensor rows, const Four &dims, Tensor result);

  CudnnGraph &graph;
  const AttentionProblem &problem;
  size_t version;
  cudnnDataType_t type;
  Four scores, perQuery, queries, keys, values, results; ///< dims
};

/// Query i sees key j <= i + keys - queries.
CudnnGraph::Tensor Description::maskCausally(Tensor x) {
  auto places = [&] { return graph.between(CUDNN_DATA_INT32, scores); };
  Tensor row = graph.indexOf(x, 2, places()), column = graph.indexOf(x, 3, places());
  if (problem.queries != problem.keys) {
    row = graph.map(CUDNN_POINTWISE_ADD, row, graph.number(static_cast<int32_t>(problem.keys)),
                    places(), CUDNN_DATA_INT32);
    row = graph.map(CUDNN_POINTWISE_SUB, row, graph.number(static_cast<int32_t>(problem.queries)),
                    places(), CUDNN_DATA_INT32);
  }
  Tensor isSeen = graph.map(CUDNN_POINTWISE_CMP_GE, row, column,
                            graph.between(CUDNN_DATA_BOOLEAN, scores), CUDNN_DATA_BOOLEAN);
  // Versions before 9.10 want a finite number.
  using Limits = std::numeric_limits<float>;
  Tensor unseen = graph.number(version < 91000 ? Limits::lowest() : -Limits::infinity());
  return graph.select(isSeen, x, unseen, between(scores));
}

void Description::describeResult() {
  Tensor query = memory(queries, problem.query),
         key = memory(transposed(keys), transposed(problem.key)),
         value = memory(values, problem.value),
         result = memory(results, problem.gradients ? CudnnGraph::packed(results) : problem.result),
         logarithms = perQueryMemory();
  Tensor x = graph.multiply(query, key, between(scores));
  x = graph.map(CUDNN_POINTWISE_MUL, x, graph.number(static_cast<float>(problem.scale)),
                between(scores));
  if (problem.isCausal)
    x = maskCausally(x);
  Tensor highest = graph.reduce(CUDNN_REDUCE_TENSOR_MAX, x, between(perQuery));
  x = graph.map(CUDNN_POINTWISE_SUB, x, highest, between(scores));
  x = graph.map(CUDNN_POINTWISE_EXP, x, between(scores));
  Tensor sum = graph.reduce(CUDNN_REDUCE_TENSOR_ADD, x, between(perQuery));
  Tensor logarithm = graph.map(CUDNN_POINTWISE_LOG, sum, between(perQuery));
  graph.map(CUDNN_POINTWISE_ADD, highest, logarithm, logarithms);
  x = graph.map(CUDNN_POINTWISE_DIV, x, sum, graph.between(type, scores));
  graph.multiply(x, value, result);
}

/// The product of the transposed `weights` [b, h, s, t] and `rows`, of dims `dims` for each head of keys; summed over
/// the heads that share keys.
CudnnGraph::Tensor Description::sumOfHeads(Tensor weights, Tensor rows, const Four &dims,
                                           Tensor result) {
  Four turned = transposed(scores);
  weights =
      graph.view(weights, graph.between(type, turned, transposed(CudnnGraph::packed(scores))));
  if (problem.heads == problem.groups)
    return graph.multiply(weights, rows, result);
  Four perHead = dims;
  perHead[1] = problem.heads;
  return graph.reduce(CUDNN_REDUCE_TENSOR_ADD,
                      graph.multiply(weights, rows, graph.between(type, perHead)), result);
}

void Description::describeGradients() {
  Tensor query = memory(queries, problem.query),
         key = memory(transposed(keys), transposed(problem.key)),
         value = memory(transposed(values), transposed(problem.value)),
         result = memory(results, CudnnGraph::packed(results)),
         resultGradient = memory(results, problem.result), logarithms = perQueryMemory(),
         scratch = perQueryMemory();
  Tensor queryGradient = memory(queries, problem.gradients->query),
         keyGradient = memory(keys, problem.gradients->key),
         valueGradient = memory(values, problem.gradients->value);

  // For each query, the sum over the columns of its result times their gradients.
  Tensor x = graph.map(CUDNN_POINTWISE_MUL, resultGradient, result, between(results));
  x = graph.reduce(CUDNN_REDUCE_TENSOR_ADD, x, between(perQuery));
  Tensor sums = graph.map(CUDNN_POINTWISE_MUL, x, graph.number(1.0f), scratch);

  // The weights again.
  Tensor scale = graph.number(static_cast<float>(problem.scale));
  x = graph.multiply(query, key, between(scores));
  x = graph.map(CUDNN_POINTWISE_MUL, x, scale, between(scores));
  x = graph.map(CUDNN_POINTWISE_SUB, x, logarithms, between(scores));
  if (problem.isCausal)
    x = maskCausally(x);
  Tensor weights = graph.map(CUDNN_POINTWISE_EXP, x, between(scores));
  sumOfHeads(weights, resultGradient, values, valueGradient);

  // The gradients of the scores.
  x = graph.multiply(resultGradient, value, between(scores));
  x = graph.map(CUDNN_POINTWISE_SUB, x, sums, between(scores));
  x = graph.map(CUDNN_POINTWISE_MUL, x, weights, between(scores));
  x = graph.map(CUDNN_POINTWISE_MUL, x, scale, between(scores));
  sumOfHeads(x, query, keys, keyGradient);

  // Written at once, not added up in an f32 tensor by blocks in any order: the same bits in each run.
  Tensor rows = graph.view(key, graph.between(type, keys, problem.key));
  graph.multiply(x, rows, queryGradient);
}

} // namespace

bool isTakenByCudnn(const AttentionProblem &problem, size_t version) {
  // 9.10.0 and 9.10.1 give wrong results.
  if (version < 90000 || version == 91000 || version == 91001)
    return false;
  // A diagonal that ends at the last key needs 9.6, unless it is that of a square.
  if (problem.isCausal && problem.queries != problem.keys && version < 90600)
    return false;
  // One query, by 9.9 and before, has fewer forms than others.
  if (problem.queries == 1 && version < 91000)
    return false;
  // Up to 9.15 gradients need a mask for what is missing to full tiles of keys.
  return !problem.gradients || problem.keys % 128 == 0 || version > 91500;
}

void describeAttention(CudnnGraph &graph, const AttentionProblem &problem, size_t version) {
  Description(graph, problem, version).describeResult();
}

void describeAttentionGradient(CudnnGraph &graph, const AttentionProblem &problem, size_t version) {
  Description(graph, problem, version).describeGradients();
}

} // namespace sheaf::rt::cuda
