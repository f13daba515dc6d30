// What tests ask of the stand-in that is loaded in place of libcudart.
#ifndef SHEAF_TEST_RUNTIME_CUDA_STANDIN_H
#define SHEAF_TEST_RUNTIME_CUDA_STANDIN_H

#include "test/standin/cudart/control.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <string>

namespace sheaf::rt::test {

/// The function of that name; libcudart must have been loaded.
template <typename Function> Function *standinFunction(const char *name) {
  static void *library = ::dlopen("libcudart.so.13", RTLD_NOW | RTLD_NOLOAD);
  return reinterpret_cast<Function *>(::dlsym(library, name));
}
#define SHEAF_STANDIN(name) standinFunction<decltype(::name)>(#name)

inline uint64_t hostWaits() { return SHEAF_STANDIN(sheafStandinHostWaits)(); }
inline uint64_t roundTrips() { return SHEAF_STANDIN(sheafStandinRoundTrips)(); }
inline uint64_t singleOperations() { return SHEAF_STANDIN(sheafStandinSingleOperations)(); }
inline uint64_t graphLaunches() { return SHEAF_STANDIN(sheafStandinGraphLaunches)(); }
inline uint64_t registrations() { return SHEAF_STANDIN(sheafStandinRegistrations)(); }
inline std::string standinFailure(int device) { return SHEAF_STANDIN(sheafStandinFailure)(device); }

/// Forgets what went wrong on the first `numGpus` GPUs, once nobody uses them any more.
inline void resetGpus(int numGpus) {
  for (int gpu = 0; gpu < numGpus; ++gpu) {
    SHEAF_STANDIN(cudaSetDevice)(gpu);
    SHEAF_STANDIN(cudaDeviceReset)();
  }
}

/// A fault of the runtime, as long as this lives.
class PlantedFault {
public:
  explicit PlantedFault(const char *fault) { SHEAF_STANDIN(sheafStandinPlant)(fault); }
  ~PlantedFault() { SHEAF_STANDIN(sheafStandinPlant)(""); }
  PlantedFault(const PlantedFault &) = delete;
  PlantedFault &operator=(const PlantedFault &) = delete;
};

#undef SHEAF_STANDIN

} // namespace sheaf::rt::test

#endif // SHEAF_TEST_RUNTIME_CUDA_STANDIN_H
