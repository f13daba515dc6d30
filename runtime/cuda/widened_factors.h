// Operands of 8-bit floats made wider, for GPUs and products without units for them.
#ifndef SHEAF_RUNTIME_CUDA_WIDENED_FACTORS_H
#define SHEAF_RUNTIME_CUDA_WIDENED_FACTORS_H

#include "runtime/core/element_format.h"
#include "runtime/cuda/elementwise.h"

#include <array>
#include <optional>

namespace sheaf::rt::cuda {

/// lhs and rhs of a contract in a type of 16 bits, and what takes the place of its scales.
class WidenedFactors {
public:
  /// Which ins are scales, and what else the product is multiplied by: alpha, and the factor of an addend.
  struct Scales {
    std::optional<size_t> lhs, rhs;
    double alpha, beta;
  };

  /// Of ins 0 and 1, for a result of type `result`. Errors: they would not fit in memory.
  static Result<WidenedFactors> make(CudaCallSite &site, abi::ElementType result,
                                     const Scales &scales);

  /// The wide operand that stands for in `index`: its dims and strides are those of the in.
  const BufferShape &shape(size_t index) const { return factors[index].shape; }

  size_t bytes() const;
  /// Where `fill` puts the wide operand, and alpha times the scales with beta behind it, as f32, in a block of that
  /// size.
  void *factorAt(size_t index, std::byte *block) const { return block + factors[index].offset; }
  float *scalesAt(std::byte *block) const { return reinterpret_cast<float *>(block); }

  /// Puts the work into the stream. `buffers` are those of the call.
  Status fill(void *const *buffers, std::byte *block) const;

private:
  struct Factor {
    BufferShape shape;
    Strided<2> space;
    ElementFormat from, to;
    Elementwise cast;
    size_t offset, bytes;
  };

  WidenedFactors(std::array<Factor, 2> factors, const Elementwise &multiply, const Scales &scales)
      : factors(std::move(factors)), multiply(multiply), scales(scales) {}

  std::array<Factor, 2> factors;
  Elementwise multiply;
  Scales scales;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_WIDENED_FACTORS_H
