// The call `window`, on meshes of threads, against the definition: place by place.
#include "runtime/abi/window.h"
#include "test/runtime/host/rank_runner.h"

#include <gmock/gmock.h>

namespace sheaf::rt::test {
namespace {

using ::testing::HasSubstr;

constexpr int16_t fillValue = -1;

struct WindowCase {
  Dims dims; ///< of the whole operand
  size_t dim;
  int64_t places;
  abi::Window window;

  int64_t extent() const { return dims[dim]; }
  std::vector<Param> params(const AxesCase &where) const {
    auto integer = [](const char *name, int64_t value) { return ints(name, {value}); };
    return {where.axes(),
            integer("dim", static_cast<int64_t>(dim)),
            integer("extent", extent()),
            integer("places", places),
            integer("scale", window.scale),
            integer("divisor", window.divisor),
            integer("first", window.first),
            integer("last", window.last)};
  }
};

/// Whole axes, several, parts of an axis, an order of devices, and a group of one.
const std::vector<AxesCase> &meshes() {
  static const std::vector<AxesCase> list = {
      {{{"x", 2}}, {{0, 1, 2}}},
      {{{"x", 3}}, {{0, 1, 3}}},
      {{{"x", 2}, {"y", 3}}, {{1, 1, 3}, {0, 1, 2}}},
      {{{"x", 4}}, {{0, 2, 2}}},
      {{{"x", 4}}, {{0, 1, 4}}, {2, 0, 3, 1}},
      {{{"x", 2}}, {}},
  };
  return list;
}

/// Element `index` of the whole operand; no two are the same.
int16_t elementAt(const Dims &dims, const Dims &index) {
  return static_cast<int16_t>(flatIndex(dims, index) + 1);
}

/// The first place of this member's part, and how many it has.
std::pair<int64_t, int64_t> placesOf(int64_t member, int64_t places, const AxesCase &where) {
  std::pair<int64_t, int64_t> found{0, 0};
  for (int64_t place = places; place-- > 0;)
    if (ownerOf(place, places, where.parts).member == member)
      found = {place, found.second + 1};
  return found;
}

void check(const AxesCase &where, const WindowCase &test) {
  Dims inDims = with(test.dims, test.dim, blockOf(test.extent(), where.parts));
  int64_t block = blockOf(test.places, where.parts);
  Dims outDims = with(test.dims, test.dim, test.window.room(block));
  std::vector<Tensor> ins;
  std::vector<int64_t> members;
  for (int rank = 0; rank < where.numRanks(); ++rank) {
    std::vector<int> group = where.group(rank);
    members.push_back(std::find(group.begin(), group.end(), rank) - group.begin());
    // Padding is never looked at.
    std::vector<int16_t> values(static_cast<size_t>(product(inDims)), 9999);
    forEachIndex(test.dims, [&](Dims &index, size_t) {
      Owner owner = ownerOf(index[test.dim], test.extent(), where.parts);
      if (owner.member == members.back())
        values[flatIndex(inDims, with(index, test.dim, owner.place))] = elementAt(test.dims, index);
    });
    ins.push_back(tensor(inDims, values));
  }
  auto results = runOnRanks(where, "window", ins, room(ElementType::i16, outDims),
                            test.params(where), false, {tensor({}, std::vector{fillValue})});
  for (size_t rank = 0; rank < results.size(); ++rank) {
    ASSERT_EQ(results[rank].error, "") << where.str();
    EXPECT_TRUE(std::ranges::equal(results[rank].ledger.lines(), results[0].ledger.lines()));
    std::vector<int16_t> expected(static_cast<size_t>(product(outDims)), fillValue);
    auto [begin, count] = placesOf(members[rank], test.places, where);
    if (count > 0) {
      int64_t start = test.window.needed(begin, block).begin;
      abi::Window::Run run = test.window.needed(begin, count);
      forEachIndex(outDims, [&](Dims &index, size_t flat) {
        int64_t place = start + index[test.dim];
        if (place >= std::max<int64_t>(run.begin, 0) && place < std::min(run.end, test.extent()))
          expected[flat] = elementAt(test.dims, with(index, test.dim, place));
      });
    }
    EXPECT_EQ(results[rank].out.memory, tensor(outDims, expected).memory)
        << where.str() << "rank " << rank << " of " << ::testing::PrintToString(test.dims)
        << " places " << test.places << " scale " << test.window.scale << " first "
        << test.window.first;
  }
}

TEST(DimWindow, GivesEachMemberWhatItsPlacesNeed) {
  const std::vector<WindowCase> tests = {
      {{12}, 0, 12, {1, 1, -1, 1}},       // three taps and padding
      {{2, 12, 3}, 1, 12, {1, 1, -1, 1}}, // the same in the middle
      {{7, 2}, 0, 7, {1, 1, -3, 3}},      // beyond neighbours, uneven
      {{2, 12}, 1, 5, {2, 1, 0, 2}},      // strided
      {{1, 12}, 1, 7, {1, 1, 3, 3}},      // a slice
      {{3, 5}, 1, 12, {1, 1, -4, -4}},    // padding on both sides
      {{2, 7}, 1, 7, {-1, 1, 6, 6}},      // reversed
      {{12, 2}, 0, 12, {-1, 1, 12, 12}},  // reversed and moved
      {{6}, 0, 12, {1, 2, 0, 1}},         // what a gradient of stride 2 reads
      {{3, 1}, 1, 9, {1, 1, -8, -8}},     // one element
      {{3, 0}, 1, 9, {1, 1, -8, -8}},     // none
      {{0, 8}, 1, 8, {1, 1, -1, 1}},      {{8}, 0, 0, {1, 1, 2, 2}}, // no places
      {{8}, 0, 1, {1, 1, 7, 7}},                                     // one place
  };
  for (const AxesCase &where : meshes())
    for (const WindowCase &test : tests) {
      bool isAligned = true; // The compiler asks for no other.
      for (int64_t member = 0; member < where.groupSize(); ++member)
        if (auto [begin, count] = placesOf(member, test.places, where); count > 0)
          isAligned &= test.window.scale * begin % test.window.divisor == 0;
      if (isAligned)
        check(where, test);
    }
}

TEST(DimWindow, CountsWhatTheRankThatSendsMostSends) {
  AxesCase where{{{"x", 4}}, {{0, 1, 4}}};
  auto lineOf = [&](const WindowCase &test) {
    Dims inDims = with(test.dims, test.dim, blockOf(test.extent(), where.parts));
    Dims outDims = with(test.dims, test.dim, test.window.room(blockOf(test.places, where.parts)));
    auto results = runOnRanks(
        where, "window", std::vector<Tensor>(4, room(ElementType::f32, inDims)),
        room(ElementType::f32, outDims), test.params(where), false, {room(ElementType::f32, {})});
    EXPECT_EQ(results[0].error, "");
    auto lines = results[0].ledger.lines();
    return lines.empty() ? Ledger::Line() : lines[0];
  };
  // Ranks in the middle send a row of 3 to each of two neighbours; buffers have 4 rows.
  EXPECT_EQ(lineOf({{8, 3}, 0, 8, {1, 1, -1, 1}}),
            (Ledger::Line{"window", "x", 1, {4 * 4 * 12, 24}}));
  // The first half of the elements: two ranks send all they have.
  EXPECT_EQ(lineOf({{8, 3}, 0, 4, {1, 1, 4, 4}}), (Ledger::Line{"window", "x", 1, {4 * 12, 24}}));
  // Nothing to send.
  EXPECT_EQ(lineOf({{8, 0}, 0, 8, {1, 1, -1, 1}}).calls, 0);
  // Tiles: nobody needs another's.
  EXPECT_EQ(lineOf({{8, 3}, 0, 4, {2, 1, 0, 1}}).calls, 0);
}

TEST(DimWindow, MalformedParametersAreRefused) {
  AxesCase where{{{"x", 2}}, {{0, 1, 2}}};
  auto errorOf = [&](const WindowCase &test, const Dims &in, const Dims &out,
                     ElementType fill = ElementType::f32) {
    auto results =
        runOnRanks(where, "window", std::vector<Tensor>(2, room(ElementType::f32, in)),
                   room(ElementType::f32, out), test.params(where), false, {room(fill, {})});
    return results[0].error;
  };
  EXPECT_THAT(errorOf({{8}, 0, 8, {0, 1, 0, 0}}, {4}, {4}), HasSubstr("are no window of 8 places"));
  EXPECT_THAT(errorOf({{8}, 0, 8, {1, 0, 0, 0}}, {4}, {4}), HasSubstr("are no window"));
  EXPECT_THAT(errorOf({{8}, 0, int64_t(1) << 61, {1, 1, 0, 0}}, {4}, {4}),
              HasSubstr("are no window"));
  EXPECT_THAT(errorOf({{8}, 0, 8, {1, 1, int64_t(1) << 61, 0}}, {4}, {4}),
              HasSubstr("are no window"));
  EXPECT_THAT(errorOf({{8}, 0, 8, {1, 1, -1, 1}}, {4}, {4}),
              HasSubstr("a block of 4 places needs 6 elements, not the 4 of out"));
  EXPECT_THAT(errorOf({{8}, 0, 8, {1, 1, -1, 1}}, {3}, {6}), HasSubstr("in: the block of the cut"));
  EXPECT_THAT(errorOf({{8}, 0, 8, {1, 1, -1, 1}}, {4}, {6}, ElementType::i32),
              HasSubstr("must be one element of the type of in"));
  EXPECT_THAT(errorOf({{8}, 0, 6, {1, 2, 0, 1}}, {4}, {2}),
              HasSubstr("needs 3 elements at place 0 of a buffer of 2"));
}

} // namespace
} // namespace sheaf::rt::test
