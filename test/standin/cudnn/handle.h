// The handle of cuDNN.
#ifndef SHEAF_TEST_STANDIN_CUDNN_HANDLE_H
#define SHEAF_TEST_STANDIN_CUDNN_HANDLE_H

#include <cudnn.h>

namespace sheaf::standin::cudnn {

struct Handle {
  cudaStream_t stream = nullptr;
};

inline Handle *toHandle(cudnnHandle_t handle) { return reinterpret_cast<Handle *>(handle); }

} // namespace sheaf::standin::cudnn

#endif
