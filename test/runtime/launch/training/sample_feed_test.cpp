// Which column feeds which input, and what ranks find in their inputs.
#include "runtime/launch/training/batch_writer.h"
#include "test/runtime/executable_builder.h"
#include "test/runtime/launch/training/data_files.h"

#include <gmock/gmock.h>

namespace sheaf::rt::launch {
namespace {

using abi::ElementType;
using test::columnsOf, test::storeCounted;
using ::testing::ElementsAre, ::testing::HasSubstr;

/// An executable with one program and no instructions.
struct Fed {
  explicit Fed(std::vector<rt::test::TestSignature> inputs, int64_t microBatches = 1,
               std::vector<rt::test::TestAxis> mesh = {})
      : bytes(build(std::move(inputs), microBatches, std::move(mesh))),
        executable(std::move(*Executable::fromBytes(bytes.bytes(), ""))) {}

  static rt::test::AlignedBytes build(std::vector<rt::test::TestSignature> inputs,
                                      int64_t microBatches, std::vector<rt::test::TestAxis> mesh) {
    rt::test::TestExecutable file;
    file.mesh = std::move(mesh);
    rt::test::TestProgram program;
    program.name = "train_step";
    program.inputs = std::move(inputs);
    program.microBatches = microBatches;
    file.programs = {program};
    return file.build();
  }

  const ProgramInfo &program() const { return executable.programs().front(); }

  std::string refusal(const std::vector<Column> &columns, std::string_view labels = "") const {
    auto feed = SampleFeed::match(program(), columns, labels);
    return feed.isOk() ? "" : std::string(feed.takeStatus().text());
  }
  SampleFeed feed(const std::vector<Column> &columns, std::string_view labels = "") const {
    auto feed = SampleFeed::match(program(), columns, labels);
    EXPECT_TRUE(feed.isOk()) << feed.takeStatus().text();
    return std::move(*feed);
  }

  /// What `rank` finds in input `index` after it was fed these samples.
  template <typename T>
  std::vector<T> written(const SampleFeed &feed, size_t index, std::vector<int64_t> samples,
                         int rank = 0) const {
    std::vector<Memory> memories;
    for (const SignatureInfo &input : program().inputs)
      memories.push_back(std::move(*allocateHostMemory(static_cast<size_t>(input.bytes))));
    BatchWriter(feed, executable.mesh(), rank).write(samples, memories);
    const T *data = reinterpret_cast<const T *>(memories[index].data());
    return {data, data + static_cast<size_t>(program().inputs[index].bytes) / sizeof(T)};
  }

  rt::test::AlignedBytes bytes;
  Executable executable;
};

rt::test::TestSignature ids(std::vector<int64_t> dims = {1, 2, 4}) {
  return {"ids", ElementType::i64, std::move(dims)};
}
rt::test::TestSignature labels(std::vector<int64_t> dims = {1, 2, 4}) {
  return {"labels", ElementType::i64, std::move(dims), UINT32_MAX, {}, {}, -100};
}
rt::test::TestSignature image() { return {"x", ElementType::f32, {1, 2, 3}}; }

std::vector<Column> stream(int64_t count, const std::string &name = "") {
  return columnsOf({{name, storeCounted<uint16_t>("t.npy", ElementType::ui16, {count})}});
}

TEST(SampleFeed, CutsAStreamIntoWindowsWithLabels) {
  Fed fed({ids(), labels()});
  std::vector<Column> columns = stream(14);
  SampleFeed feed = fed.feed(columns);
  EXPECT_EQ(feed.numSamples(), 3); // The label of the last token of a fourth would be missing.
  EXPECT_EQ(feed.tokensPerSample(), 4);
  EXPECT_THAT(fed.written<int64_t>(feed, 0, {2, 0}), ElementsAre(8, 9, 10, 11, 0, 1, 2, 3));
  EXPECT_THAT(fed.written<int64_t>(feed, 1, {2, 0}), ElementsAre(9, 10, 11, 12, 1, 2, 3, 4));
  EXPECT_EQ(fed.feed(stream(13)).numSamples(), 3);
  EXPECT_EQ(fed.feed(stream(12)).numSamples(), 2);
  EXPECT_EQ(fed.feed(stream(0)).numSamples(), 0);
}

TEST(SampleFeed, CutsAStreamIntoWindowsWithoutLabels) {
  Fed fed({ids()});
  EXPECT_EQ(fed.feed(stream(12)).numSamples(), 3);
  EXPECT_EQ(fed.feed(stream(11)).numSamples(), 2);
}

TEST(SampleFeed, GivesLabelsToTheInputOfThatName) {
  rt::test::TestSignature targets = labels();
  targets.name = "targets";
  Fed fed({ids(), targets});
  EXPECT_THAT(fed.refusal(stream(14)),
              HasSubstr("could be for \"ids\" i64[4], \"targets\" i64[4]"));
  EXPECT_THAT(fed.refusal(stream(14, "ids")), HasSubstr("no data: \"targets\" i64[4]"));
  std::vector<Column> columns = stream(14);
  EXPECT_THAT(fed.written<int64_t>(fed.feed(columns, "targets"), 1, {0, 1}),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(fed.refusal(stream(14), "nobody"), HasSubstr("there is no such input; there are: "));
}

TEST(SampleFeed, FillsMissingSamplesWithPaddingOrTheFirst) {
  Fed fed({ids({1, 3, 4}), labels({1, 3, 4})});
  std::vector<Column> columns = stream(14);
  SampleFeed feed = fed.feed(columns);
  EXPECT_TRUE(feed.hasPadding());
  EXPECT_THAT(fed.written<int64_t>(feed, 0, {1}), ElementsAre(4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7));
  EXPECT_THAT(fed.written<int64_t>(feed, 1, {1}),
              ElementsAre(5, 6, 7, 8, -100, -100, -100, -100, -100, -100, -100, -100));
}

/// Five samples over two ranks: three and two, in memory for three.
TEST(SampleFeed, GivesRanksTheirSamples) {
  rt::test::TestSignature x{"x", ElementType::f32, {2, 3, 1}, UINT32_MAX, {2, 5, 2}, {}};
  x.cuts = {{}, {{0, 1, 2}}, {{1, 1, 2}}};
  Fed fed({x}, 2, {{"data", 2}, {"tensor", 2}});
  std::vector<Column> columns =
      columnsOf({{"", storeCounted<uint8_t>("x.npy", ElementType::ui8, {11, 2})}});
  SampleFeed feed = fed.feed(columns);
  EXPECT_EQ(feed.samplesPerRun(), 10);
  std::vector<int64_t> samples = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
  EXPECT_THAT(fed.written<float>(feed, 0, samples, 0), ElementsAre(20, 18, 16, 10, 8, 6));
  EXPECT_THAT(fed.written<float>(feed, 0, samples, 1), ElementsAre(21, 19, 17, 11, 9, 7));
  EXPECT_THAT(fed.written<float>(feed, 0, samples, 2), ElementsAre(14, 12, 0, 4, 2, 0));
}

TEST(SampleFeed, MatchesArraysByNameOrWhenOneIsLeft) {
  Fed fed({image(), {"y", ElementType::i64, {1, 2}}});
  std::filesystem::path x = storeCounted<float>("f.npy", ElementType::f32, {5, 3});
  std::filesystem::path y = storeCounted<uint8_t>("y.npy", ElementType::ui8, {5});
  EXPECT_EQ(fed.feed(columnsOf({{"y", y}, {"x", x}})).numSamples(), 5);
  EXPECT_EQ(fed.feed(columnsOf({{"y", y}, {"", x}})).numSamples(), 5);
  EXPECT_THAT(fed.refusal(columnsOf({{"", x}})),
              HasSubstr("could be for \"x\" f32[3], \"y\" i64[]; say which: --data NAME="));
  EXPECT_THAT(fed.refusal(columnsOf({{"x", x}})), HasSubstr("no data: \"y\" i64[]"));
  EXPECT_THAT(fed.refusal(columnsOf({{"x", x}, {"z", y}})),
              HasSubstr("no data: \"y\" i64[]; the data has also \"z\""));
  EXPECT_EQ(fed.feed(columnsOf({{"y", y}, {"x", x}, {"z", y}})).unused().size(), 1u);
}

TEST(SampleFeed, RefusesDataThatDoesNotFit) {
  Fed fed({image(), {"y", ElementType::i64, {1, 2}}});
  std::filesystem::path x = storeCounted<float>("g.npy", ElementType::f32, {5, 3});
  EXPECT_THAT(
      fed.refusal(columnsOf({{"x", storeCounted<double>("d.npy", ElementType::f64, {5, 3})}})),
      HasSubstr("holds f64 but input \"x\" f32[3] can't take all of its values"));
  EXPECT_THAT(
      fed.refusal(columnsOf({{"x", storeCounted<float>("w.npy", ElementType::f32, {5, 4})}})),
      HasSubstr("has samples of shape [4] but input \"x\" f32[3] is wanted"));
  EXPECT_THAT(fed.refusal(columnsOf(
                  {{"x", x}, {"y", storeCounted<int32_t>("s.npy", ElementType::i32, {4})}})),
              HasSubstr("has 4 samples but"));
  EXPECT_THAT(fed.refusal(columnsOf({{"x", x}}), "y"),
              HasSubstr("--labels y: input \"y\" i64[] takes no windows of tokens"));
  EXPECT_THAT(Fed({ids(), labels({1, 2, 3})}).refusal(stream(20)),
              HasSubstr("takes labels of other windows than the 4 tokens before them"));
  EXPECT_THAT(
      Fed({ids(), {"more", ElementType::i64, {1, 2, 4}}})
          .refusal(columnsOf({{"ids", storeCounted<int8_t>("i.npy", ElementType::i8, {9})},
                              {"more", storeCounted<int8_t>("j.npy", ElementType::i8, {9})}})),
      HasSubstr("are both streams of tokens; give one"));
  EXPECT_THAT(
      Fed({ids()}).refusal(
          columnsOf({{"ids", storeCounted<int64_t>("k.npy", ElementType::i64, {4, 4})}}), "ids"),
      HasSubstr("--labels ids: the data has a column of that name"));
  EXPECT_THAT(Fed({image()}, 0).refusal(columnsOf({{"x", x}})), HasSubstr("is not fed samples"));
  EXPECT_THAT(Fed({{"x", ElementType::f32, {1, 0, 3}}}).refusal(columnsOf({{"x", x}})),
              HasSubstr("is not fed samples"));
}

} // namespace
} // namespace sheaf::rt::launch
