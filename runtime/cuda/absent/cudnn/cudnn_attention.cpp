// What builds without cuDNN's header have instead of its attention: none.
#include "runtime/cuda/library_attention.h"

namespace sheaf::rt::cuda {

Result<std::unique_ptr<LibraryAttentions>> LibraryAttentions::create(cudaStream_t) {
  return Status::invalid("this program was built without cuDNN; build it again where cudnn.h is");
}

} // namespace sheaf::rt::cuda
