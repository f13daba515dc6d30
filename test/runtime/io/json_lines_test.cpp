// A line is in the file as soon as it is written.
#include "runtime/io/json_lines.h"
#include "test/runtime/process_folder.h"

#include <cmath>
#include <fstream>
#include <gmock/gmock.h>
#include <sstream>

namespace sheaf::rt::io {
namespace {

std::string contentOf(const std::filesystem::path &path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(JsonLines, AreWholeAndStrict) {
  std::filesystem::path path = rt::test::processFolder() / "m.jsonl";
  Result<JsonLines> lines = JsonLines::open(path, /*isContinued=*/false);
  ASSERT_TRUE(lines.isOk());
  ASSERT_TRUE(lines->write({{"step", 1}, {"loss", NAN}, {"name", "\xff"}}).isOk());
  EXPECT_EQ(contentOf(path), "{\"step\":1,\"loss\":null,\"name\":\"\xef\xbf\xbd\"}\n");
  ASSERT_TRUE(JsonLines::open(path, /*isContinued=*/true)->write({{"step", 2}}).isOk());
  EXPECT_THAT(contentOf(path), ::testing::EndsWith("}\n{\"step\":2}\n"));
  ASSERT_TRUE(JsonLines::open(path, /*isContinued=*/false)->write({{"step", 3}}).isOk());
  EXPECT_EQ(contentOf(path), "{\"step\":3}\n");
}

TEST(JsonLines, TellWhatFails) {
  Result<JsonLines> absent = JsonLines::open("/absent/m.jsonl", /*isContinued=*/false);
  ASSERT_FALSE(absent.isOk());
  EXPECT_EQ(absent.takeStatus().text(), "can't write /absent/m.jsonl: No such file or directory");
  Result<JsonLines> full = JsonLines::open("/dev/full", /*isContinued=*/false);
  ASSERT_TRUE(full.isOk());
  EXPECT_EQ(full->write({{"step", 1}}).text(), "can't write /dev/full: No space left on device");
}

} // namespace
} // namespace sheaf::rt::io
