// Counts steps and epochs.
#include "runtime/launch/training/position.h"

#include "runtime/core/checked.h"
#include "runtime/launch/training/sample_order.h"

namespace sheaf::rt::launch {

TrainingPosition TrainingPlan::settled(TrainingPosition position) const {
  if (numSamples - position.sample < samplesPerStep) {
    ++position.epoch;
    position.sample = 0;
  }
  return position;
}

std::optional<int64_t> TrainingPlan::stepsOfEpochs(TrainingPosition start) const {
  start = settled(start);
  if (start.epoch >= *epochs)
    return start.step;
  auto later = checkedMultiply(*epochs - start.epoch - 1, numSamples / samplesPerStep);
  auto all = later ? checkedAdd(*later, (numSamples - start.sample) / samplesPerStep) : later;
  return all ? checkedAdd(*all, start.step) : all;
}

Status TrainingPlan::check(const TrainingPosition &start) const {
  if (numSamples < samplesPerStep)
    return Status::invalid("the data has ", numSamples, numSamples == 1 ? " sample" : " samples",
                           " but a step takes ", samplesPerStep);
  if (start.step < 0 || start.epoch < 0 || start.sample < 0 || start.sample > numSamples)
    return Status::invalid("can't go on from sample ", start.sample, " of epoch ", start.epoch,
                           " (step ", start.step, "): the data has ", numSamples, " samples");
  if (!steps && !stepsOfEpochs(start))
    return Status::invalid(*epochs, " epochs of ", numSamples, " samples are too many steps");
  return {};
}

int64_t TrainingPlan::lastStep(const TrainingPosition &start) const {
  return steps ? *steps : *stepsOfEpochs(start);
}

std::vector<int64_t> TrainingPlan::samplesAt(const TrainingPosition &position) const {
  TrainingPosition from = settled(position);
  SampleOrder order(numSamples, from.seed, from.epoch);
  std::vector<int64_t> samples;
  for (int64_t i = from.sample; i < from.sample + samplesPerStep; ++i)
    samples.push_back(isShuffled ? order[i] : i);
  return samples;
}

TrainingPosition TrainingPlan::next(TrainingPosition position) const {
  position = settled(position);
  ++position.step;
  position.sample += samplesPerStep;
  return settled(position);
}

} // namespace sheaf::rt::launch
