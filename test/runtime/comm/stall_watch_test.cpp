// Work without beats is told, and only that.
#include "runtime/comm/stall_watch.h"

#include <chrono>
#include <future>
#include <gtest/gtest.h>

namespace sheaf::rt::comm {
namespace {

using namespace std::chrono_literals;

TEST(StallWatch, TellsWhatIsStuck) {
  std::promise<std::string> told;
  std::atomic<bool> isTold = false;
  StallWatch watch(/*timeoutMs=*/50, [&](const CollectiveSite &site) {
    if (!isTold.exchange(true))
      told.set_value(std::string(site.name));
  });
  const CollectiveSite done{"what is done", ""}, stuck{"what is stuck", ""};
  StallWatch::Place idle(watch), finished(watch), busy(watch);
  {
    StallWatch::Visit visit(finished, done);
  }
  StallWatch::Visit visit(busy, stuck);
  EXPECT_EQ(told.get_future().get(), "what is stuck");
}

TEST(StallWatch, LeavesWorkThatBeatsAlone) {
  std::atomic<int> numTold = 0;
  // So much longer than a pause between beats that no machine is too slow.
  StallWatch watch(/*timeoutMs=*/20'000, [&](const CollectiveSite &) { ++numTold; });
  StallWatch never(/*timeoutMs=*/0, [&](const CollectiveSite &) { ++numTold; });
  const CollectiveSite work{"work", ""};
  StallWatch::Place place(watch), unwatched(never);
  StallWatch::Visit seen(place, work), unseen(unwatched, work);
  for (int i = 0; i < 10; ++i) {
    std::this_thread::sleep_for(1ms);
    place.beat();
  }
  EXPECT_EQ(numTold, 0);
}

} // namespace
} // namespace sheaf::rt::comm
