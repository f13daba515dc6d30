// What device code uses of CUDA, declared here so that no toolkit is needed to compile it.
//
// Clang compiles each .cu of this folder for the device alone. It gives the built-in functions behind threadIdx and the
// like, and the attributes behind __global__.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_DEVICE_H
#define SHEAF_RUNTIME_CUDA_KERNELS_DEVICE_H

#include <stdint.h>

/// In front of `void name(parameters) {`: an entry that the host finds by that name.
#define KERNEL extern "C" __attribute__((global))
/// Behind it: how many threads each block has, and of how many blocks a multiprocessor is to have the registers at
/// least.
#define LAUNCHED(threads, blocks) __attribute__((launch_bounds(threads, blocks)))
/// In front of functions that kernels call.
#define DEVICE inline __attribute__((device))
/// The same where a call would keep the arrays of its arguments out of registers.
#define INLINED_DEVICE DEVICE __attribute__((always_inline))

/// Of this thread among all of the launch, which has one dim, and how many there are.
DEVICE int64_t threadNumber() {
  return static_cast<int64_t>(__nvvm_read_ptx_sreg_ctaid_x()) * __nvvm_read_ptx_sreg_ntid_x() +
         __nvvm_read_ptx_sreg_tid_x();
}
DEVICE int64_t numThreads() {
  return static_cast<int64_t>(__nvvm_read_ptx_sreg_nctaid_x()) * __nvvm_read_ptx_sreg_ntid_x();
}

/// Calls `visit(i)` for this thread's share of 0, 1, ... count - 1: neighbours take neighbours.
template <typename Visit> DEVICE void forEach(int64_t count, const Visit &visit) {
  for (int64_t i = threadNumber(); i < count; i += numThreads())
    visit(i);
}

#endif // SHEAF_RUNTIME_CUDA_KERNELS_DEVICE_H
