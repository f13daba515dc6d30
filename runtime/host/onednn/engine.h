// oneDNN's CPU engine, and how buffers are described to it.
#ifndef SHEAF_RUNTIME_HOST_ONEDNN_ENGINE_H
#define SHEAF_RUNTIME_HOST_ONEDNN_ENGINE_H

#include "runtime/core/activation.h"
#include "runtime/core/buffer_shape.h"
#include "runtime/core/device.h"

#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <vector>

namespace sheaf::rt::host::onednn {

/// The one engine of this process.
const dnnl::engine &engine();

/// The library's name of an element type, if it has one on CPUs.
std::optional<dnnl::memory::data_type> dataType(abi::ElementType type);

/// A plain strided tensor. Errors: as the library throws them.
dnnl::memory::desc stridedDesc(abi::ElementType type, const std::vector<int64_t> &dims,
                               const std::vector<int64_t> &strides);

/// A buffer; none when the library can't describe it.
std::optional<dnnl::memory::desc> desc(const BufferShape &shape);

/// How a packed variable lies in memory: in a layout of the library, or row-major where it has none to offer.
struct PackedWeights {
  std::optional<dnnl::memory::desc> desc;
};

/// What pack_weights chose for a packed variable; null before it was bound.
const PackedWeights *packedWeights(const Operand &operand);

/// Whether the library has the activation as it is asked for: its relu and sigmoid make 0 of NaN.
bool isExact(Activation activation);

/// Appends `activation`, which is exact, to the operations on a result.
void appendActivation(dnnl::post_ops &operations, Activation activation);

} // namespace sheaf::rt::host::onednn

#endif // SHEAF_RUNTIME_HOST_ONEDNN_ENGINE_H
