// Convolutions by oneDNN.
#ifndef SHEAF_RUNTIME_HOST_ONEDNN_CONVOLUTION_H
#define SHEAF_RUNTIME_HOST_ONEDNN_CONVOLUTION_H

#include "runtime/core/conv_plan.h"

#include <memory>
#include <oneapi/dnnl/dnnl.hpp>

namespace sheaf::rt::host::onednn {

/// The convolution as a step, or null when the library does not do it. `packedFilter`: the layout pack_weights chose,
/// or null.
std::unique_ptr<Step> makeConvolution(const ConvPlan &plan, const ConvBuffers &buffers,
                                      const dnnl::memory::desc *packedFilter);

/// The same for a transposed one.
std::unique_ptr<Step> makeDeconvolution(const ConvPlan &plan, const ConvBuffers &buffers);

/// The gradient of the filter as a step, or null when the library does not do it: `input` and `result` of the plan
/// are the ins, the filter is the result.
std::unique_ptr<Step> makeFilterGradient(const ConvPlan &plan);

/// The layout of the filter that the library is fastest with; none when makeConvolution would give null.
std::optional<dnnl::memory::desc> preferredFilter(const ConvPlan &plan);

/// The filter of `plan` as the library sees it ([groups,] o, i, window..), plain; none for types it lacks.
std::optional<dnnl::memory::desc> plainFilter(const ConvPlan &plan);

} // namespace sheaf::rt::host::onednn

#endif // SHEAF_RUNTIME_HOST_ONEDNN_CONVOLUTION_H
