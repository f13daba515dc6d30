// What tests ask of the stand-in beyond CUDA's own functions; exported by its libcudart.
#ifndef SHEAF_TEST_STANDIN_CUDART_CONTROL_H
#define SHEAF_TEST_STANDIN_CUDART_CONTROL_H

#include <cstdint>

extern "C" {

/// How often the host has waited for a device (synchronizing functions, copies of pageable memory, and
/// whatever synchronizes by the way), in this process.
uint64_t sheafStandinHostWaits();

/// How often the host has learnt, by waiting or by asking, that a device is done with something after it had put
/// kernels, collectives or graphs into its streams since the last time, in this process. Who puts a whole step into
/// the streams and then waits makes one, however it waits.
uint64_t sheafStandinRoundTrips();

/// How often a graph was launched, in this process.
uint64_t sheafStandinGraphLaunches();

/// How many kernels, fills, copies within a GPU and collectives were put into streams singly, not by graphs, in this
/// process.
uint64_t sheafStandinSingleOperations();

/// How often a range of memory was registered with a communicator, in this process.
uint64_t sheafStandinRegistrations();

/// What has gone wrong on a device, as it was printed; "" if nothing has. Valid until the thread's next
/// call.
const char *sheafStandinFailure(int device);

/// Plants a fault as SHEAF_STANDIN_FAULT does, from now on; "" none.
void sheafStandinPlant(const char *fault);
}

#endif
