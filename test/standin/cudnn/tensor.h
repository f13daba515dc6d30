// Tensors of any strides in device memory.
#ifndef SHEAF_TEST_STANDIN_CUDNN_TENSOR_H
#define SHEAF_TEST_STANDIN_CUDNN_TENSOR_H

#include <vector>

#include "test/standin/device/float_type.h"
#include "test/standin/device/operation.h"

namespace sheaf::standin::cudnn {

struct Tensor {
  FloatType type = FloatType::f32;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides; ///< in elements

  int64_t count() const;
  /// All values in the order of their indices, the last of which runs fastest.
  std::vector<double> read(Execution &execution, const void *begin) const;
  /// Writes alpha * values + beta * what is there.
  void write(Execution &execution, void *begin, const std::vector<double> &values, double alpha,
             double beta) const;

private:
  /// Where each element lies, in elements from the begin, in the order of indices.
  std::vector<int64_t> offsets() const;
};

} // namespace sheaf::standin::cudnn

#endif
