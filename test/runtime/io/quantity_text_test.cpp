// Numbers with units.
#include "runtime/io/quantity_text.h"

#include <gtest/gtest.h>

namespace sheaf::rt::io {
namespace {

TEST(QuantityText, HasThreeDigitsOrSo) {
  EXPECT_EQ(formatBytes(0), "0 B");
  EXPECT_EQ(formatBytes(1023), "1023 B");
  EXPECT_EQ(formatBytes(3'596'000), "3.43 MiB");
  EXPECT_EQ(formatSeconds(12.4), "12s");
  EXPECT_EQ(formatSeconds(192), "3m12s");
  EXPECT_EQ(formatSeconds(7260), "2h1m");
  EXPECT_EQ(formatCount(12), "12.0");
  EXPECT_EQ(formatCount(12'400), "12.4k");
  EXPECT_EQ(formatCount(1.5e6), "1.50M");
  EXPECT_EQ(formatNumber(0), "0.0000");
  EXPECT_EQ(formatNumber(3.2041), "3.204");
  EXPECT_EQ(formatNumber(-0.0312), "-0.0312");
  EXPECT_EQ(formatNumber(2.9e-4), "2.90e-04");
  EXPECT_EQ(formatNumber(1.0 / 0), "inf");
}

} // namespace
} // namespace sheaf::rt::io
