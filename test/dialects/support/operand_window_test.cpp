// Runs of windows, against what each place needs.
#include "dialects/support/operand_window.h"

#include <gtest/gtest.h>

namespace sheaf {
namespace {

/// What place q needs, by the definition.
DimWindow::Run neededBy(const DimWindow &window, int64_t q) {
  auto floorDivided = [&](int64_t x) {
    int64_t quotient = x / window.divisor;
    return quotient * window.divisor > x ? quotient - 1 : quotient;
  };
  return {floorDivided(window.scale * q + window.first),
          floorDivided(window.scale * q + window.last) + 1};
}

TEST(DimWindow, RunsAreWhatTheirPlacesNeedTogether) {
  for (int64_t scale : {-3, -1, 1, 2})
    for (int64_t divisor : {1, 2, 3})
      for (int64_t first : {-4, 0, 3})
        for (int64_t reach : {1, 2, 5}) {
          DimWindow window{20, scale, divisor, first, first + reach - 1};
          for (int64_t place = 0; place < 6; ++place)
            for (int64_t count = 1; count < 5; ++count) {
              DimWindow::Run run = window.needed(place, count), all = neededBy(window, place);
              for (int64_t q = place + 1; q < place + count; ++q) {
                all.begin = std::min(all.begin, neededBy(window, q).begin);
                all.end = std::max(all.end, neededBy(window, q).end);
              }
              EXPECT_EQ(run.begin, all.begin);
              EXPECT_EQ(run.end, std::max(all.begin, all.end));
              if (window.isAligned(place)) {
                EXPECT_EQ(std::max<int64_t>(run.end - run.begin, 1), window.room(count));
              }
            }
        }
}

TEST(DimWindow, NoPlacesNeedNoRoom) {
  EXPECT_EQ((DimWindow{0, 1, 1, 0, 4}).room(0), 0);
  // Places between taps need nothing; what they get is one element of padding.
  EXPECT_EQ((DimWindow{8, 1, 4, 3, 0}).room(1), 1);
}

} // namespace
} // namespace sheaf
