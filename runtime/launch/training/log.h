// What a user sees of a training run: the progress line, lines of a log, and a file of metrics.
#ifndef SHEAF_RUNTIME_LAUNCH_TRAINING_LOG_H
#define SHEAF_RUNTIME_LAUNCH_TRAINING_LOG_H

#include "runtime/io/json_lines.h"
#include "runtime/io/progress_line.h"
#include "runtime/launch/training/listener.h"

namespace sheaf::rt::launch {

/// Names that lines of metrics use beside those of the program's outputs.
inline constexpr std::string_view metricNames[] = {
    "step", "epoch", "seconds", "samples_per_second", "tokens_per_second", "peak_bytes"};

/// Draws on `line`, logs to stderr, and writes to a file when there is one.
///
/// Where stderr is no terminal there is a line for the first step, the last, and every `logEvery` between them; 0: a
/// twentieth of all. On a terminal there are such lines only when `logEvery` is given.
class TrainingLog final : public TrainingListener {
public:
  TrainingLog(io::ProgressLine &line, int64_t logEvery, io::JsonLines *metrics)
      : line(line), logEvery(logEvery), metrics(metrics) {}

  Status onStep(const StepFacts &facts) override;
  Status onEval(const EvalFacts &facts) override;
  void onWarning(std::string_view text) override;
  void onStop(int64_t step) override;

private:
  bool isLogged(const StepFacts &facts) const;
  /// What the next step counts in the mean.
  double weightOf(double seconds);
  void print(const std::string &text);

  io::ProgressLine &line;
  int64_t logEvery;
  io::JsonLines *metrics;
  int64_t numSteps = 0;   ///< shown so far
  double meanSeconds = 0; ///< of the last steps
};

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_TRAINING_LOG_H
