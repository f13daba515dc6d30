// The filter gradient of convolutions in every float type, by plain loops.
#ifndef SHEAF_RUNTIME_HOST_CONV_FILTER_LOOPS_H
#define SHEAF_RUNTIME_HOST_CONV_FILTER_LOOPS_H

#include "runtime/core/conv_plan.h"

namespace sheaf::rt::host {

/// The step, for what the vendor library does not do: `input` and `result` of the plan are the ins, the filter is the
/// result. Errors: element types that are not floats of 16 bits or more.
Result<std::unique_ptr<Step>> makeConvFilterLoops(const ConvPlan &plan);

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_CONV_FILTER_LOOPS_H
