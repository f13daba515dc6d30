// Arena plans: random live ranges against a brute-force check, and the sizes of known cases.
#include "passes/analysis/arena_plan.h"

#include <gtest/gtest.h>
#include <random>

using namespace sheaf;

namespace {

std::vector<LiveRange> randomRanges(std::mt19937 &random) {
  auto draw = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random); };
  int numSteps = draw(1, 40);
  std::vector<LiveRange> ranges(draw(0, 60));
  for (LiveRange &range : ranges) {
    range.bytes = draw(0, 4) == 0 ? draw(0, 3) : draw(1, 5000);
    range.begin = draw(0, numSteps - 1);
    range.end = draw(range.begin, numSteps - 1);
  }
  return ranges;
}

bool overlap(const std::vector<LiveRange> &ranges, const ArenaPlan &plan, size_t a, size_t b) {
  return ranges[a].bytes > 0 && ranges[b].bytes > 0 && ranges[a].overlapsInTime(ranges[b]) &&
         plan.offsets[a] < plan.offsets[b] + ranges[b].bytes &&
         plan.offsets[b] < plan.offsets[a] + ranges[a].bytes;
}

TEST(ArenaPlan, RandomRangesNeverShareBytes) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    std::vector<LiveRange> ranges = randomRanges(random);
    std::optional<ArenaPlan> plan = planArena(ranges);
    ASSERT_TRUE(plan);
    for (size_t a = 0; a < ranges.size(); ++a) {
      EXPECT_EQ(plan->offsets[a] % ArenaPlan::alignment, 0);
      EXPECT_LE(plan->offsets[a] + ranges[a].bytes, plan->bytes);
      for (size_t b = 0; b < a; ++b)
        EXPECT_FALSE(overlap(ranges, *plan, a, b)) << "seed " << seed << ": " << a << ", " << b;
    }
    EXPECT_FALSE(findClash(ranges, *plan)) << "seed " << seed;
    EXPECT_GE(plan->bytes, findPeak(ranges).bytes);
  }
}

// The checker agrees with brute force on plans that are wrong as well as right.
TEST(ArenaPlan, ClashesAreFound) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    std::vector<LiveRange> ranges = randomRanges(random);
    ArenaPlan plan = *planArena(ranges);
    for (int64_t &offset : plan.offsets)
      if (random() % 8 == 0)
        offset = static_cast<int64_t>(random() % 64) * 64;
    bool hasClash = false;
    for (size_t a = 0; a < ranges.size(); ++a)
      for (size_t b = 0; b < a; ++b)
        hasClash |= overlap(ranges, plan, a, b);
    EXPECT_EQ(findClash(ranges, plan).has_value(), hasClash) << "seed " << seed;
  }
}

TEST(ArenaPlan, ChainUsesTwoBuffers) {
  std::vector<LiveRange> ranges;
  for (int64_t i = 0; i < 100; ++i)
    ranges.push_back({1000, i, i + 1});
  EXPECT_EQ(planArena(ranges)->bytes, 2048);
}

TEST(ArenaPlan, SmallRangeGoesToTheTightestGap) {
  // Of the gaps [128, 256) and [320, 384), left by ranges that end, the second fits.
  std::vector<LiveRange> ranges = {{128, 0, 9}, {128, 0, 4}, {64, 0, 9},
                                   {64, 0, 4},  {64, 0, 9},  {60, 5, 9}};
  ArenaPlan plan = *planArena(ranges);
  EXPECT_FALSE(findClash(ranges, plan));
  EXPECT_EQ(plan.bytes, 448);
}

TEST(ArenaPlan, TooLargeIsNoPlan) {
  std::vector<LiveRange> ranges(8, LiveRange{int64_t(1) << 60, 0, 1});
  EXPECT_FALSE(planArena(ranges));
  EXPECT_EQ(findPeak(ranges).bytes, std::numeric_limits<int64_t>::max());
}

TEST(ArenaPlan, EqualInputsGiveEqualPlans) {
  std::mt19937 random(7);
  std::vector<LiveRange> ranges = randomRanges(random);
  EXPECT_EQ(planArena(ranges)->offsets, planArena(ranges)->offsets);
}

} // namespace
