// Holds the table of the GPU's calls.
#include "runtime/cuda/registry.h"

namespace sheaf::rt::cuda {

CallTable &calls() {
  static CallTable table("GPU");
  return table;
}

} // namespace sheaf::rt::cuda
