// Faults of a runtime that tests plant, to see that they are found.
#ifndef SHEAF_TEST_STANDIN_CUDART_FAULT_H
#define SHEAF_TEST_STANDIN_CUDART_FAULT_H

#include <string_view>

namespace sheaf::standin::cudart {

/// Whether the call that asks is the one to go wrong. The environment variable SHEAF_STANDIN_FAULT names a kind and
/// which call of it that is, as `drop_wait:3`; with `@1` behind it only those of device 1 count:
///   drop_wait         a stream does not wait for an event
///   wrong_stream      a kernel is launched in a stream of its own
///   stray_graph       a graph is launched in a stream of its own
///   swap_collectives  a collective comes after the next one of its stream
///   break_capture     a capture is invalid at its end
///   async_error       a communicator that is asked has failed
///   die, stall        the process gets SIGKILL, or SIGSTOP, where it calls a collective
/// A planted fault is printed, with the prefix "standin: planted: ".
bool isPlanted(std::string_view kind);

} // namespace sheaf::standin::cudart

#endif
