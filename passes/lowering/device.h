// Who computes.
#ifndef SHEAF_PASSES_LOWERING_DEVICE_H
#define SHEAF_PASSES_LOWERING_DEVICE_H

#include "llvm/ADT/StringRef.h"

namespace sheaf::lowering {

/// By the names that executables have for it.
enum class Device { host, cuda };

inline llvm::StringRef nameOf(Device device) { return device == Device::host ? "host" : "cuda"; }

} // namespace sheaf::lowering

#endif
