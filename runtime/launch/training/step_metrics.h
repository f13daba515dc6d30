// The numbers that a program tells of a step.
#ifndef SHEAF_RUNTIME_LAUNCH_TRAINING_STEP_METRICS_H
#define SHEAF_RUNTIME_LAUNCH_TRAINING_STEP_METRICS_H

#include "runtime/core/executable.h"
#include "runtime/core/memory.h"

namespace sheaf::rt::launch {

/// A scalar output.
struct Metric {
  std::string name;
  double value = 0;
  bool isInteger = false;
};

/// The scalar outputs of a program, by name.
class StepMetrics {
public:
  /// Errors: an output that is no scalar of a number type, or has a name among `taken`; one of `needed` is missing.
  static Status check(const ProgramInfo &program, std::span<const std::string_view> needed,
                      std::span<const std::string_view> taken);

  /// Of `outputs`, the memory of each output of `program`, which `check` has found good.
  static StepMetrics read(const ProgramInfo &program, const std::vector<Memory> &outputs);

  const std::vector<Metric> &all() const { return metrics; }
  std::optional<double> find(std::string_view name) const;
  double loss() const { return *find("loss"); }

private:
  std::vector<Metric> metrics;
};

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_TRAINING_STEP_METRICS_H
