// What the host gives to kernels of this folder: plain structs that both sides compile.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_PARAMETERS_H
#define SHEAF_RUNTIME_CUDA_KERNELS_PARAMETERS_H

#include <stdint.h>

namespace sheaf::rt::cuda {

/// As many as a buffer has at most.
inline constexpr int maxDims = 32;

/// Extents, outermost first, and for each of N buffers the bytes from one index of a dim to the next.
template <int N> struct Strided {
  int64_t count; ///< of elements
  int32_t numDims;
  int64_t extents[maxDims];
  int64_t steps[maxDims][N];
};

/// An integer type of 8 bits or more.
struct IntegerType {
  int32_t bytes;
  bool isSigned;
};

/// As runtime/core/activation.h has them.
enum class ActivationKind : int32_t { none, relu, geluErf, geluTanh, silu, tanh, sigmoid };

/// result[b.., m, n] = activation(alpha * sum over k of lhs[b.., m, k] * rhs[b.., k, n] + bias[n] + addend[b.., m, n]);
/// strides in elements.
struct ContractParameters {
  Strided<3> batch; ///< of lhs, rhs and result, with elements for bytes
  int64_t m, n, k;
  int64_t lhsStrideM, lhsStrideK, rhsStrideK, rhsStrideN, resultStrideM, resultStrideN;
  double alpha;
  ActivationKind activation;
};

/// Where a step notes an index that is out of range; memory of the host.
struct IndexFault {
  int32_t isSet;
  int64_t index;
  int64_t bound;
};

/// out[batch, before, index, after] = data[batch, before, indices[batch, index], after]; out and indices are row-major.
struct GatherParameters {
  Strided<1> outer; ///< of data: batch and before dims
  Strided<1> after; ///< of data
  int64_t numBefore, numIndices;
  int64_t extent, dimStep; ///< of data's dim
  int64_t bound;           ///< that a fault names
  IntegerType index;
  IndexFault *fault;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_PARAMETERS_H
