// What repeats in sequences, also compared with a search that tries everything.
#include "passes/analysis/repeats.h"

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace sheaf {
namespace {

/// "begin+period*count~slack" of the longest repeat of letters; upper case ones matter.
std::string repeatOf(const std::string &letters) {
  std::vector<unsigned> sequence(letters.begin(), letters.end());
  auto found =
      longestRepeat(sequence, [&](size_t index) { return std::isupper(letters[index]) != 0; });
  if (!found)
    return "";
  return std::to_string(found->begin) + "+" + std::to_string(found->period) + "*" +
         std::to_string(found->count) + "~" + std::to_string(found->slack);
}

TEST(Repeats, OfBlocksBetweenOthers) {
  EXPECT_EQ(repeatOf(""), "");
  EXPECT_EQ(repeatOf("A"), "");
  EXPECT_EQ(repeatOf("ABC"), "");
  EXPECT_EQ(repeatOf("AA"), "0+1*2~0");
  EXPECT_EQ(repeatOf("EPABCABCABCN"), "2+3*3~0");
}

TEST(Repeats, ThatCoverMostAreTaken) {
  // Three times q within a block, and blocks.
  EXPECT_EQ(repeatOf("EqqqOqqqOqqqOH"), "1+4*3~0");
  // The shortest period of what covers as much.
  EXPECT_EQ(repeatOf("ABABABAB"), "0+2*4~0");
  // The first of equals.
  EXPECT_EQ(repeatOf("AAXBB"), "0+1*2~0");
}

TEST(Repeats, MayBeginLater) { EXPECT_EQ(repeatOf("EnABnABnABn"), "1+3*3~1"); }

TEST(Repeats, OfWhatDoesNotMatterAreNone) {
  EXPECT_EQ(repeatOf("AnnnnB"), "");
  EXPECT_EQ(repeatOf("nnnnABAB"), "4+2*2~0");
}

TEST(Repeats, CoverAsMuchAsAnyOthers) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    std::vector<unsigned> sequence(random() % 14);
    for (unsigned &element : sequence)
      element = random() % 3;
    size_t best = 0;
    for (size_t begin = 0; begin < sequence.size(); ++begin)
      for (size_t period = 1; begin + 2 * period <= sequence.size(); ++period) {
        size_t end = begin + period;
        while (end < sequence.size() && sequence[end] == sequence[end - period])
          ++end;
        size_t count = (end - begin) / period;
        if (count > 1)
          best = std::max(best, count * period);
      }
    auto found = longestRepeat(sequence, [](size_t) { return true; });
    ASSERT_EQ(found ? found->size() : 0, best) << "round " << round;
    if (!found)
      continue;
    ASSERT_LE(found->begin + found->size() + found->slack, sequence.size());
    for (size_t i = found->begin + found->period; i < found->begin + found->size() + found->slack;
         ++i)
      ASSERT_EQ(sequence[i], sequence[i - found->period]);
  }
}

} // namespace
} // namespace sheaf
