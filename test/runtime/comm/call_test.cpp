// How ranks are called in messages.
#include "runtime/comm/call.h"

#include <gtest/gtest.h>
#include <numeric>

namespace sheaf::rt::comm {
namespace {

TEST(RanksText, NamesRanksAndTheirHosts) {
  const std::vector<std::string> hosts = {"a", "a", "b", "a"};
  EXPECT_EQ(ranksText(std::vector<int>{2}), "rank 2");
  EXPECT_EQ(ranksText(std::vector<int>{2}, hosts), "rank 2 (host b)");
  EXPECT_EQ(ranksText(std::vector<int>{0, 1, 3}), "ranks 0, 1, 3");
  EXPECT_EQ(ranksText(std::vector<int>{0, 1, 2, 3}, hosts),
            "ranks 0, 1 (host a), 2 (host b), 3 (host a)");
}

TEST(RanksText, NamesTheFirstOfMany) {
  std::vector<int> ranks(18);
  std::iota(ranks.begin(), ranks.end(), 0);
  const std::vector<std::string> hosts(18, "a");
  std::string first = "ranks 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15";
  EXPECT_EQ(ranksText(ranks), first + " and 2 more");
  EXPECT_EQ(ranksText(ranks, hosts), first + " (host a) and 2 more");
}

} // namespace
} // namespace sheaf::rt::comm
