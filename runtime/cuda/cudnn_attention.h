// Attention as graphs of cuDNN.
#ifndef SHEAF_RUNTIME_CUDA_CUDNN_ATTENTION_H
#define SHEAF_RUNTIME_CUDA_CUDNN_ATTENTION_H

#include "runtime/cuda/cudnn_graph.h"
#include "runtime/cuda/library_attention.h"

namespace sheaf::rt::cuda {

/// Whether version `version` of cuDNN (91900 for 9.19.0) computes `problem`, and correctly.
bool isTakenByCudnn(const AttentionProblem &problem, size_t version);

/// softmax(scale * q k^T) v of f16 or bf16. Memory: query, key, value, the result, and for each query of each head an
/// f32 that its gradients need: the logarithm of the sum of the exponentials of its scores. Where `problem` wants
/// gradients the result is packed.
void describeAttention(CudnnGraph &graph, const AttentionProblem &problem, size_t version);

/// The gradients of that. Memory: query, key, value, the packed result, its gradient, the logarithms, a scratch f32 for
/// each query of each head, then the gradients of query, key and value.
void describeAttentionGradient(CudnnGraph &graph, const AttentionProblem &problem, size_t version);

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_CUDNN_ATTENTION_H
