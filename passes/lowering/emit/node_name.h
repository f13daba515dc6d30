// The user's node that an op comes from.
#ifndef SHEAF_PASSES_LOWERING_EMIT_NODE_NAME_H
#define SHEAF_PASSES_LOWERING_EMIT_NODE_NAME_H

#include "mlir/IR/Location.h"
#include <string>

namespace sheaf::lowering {

/// The first name within a location, as the importer put it there; empty when there is none.
std::string nodeName(mlir::Location loc);

} // namespace sheaf::lowering

#endif
