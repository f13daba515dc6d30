// The text of progress; what reaches a terminal is tested with shard-run.
#include "runtime/io/progress_line.h"

#include <gtest/gtest.h>

namespace sheaf::rt::io {
namespace {

TEST(Progress, ShowsCountBarAndTimeLeft) {
  EXPECT_EQ(formatProgress("running", 412, 1000, 0.5, 99, false),
            "  running  412/1000  #########           ");
  EXPECT_EQ(formatProgress("running", 500, 1000, 192, 99, false),
            "  running  500/1000  ##########            eta 3m12s");
  EXPECT_EQ(formatProgress("running", 1, 4, 3600, 99, true),
            "  running  1/4  █████                 eta 3h0m");
  EXPECT_EQ(formatProgress("running", 1, 40, 0, 99, true), "  running  1/40  ▌                   ");
  EXPECT_EQ(formatProgress("reading", 0, 0, 9, 99, true), "  reading");
}

TEST(Progress, ShowsDetailsInPlaceOfTheTimeLeft) {
  const std::vector<std::string> details = {"loss 3.204", "|g| 0.91", "eta 3m12s"};
  EXPECT_EQ(formatProgress("step", 4, 8, 9, 99, true, details),
            "  step  4/8  █████       loss 3.204  |g| 0.91  eta 3m12s");
  for (size_t columns = 70; columns < 99; ++columns)
    EXPECT_LE(formatProgress("step", 412'000'000, 999'000'000, 9, columns, false, details).size(),
              columns);
  EXPECT_EQ(formatProgress("step", 412'000'000, 999'000'000, 9, 70, false, details).find("eta"),
            std::string::npos);
}

TEST(Progress, FitsTheTerminal) {
  std::string longName(200, 'x');
  for (size_t columns : {1, 2, 20, 69, 70, 79, 99}) {
    std::string text = formatProgress(longName, 1'000'000'000, 1'000'000'000, 1e6, columns, false);
    EXPECT_LE(text.size(), std::max<size_t>(columns, 2)) << columns;
  }
}

} // namespace
} // namespace sheaf::rt::io
