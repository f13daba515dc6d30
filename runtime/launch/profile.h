// Turns the timings of a run into a trace.
#ifndef SHEAF_RUNTIME_LAUNCH_PROFILE_H
#define SHEAF_RUNTIME_LAUNCH_PROFILE_H

#include "runtime/core/bound_program.h"
#include "runtime/io/trace.h"

namespace sheaf::rt::launch {

/// One slice per instruction, those of parts as often as they ran: its name, the user's node, the bytes of its buffers.
std::vector<io::TraceSlice> traceOf(const ProgramInfo &program, const std::vector<Timing> &timings);

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_PROFILE_H
