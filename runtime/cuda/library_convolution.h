// Convolutions by a library: described once, run often.
#ifndef SHEAF_RUNTIME_CUDA_LIBRARY_CONVOLUTION_H
#define SHEAF_RUNTIME_CUDA_LIBRARY_CONVOLUTION_H

#include "runtime/abi/element_type.h"
#include "runtime/cuda/cudart.h"

#include <compare>
#include <memory>
#include <vector>

namespace sheaf::rt::cuda {

/// Which of the three tensors of a convolution is computed from the other two.
enum class ConvWanted { output, input, filter };

/// A convolution of row-major tensors with 2 or 3 space dims, as `conv` of runtime/abi/calls.h has it.
struct ConvProblem {
  ConvWanted wanted = ConvWanted::output;
  abi::ElementType type = abi::ElementType::f32; ///< of all three; sums of 16-bit floats are f32
  std::vector<int> input;                        ///< [n, c, space..]
  std::vector<int> filter;                       ///< [o, c / groups, window..]
  std::vector<int> output;                       ///< [n, o, space..]
  std::vector<int> padding;                      ///< on both sides
  std::vector<int> strides, dilations;
  int groups = 1;
  bool allowsTf32 = false;

  auto operator<=>(const ConvProblem &) const = default;
};

/// The tensors of a run; the wanted one is written.
struct ConvOperands {
  void *input = nullptr, *filter = nullptr, *output = nullptr;
};

/// A convolution that is ready to run. Each run gives the same bits.
class LibraryConvolution {
public:
  virtual ~LibraryConvolution() = default;

  /// Puts it into the stream that it was bound for. `workspace` has `workspaceBytes()` bytes.
  virtual Status run(const ConvOperands &operands, void *workspace) = 0;

  virtual size_t workspaceBytes() const = 0;
};

/// The convolutions of one stream.
class LibraryConvolutions {
public:
  virtual ~LibraryConvolutions() = default;

  /// Errors: the library is missing.
  static Result<std::unique_ptr<LibraryConvolutions>> create(cudaStream_t queue);

  /// Null when the library has no way to compute it. What it chose for a problem is remembered.
  virtual Result<std::unique_ptr<LibraryConvolution>> bind(const ConvProblem &problem) = 0;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_LIBRARY_CONVOLUTION_H
