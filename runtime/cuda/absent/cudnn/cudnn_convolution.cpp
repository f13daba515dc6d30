// What builds without cuDNN's header have instead of its convolutions: none.
#include "runtime/cuda/library_convolution.h"

namespace sheaf::rt::cuda {

Result<std::unique_ptr<LibraryConvolutions>> LibraryConvolutions::create(cudaStream_t) {
  return Status::invalid("this program was built without cuDNN; build it again where cudnn.h is");
}

} // namespace sheaf::rt::cuda
