// The order of samples is a permutation that the seed and the epoch decide.
#include "runtime/launch/training/sample_order.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <vector>

namespace sheaf::rt::launch {
namespace {

std::vector<int64_t> allOf(int64_t count, uint64_t seed, int64_t epoch) {
  SampleOrder order(count, seed, epoch);
  std::vector<int64_t> samples;
  for (int64_t place = 0; place < count; ++place)
    samples.push_back(order[place]);
  return samples;
}

TEST(SampleOrder, IsABijection) {
  for (int64_t count : {1, 2, 3, 15, 16, 17, 255, 256, 257, 1000, 4097, 70000}) {
    std::vector<int64_t> samples = allOf(count, 5, 2);
    std::sort(samples.begin(), samples.end());
    for (int64_t i = 0; i < count; ++i)
      ASSERT_EQ(samples[static_cast<size_t>(i)], i) << "of " << count;
  }
}

TEST(SampleOrder, StaysInRangesThatNoTableHolds) {
  for (int64_t count : {int64_t(1) << 33, (int64_t(1) << 40) + 7, INT64_MAX}) {
    SampleOrder order(count, 1, 0);
    for (int64_t place : {int64_t(0), count / 2, count - 1}) {
      EXPECT_GE(order[place], 0);
      EXPECT_LT(order[place], count);
    }
    EXPECT_NE(order[0], order[1]);
  }
}

TEST(SampleOrder, DependsOnSeedAndEpoch) {
  std::vector<int64_t> first = allOf(100, 0, 0);
  EXPECT_EQ(first, allOf(100, 0, 0));
  EXPECT_NE(first, allOf(100, 1, 0));
  EXPECT_NE(first, allOf(100, 0, 1));
  EXPECT_NE(first, allOf(100, uint64_t(1) << 32, 0));
}

/// Six orders, 6000 draws: a fair one has each 1000 times, with a standard deviation of 29.
TEST(SampleOrder, GivesEveryOrderOfAFewSamplesAlike) {
  std::map<std::vector<int64_t>, int> counts;
  for (uint64_t seed = 0; seed < 6000; ++seed)
    ++counts[allOf(3, seed, 0)];
  EXPECT_EQ(counts.size(), 6u);
  for (const auto &[order, count] : counts)
    EXPECT_NEAR(count, 1000, 150);
}

/// A sample comes to any place: over 10000 seeds, to each of 50 places 200 times, with a standard deviation of 14.
TEST(SampleOrder, GivesEveryPlaceAlike) {
  std::vector<int> counts(50, 0);
  for (uint64_t seed = 0; seed < 10000; ++seed)
    ++counts[static_cast<size_t>(SampleOrder(50, seed, 3)[7])];
  for (int count : counts)
    EXPECT_NEAR(count, 200, 75);
}

} // namespace
} // namespace sheaf::rt::launch
