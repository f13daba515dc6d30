// Adds up evaluations.
#include "runtime/launch/training/validation.h"

#include <algorithm>
#include <numeric>

namespace sheaf::rt::launch {

int64_t numEvalRuns(const SampleFeed &feed) {
  int64_t whole = feed.numSamples() / feed.samplesPerRun();
  return feed.numSamples() % feed.samplesPerRun() != 0 && feed.hasPadding() ? whole + 1 : whole;
}

int64_t numEvalDropped(const SampleFeed &feed) {
  return std::max<int64_t>(feed.numSamples() - numEvalRuns(feed) * feed.samplesPerRun(), 0);
}

Result<EvalSums> sumOverData(FedProgram &program, const SampleFeed &feed) {
  EvalSums sums;
  int64_t perRun = feed.samplesPerRun();
  for (int64_t run = 0; run < numEvalRuns(feed); ++run) {
    std::vector<int64_t> samples(
        static_cast<size_t>(std::min(perRun, feed.numSamples() - run * perRun)));
    std::iota(samples.begin(), samples.end(), run * perRun);
    Result<StepMetrics> metrics = program.run(samples);
    if (!metrics.isOk())
      return metrics.takeStatus();
    double count = *metrics->find("count");
    if (count == 0) // The mean of nothing may be NaN.
      continue;
    sums.count += count;
    sums.loss += metrics->loss() * count;
    if (auto correct = metrics->find("correct"))
      sums.correct = sums.correct.value_or(0) + *correct;
  }
  return sums;
}

} // namespace sheaf::rt::launch
