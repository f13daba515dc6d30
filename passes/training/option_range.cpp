// Checks numbers of options.
#include "passes/training/option_range.h"

#include <limits>

using namespace mlir;

namespace sheaf::training {

// Comparisons are written so that no NaN passes them.

LogicalResult checkSize(StringRef option, double value,
                        function_ref<InFlightDiagnostic()> emitError) {
  if (value >= 0.0 && value <= double(std::numeric_limits<float>::max()))
    return success();
  return emitError() << option << " must be from 0 to 3.4e38, the largest f32, found " << value;
}

LogicalResult checkDecay(StringRef option, double value,
                         function_ref<InFlightDiagnostic()> emitError) {
  if (value >= 0.0 && value < 1.0)
    return success();
  return emitError() << option << " must be in [0, 1), found " << value;
}

} // namespace sheaf::training
