// The ledger's sums, and the formulas of what collectives move.
#include "runtime/core/ledger.h"

#include <gtest/gtest.h>

namespace sheaf::rt::test {
namespace {

TEST(Traffic, FollowsTheFormulas) {
  // Full buffers of 1200 bytes over 4 ranks: blocks of 300.
  EXPECT_EQ(abi::allReduceTraffic(4, 1200), (abi::Traffic{1200, 2 * 3 * 300}));
  EXPECT_EQ(abi::allGatherTraffic(4, 300), (abi::Traffic{1200, 3 * 300}));
  EXPECT_EQ(abi::reduceScatterTraffic(4, 300), (abi::Traffic{1200, 3 * 300}));
  // Each rank holds 4 blocks of 75.
  EXPECT_EQ(abi::allToAllTraffic(4, 75), (abi::Traffic{1200, 3 * 75}));
  EXPECT_EQ(abi::permuteTraffic(300), (abi::Traffic{300, 300}));
}

TEST(Traffic, RoundsDownOnlyOnce) {
  EXPECT_EQ(abi::allReduceTraffic(3, 4).ringBytes, 16 / 3);
  EXPECT_EQ(abi::allReduceTraffic(1000, int64_t(1) << 59).ringBytes,
            static_cast<int64_t>(static_cast<__int128>(int64_t(1) << 59) * 1998 / 1000));
}

TEST(Ledger, TellsWhatWasNotPlanned) {
  Ledger moved, planned;
  moved.add(moved.line("all_gather", "data"), {100, 75});
  moved.add(moved.line("all_gather", "data"), {100, 75});
  EXPECT_EQ(moved.ofOneRun(2).lines()[0], (Ledger::Line{"all_gather", "data", 1, {100, 75}}));
  planned.set({"all_gather", "data", 2, {200, 150}});
  EXPECT_EQ(moved.difference(planned), "");
  // A line without calls is as good as none.
  moved.line("permute", "data");
  planned.set({"all_reduce", "data", 0, {0, 0}});
  EXPECT_EQ(moved.difference(planned), "");
  planned.set({"all_reduce", "x", 1, {8, 8}});
  planned.set({"all_gather", "data", 2, {200, 149}});
  EXPECT_EQ(moved.difference(planned),
            "all_gather over data: 2 calls of 200 bytes that sent 150, planned are 2 of 200 that "
            "send 149; "
            "all_reduce over x: 0 calls of 0 bytes that sent 0, planned are 1 of 8 that send 8");
}

TEST(Ledger, SumsByClassAndAxes) {
  Ledger ledger;
  size_t first = ledger.line("all_gather", "data"), other = ledger.line("all_gather", "x:(1)2");
  EXPECT_EQ(ledger.line("all_gather", "data"), first);
  EXPECT_NE(first, other);
  ledger.add(first, {100, 75});
  ledger.add(first, {100, 75});
  ledger.add(other, {8, 4});
  ASSERT_EQ(ledger.lines().size(), 2u);
  EXPECT_EQ(ledger.lines()[0], (Ledger::Line{"all_gather", "data", 2, {200, 150}}));
  EXPECT_EQ(ledger.lines()[1], (Ledger::Line{"all_gather", "x:(1)2", 1, {8, 4}}));
  ledger.clear();
  EXPECT_EQ(ledger.line("all_gather", "x:(1)2"), other);
  EXPECT_EQ(ledger.lines()[1], (Ledger::Line{"all_gather", "x:(1)2", 0, {0, 0}}));
}

} // namespace
} // namespace sheaf::rt::test
