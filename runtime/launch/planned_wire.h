// What collectives moved against what the compiler planned.
#ifndef SHEAF_RUNTIME_LAUNCH_PLANNED_WIRE_H
#define SHEAF_RUNTIME_LAUNCH_PLANNED_WIRE_H

#include "runtime/core/executable.h"
#include "runtime/core/ledger.h"

namespace sheaf::rt::launch {

/// Errors: `moved`, of one run of `program`, is not what the executable says.
Status checkWire(const ProgramInfo &program, const Ledger &moved);

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_PLANNED_WIRE_H
