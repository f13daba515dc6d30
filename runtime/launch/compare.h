// How far the outputs of two programs for the same model are apart.
#ifndef SHEAF_RUNTIME_LAUNCH_COMPARE_H
#define SHEAF_RUNTIME_LAUNCH_COMPARE_H

#include "runtime/launch/outputs.h"

namespace sheaf::rt::launch {

/// Of one output. NaNs are equal to each other, and infinities to those of their sign; else either makes the
/// differences infinite.
struct OutputDifference {
  std::string_view name;
  abi::ElementType type = abi::ElementType::f32;
  int64_t numElements = 0;
  int64_t numDifferent = 0; ///< elements of other bits
  double maxAbsolute = 0;
  double maxRelative =
      0; ///< maxAbsolute over the largest magnitude of the reference; infinite when that is 0

  bool isWithin(double tolerance) const { return maxAbsolute == 0 || maxRelative <= tolerance; }
};

/// That of two values of the same shape, row-major; `name` is that of the result.
OutputDifference compareValues(std::string_view name, const BufferShape &shape,
                               const std::byte *actual, const std::byte *reference);

/// Errors: an input or output that one of the programs lacks or has in another shape or type: they are of two models.
Status checkSameSignature(const ProgramInfo &program, const ProgramInfo &reference);

/// The difference of each output of `actual` from the output of its name in `reference`, whose programs have the same
/// signature.
std::vector<OutputDifference> compareOutputs(const GlobalOutputs &actual,
                                             const GlobalOutputs &reference);

/// What reordered sums may do to an output of `type`, relative to its largest magnitude: 1e-5 of f32 and f64, whose
/// sums are of thousands of terms; the distance of neighbours there of narrower floats, which are rounded from f32;
/// nothing of integers and booleans.
double defaultTolerance(abi::ElementType type);

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_COMPARE_H
