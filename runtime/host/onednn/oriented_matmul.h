// Contractions by oneDNN's matmul, in the orientation that it is fast in.
#ifndef SHEAF_RUNTIME_HOST_ONEDNN_ORIENTED_MATMUL_H
#define SHEAF_RUNTIME_HOST_ONEDNN_ORIENTED_MATMUL_H

#include "runtime/host/onednn/matmul.h"

namespace sheaf::rt::host::onednn {

/// As makeMatmul. A result that is stored by columns is computed as the rows of the transposed product: the library
/// would compute it element by element, a thousand times slower. An lhs that is stored by columns, as the gradient of a
/// weight has it, is turned into scratch memory first where the product is large: that halves the time without AVX-512.
std::unique_ptr<Step> makeOrientedMatmul(const ContractPlan &plan, const ContractBuffers &buffers,
                                         const dnnl::memory::desc *packedRhs);

} // namespace sheaf::rt::host::onednn

#endif // SHEAF_RUNTIME_HOST_ONEDNN_ORIENTED_MATMUL_H
