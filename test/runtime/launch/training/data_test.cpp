// Columns of files and of folders of shards.
#include "test/runtime/launch/training/data_files.h"

#include <cstring>
#include <gmock/gmock.h>

namespace sheaf::rt::launch {
namespace {

using abi::ElementType;
using test::columnsOf, test::refusalOf, test::storeCounted;
using ::testing::HasSubstr;

std::vector<int32_t> rowsOf(const Column &column, int64_t begin, int64_t count) {
  std::vector<std::byte> scratch;
  const std::byte *rows = column.rows(begin, count, scratch);
  std::vector<int32_t> values(static_cast<size_t>(count * column.rowBytes()) / sizeof(int32_t));
  std::memcpy(values.data(), rows, values.size() * sizeof(int32_t));
  return values;
}

TEST(TrainingData, JoinsShardsInTheOrderOfTheirNames) {
  storeCounted<int32_t>("rows/b.npy", ElementType::i32, {3, 2}, 4);
  storeCounted<int32_t>("rows/a.npy", ElementType::i32, {2, 2}, 0);
  storeCounted<int32_t>("rows/c.npy", ElementType::i32, {0, 2});
  storeCounted<int32_t>("rows/d.npy", ElementType::i32, {1, 2}, 10);
  storeCounted<int32_t>("rows/.hidden.npy", ElementType::f32, {7});
  std::vector<Column> columns = columnsOf({{"", rt::test::processFolder() / "rows"}});
  ASSERT_EQ(columns.size(), 1u);
  EXPECT_EQ(columns[0].numRows(), 6);
  for (int64_t begin = 0; begin < 6; ++begin)
    for (int64_t count = 1; begin + count <= 6; ++count) {
      std::vector<int32_t> rows = rowsOf(columns[0], begin, count);
      for (size_t i = 0; i < rows.size(); ++i)
        ASSERT_EQ(rows[i], static_cast<int32_t>(2 * begin) + static_cast<int32_t>(i));
    }
}

TEST(TrainingData, ReadsRawFiles) {
  std::filesystem::path path = storeCounted<uint16_t>("raw.tokens", ElementType::ui16, {5});
  std::vector<Column> columns = columnsOf({{"ids", path}}, ElementType::ui16);
  EXPECT_EQ(columns[0].name(), "ids");
  EXPECT_EQ(columns[0].numRows(), 5);
  EXPECT_TRUE(columns[0].isStream());
  EXPECT_TRUE(hasRawFile({{"", path}}));
  EXPECT_THAT(refusalOf({{"", path}}), HasSubstr("give --token-type"));
  EXPECT_THAT(refusalOf({{"", path}}, ElementType::i32),
              HasSubstr("it has 10 bytes, which is no whole number of i32 (4 bytes each)"));
}

TEST(TrainingData, RefusesShardsThatDoNotFit) {
  storeCounted<int32_t>("wide/a.npy", ElementType::i32, {2, 2});
  storeCounted<int32_t>("wide/b.npy", ElementType::i32, {2, 3});
  EXPECT_THAT(refusalOf({{"", rt::test::processFolder() / "wide"}}),
              HasSubstr("one shard is i32[2, 2] and another i32[2, 3]; only dim 0 may differ"));
  storeCounted<int32_t>("odd/a.txt", ElementType::i32, {2, 2});
  EXPECT_THAT(refusalOf({{"", rt::test::processFolder() / "odd"}}),
              HasSubstr("a.txt is no file of data that is known by its name"));
  std::filesystem::create_directories(rt::test::processFolder() / "none");
  EXPECT_THAT(refusalOf({{"", rt::test::processFolder() / "none"}}),
              HasSubstr("is a folder without files"));
  EXPECT_THAT(refusalOf({{"", rt::test::processFolder() / "absent.npy"}}), HasSubstr("can't open"));
  EXPECT_THAT(refusalOf({{"", storeCounted<int32_t>("scalar.npy", ElementType::i32, {})}}),
              HasSubstr("is a scalar"));
}

TEST(TrainingData, RefusesNamesThatAreGivenTwice) {
  std::filesystem::path path = storeCounted<int32_t>("one.npy", ElementType::i32, {2});
  EXPECT_THAT(refusalOf({{"x", path}, {"x", path}}), HasSubstr("\"x\" is given twice"));
  EXPECT_THAT(refusalOf({{"", path}, {"", path}}), HasSubstr("only one file may come without"));
}

TEST(TrainingData, ParsesNamesAndPaths) {
  std::filesystem::path path = storeCounted<int32_t>("a=b.npy", ElementType::i32, {2});
  EXPECT_EQ(DataArgument::parse(path.string()).name, "");
  EXPECT_EQ(DataArgument::parse("x=" + path.string()).name, "x");
  EXPECT_EQ(DataArgument::parse("x=" + path.string()).path, path);
  EXPECT_EQ(DataArgument::parse("x=absent.npy").name, "x");
}

} // namespace
} // namespace sheaf::rt::launch
