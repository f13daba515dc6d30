// Our kernels have the barriers that they need, and the interpreter of PTX finds each that is missing.
#include "runtime/cuda/kernels/attention_parameters.h"
#include "runtime/cuda/kernels/row_sum_parameters.h"
#include "runtime/cuda/kernels/sort_entry.h"
#include "test/standin/ptx/machine.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace sheaf::rt::cuda {
namespace {

using standin::ptx::Machine;

/// The text of one kernel of a file, whose barriers can be taken out.
class KernelText {
public:
  KernelText(const std::string &file, const std::string &kernel) {
    const std::string text =
        standin::ptx::readText(std::string(SHEAF_DEVICE_CODE) + "/" + file + ".ptx");
    const size_t begin = text.find(".visible .entry " + kernel + "("),
                 end = text.find("\n}", begin);
    if (end == std::string::npos)
      throw std::runtime_error("no kernel " + kernel + " in " + file);
    alone = text.substr(0, text.find(".visible .entry ")) + text.substr(begin, end + 3 - begin);
    for (size_t at = 0; (at = alone.find("bar.sync", at)) != std::string::npos; ++at)
      barriers.push_back(at);
  }

  size_t numBarriers() const { return barriers.size(); }
  std::string whole() const { return alone; }
  std::string without(size_t barrier) const {
    std::string text = alone;
    const size_t begin = barriers[barrier];
    std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(begin), text.find(';', begin) - begin,
                ' ');
    return text;
  }

private:
  std::string alone;
  std::vector<size_t> barriers; ///< where they stand in it
};

/// Runs a block of a kernel, so that each of its loops is passed several times. Returns the trap that it ends in.
using Run = std::function<std::string(Machine &)>;

/// Which barriers can be taken out without a trap.
std::vector<size_t> spareBarriers(const KernelText &text, const Run &run) {
  Machine machine(text.whole());
  EXPECT_EQ(run(machine), "");
  std::vector<size_t> spare;
  for (size_t i = 0; i < text.numBarriers(); ++i) {
    Machine broken(text.without(i));
    const std::string trap = run(broken);
    if (trap.empty())
      spare.push_back(i);
    else
      EXPECT_NE(trap.find("data race"), std::string::npos) << trap;
  }
  return spare;
}

/// One head, of more columns than any kernel keeps in registers, and several tiles of queries and keys.
AttentionParameters problemOf(int64_t width, int64_t queries, int64_t keys) {
  AttentionParameters p{};
  p.heads = p.groups = 1;
  p.queries = queries;
  p.keys = keys;
  p.depth = 400;
  p.valueDepth = width;
  p.query[2] = p.key[2] = p.depth;
  p.value[2] = p.result[2] = p.valueDepth;
  p.scale = 1;
  p.isAligned = true;
  return p;
}

uint32_t numThreads(int bytes) {
  return bytes == 2 ? attentionMatrixThreads : attentionSide * attentionSide;
}

Run attention(const std::string &type, int64_t width, int bytes) {
  return [=](Machine &machine) {
    const AttentionParameters p = problemOf(width, 128, 150);
    auto rows = [&](int64_t count) {
      return machine.allocate(static_cast<uint64_t>(count * 400 * bytes));
    };
    return machine.run("attention_" + type + "_" + std::to_string(width), {},
                       {numThreads(bytes), 1, 1}, p, rows(p.queries), rows(p.keys), rows(p.keys),
                       uint64_t(0), rows(p.queries));
  };
}

Run attentionGradient(const std::string &side, const std::string &type, int64_t width, int bytes) {
  return [=](Machine &machine) {
    AttentionGradientParameters p{};
    const bool isOfKeys = side == "key";
    p.attention = problemOf(400, isOfKeys ? 150 : 128, isOfKeys ? 128 : 150);
    p.queryGradient[2] = p.keyGradient[2] = p.valueGradient[2] = 400;
    p.numParts = (400 + width - 1) / width;
    auto rows = [&](int64_t count) {
      return machine.allocate(static_cast<uint64_t>(count * 400 * bytes));
    };
    const int64_t queries = p.attention.queries, keys = p.attention.keys;
    const uint64_t q = rows(queries), k = rows(keys), v = rows(keys), g = rows(queries),
                   statistics = rows(queries);
    const std::string name =
        "attention_" + side + "_gradient_" + type + "_" + std::to_string(width);
    if (isOfKeys)
      return machine.run(name, {}, {numThreads(bytes), 1, 1}, p, q, k, v, g, uint64_t(0),
                         rows(keys), rows(keys), statistics);
    return machine.run(name, {}, {numThreads(bytes), 1, 1}, p, q, k, v, g, uint64_t(0),
                       rows(queries), statistics);
  };
}

Run sumRows(const std::string &type) {
  return [=](Machine &machine) {
    const RowSumParameters p{20, 100, 100, 1};
    return machine.run("sum_rows_" + type, {2, 1, 1}, {256, 1, 1}, p,
                       machine.allocate(20 * 100 * 4), machine.allocate(100 * 4));
  };
}

Run sortTiles() {
  return [](Machine &machine) {
    const int64_t count = 4 * sortTile;
    std::vector<SortEntry> entries(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i)
      entries[static_cast<size_t>(i)] = {static_cast<uint64_t>(count - i), i};
    const SortLanes lanes{0, 1, count, count, count};
    return machine.run("sort_tiles", {2, 1, 1}, {256, 1, 1}, lanes, int64_t(2), sortTile,
                       machine.upload(entries));
  };
}

using Spare = std::vector<size_t>;

// Of 16 bits and of 32: the others are the same templates.
const std::pair<std::string, int> types[] = {{"f16", 2}, {"f32", 4}};

/// Before the first rows on the left are loaded nothing is in the shared memory.
Spare spareOf(bool isHeld) { return isHeld ? Spare{0} : Spare{}; }

TEST(KernelBarriers, ofAttentionAreNeeded) {
  for (const auto &[type, bytes] : types)
    for (int width : {64, 128, 256}) {
      const std::string name = "attention_" + type + "_" + std::to_string(width);
      EXPECT_EQ(spareBarriers({"attention", name}, attention(type, width, bytes)),
                spareOf(bytes == 2))
          << name;
    }
}

TEST(KernelBarriers, ofGradientsOfAttentionAreNeeded) {
  for (const auto &[type, bytes] : types)
    for (int width : {64, 128})
      for (const std::string side : {"query", "key"}) {
        const std::string name =
            "attention_" + side + "_gradient_" + type + "_" + std::to_string(width);
        EXPECT_EQ(spareBarriers({"attention_gradient", name},
                                attentionGradient(side, type, width, bytes)),
                  spareOf(bytes == 2 && width == 64))
            << name;
      }
}

TEST(KernelBarriers, ofSumsAndSortsAreNeeded) {
  EXPECT_EQ(spareBarriers({"contract", "sum_rows_f32"}, sumRows("f32")), Spare());
  EXPECT_EQ(spareBarriers({"sort", "sort_tiles"}, sortTiles()), Spare());
}

} // namespace
} // namespace sheaf::rt::cuda
