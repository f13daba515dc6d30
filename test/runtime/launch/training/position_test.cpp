// Steps, epochs and the samples between them.
#include "runtime/launch/training/position.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace sheaf::rt::launch {
namespace {

using ::testing::ElementsAre;

TrainingPlan planOf(int64_t numSamples, int64_t perStep) {
  TrainingPlan plan;
  plan.numSamples = numSamples;
  plan.samplesPerStep = perStep;
  plan.isShuffled = false;
  return plan;
}

TEST(TrainingPlan, LeavesOutARestThatFillsNoStep) {
  TrainingPlan plan = planOf(10, 4);
  EXPECT_EQ(plan.numDropped(), 2);
  TrainingPosition position;
  EXPECT_THAT(plan.samplesAt(position), ElementsAre(0, 1, 2, 3));
  position = plan.next(position);
  EXPECT_EQ(position, (TrainingPosition{1, 0, 4, 0}));
  EXPECT_THAT(plan.samplesAt(position), ElementsAre(4, 5, 6, 7));
  position = plan.next(position);
  EXPECT_EQ(position, (TrainingPosition{2, 1, 0, 0}));
  EXPECT_THAT(plan.samplesAt(position), ElementsAre(0, 1, 2, 3));
}

TEST(TrainingPlan, CountsStepsOfEpochsFromAnyPosition) {
  TrainingPlan plan = planOf(10, 3);
  plan.epochs = 3;
  EXPECT_EQ(plan.lastStep({}), 9);
  EXPECT_EQ(plan.lastStep({1, 0, 3, 0}), 9);
  EXPECT_EQ(plan.lastStep({3, 1, 0, 0}), 9);
  EXPECT_EQ(plan.lastStep({9, 3, 0, 0}), 9); // Nothing is left.
  // Saved by a run that took other steps: the rest of the epoch is used.
  EXPECT_EQ(plan.lastStep({5, 0, 5, 0}), 5 + 1 + 6);
  EXPECT_EQ(plan.lastStep({5, 0, 8, 0}), 5 + 6);
}

TEST(TrainingPlan, GoesOnAsIfItHadNotStopped) {
  TrainingPlan plan = planOf(23, 4);
  plan.isShuffled = true;
  plan.steps = 30;
  TrainingPosition position{.seed = 9};
  std::vector<std::vector<int64_t>> straight;
  for (int i = 0; i < 30; ++i, position = plan.next(position))
    straight.push_back(plan.samplesAt(position));
  for (int stop : {1, 5, 17}) {
    TrainingPosition resumed{.seed = 9};
    for (int i = 0; i < stop; ++i)
      resumed = plan.next(resumed);
    TrainingPlan other = plan; // Nothing of the first run but the position.
    for (size_t i = static_cast<size_t>(stop); i < 30; ++i, resumed = other.next(resumed))
      ASSERT_EQ(other.samplesAt(resumed), straight[i]) << "step " << i;
  }
}

TEST(TrainingPlan, TakesEverySampleOnceAnEpoch) {
  TrainingPlan plan = planOf(20, 5);
  plan.isShuffled = true;
  TrainingPosition position;
  std::set<int64_t> seen;
  for (int i = 0; i < 4; ++i, position = plan.next(position))
    for (int64_t sample : plan.samplesAt(position))
      EXPECT_TRUE(seen.insert(sample).second);
  EXPECT_EQ(seen.size(), 20u);
}

TEST(TrainingPlan, RefusesWhatItCantDo) {
  auto textOf = [](const TrainingPlan &plan, TrainingPosition start) {
    return std::string(plan.check(start).text());
  };
  TrainingPlan plan = planOf(3, 8);
  plan.steps = 1;
  EXPECT_EQ(textOf(plan, {}), "the data has 3 samples but a step takes 8");
  EXPECT_EQ(textOf(planOf(1, 8), {}), "the data has 1 sample but a step takes 8");
  plan.numSamples = 8;
  EXPECT_EQ(textOf(plan, {}), "");
  EXPECT_EQ(textOf(plan, {4, 2, 9, 0}),
            "can't go on from sample 9 of epoch 2 (step 4): the data has 8 samples");
  EXPECT_NE(textOf(plan, {-1, 0, 0, 0}), "");
  TrainingPlan endless = planOf(INT64_MAX, 1);
  endless.epochs = 3;
  EXPECT_THAT(textOf(endless, {}), ::testing::HasSubstr("are too many steps"));
}

} // namespace
} // namespace sheaf::rt::launch
