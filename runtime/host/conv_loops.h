// Convolutions in every element type, by plain loops.
#ifndef SHEAF_RUNTIME_HOST_CONV_LOOPS_H
#define SHEAF_RUNTIME_HOST_CONV_LOOPS_H

#include "runtime/core/conv_plan.h"

namespace sheaf::rt::host {

/// The convolution, transposed or not, as a step, for what the vendor library does not do. Errors: element types
/// that do not go together.
Result<std::unique_ptr<Step>> makeConvLoops(const ConvPlan &plan);

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_CONV_LOOPS_H
