// Checks parameters that name a dim.
#ifndef SHEAF_RUNTIME_CORE_DIM_CHECK_H
#define SHEAF_RUNTIME_CORE_DIM_CHECK_H

#include "runtime/core/status.h"

#include <cstdint>

namespace sheaf::rt {

/// A dim parameter must be one of `rank` dims.
inline Status checkDim(int64_t dim, size_t rank) {
  if (dim < 0 || dim >= static_cast<int64_t>(rank))
    return Status::invalid("dim ", dim, " is not one of ", rank, " dims");
  return {};
}

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_DIM_CHECK_H
