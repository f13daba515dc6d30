// What tests ask of the stand-in beyond CUDA's own functions; exported by its libcudart.
#ifndef SHEAF_TEST_STANDIN_CUDART_CONTROL_H
#define SHEAF_TEST_STANDIN_CUDART_CONTROL_H

#include <cstdint>

extern "C" {

/// How often the host has waited for a device (synchronizing functions, copies of pageable memory, and
/// whatever synchronizes by the way), in this process.
uint64_t sheafStandinHostWaits();

/// What has gone wrong on a device, as it was printed; "" if nothing has. Valid until the thread's next
/// call.
const char *sheafStandinFailure(int device);
}

#endif
