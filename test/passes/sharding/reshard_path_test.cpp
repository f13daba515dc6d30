// Reshard paths: the known ones, and random ones carried out on every rank of small meshes.
#include "passes/sharding/reshard_path.h"

#include "mlir/IR/Builders.h"
#include "runtime/abi/shard.h"
#include "llvm/ADT/StringExtras.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace sheaf::dist;
using namespace sheaf::sharding;
using Kind = ReshardStep::Kind;

namespace {

using Extents = std::vector<int64_t>;
constexpr StringLiteral kNames("xyzw");

/// "x y,-" with "U{z}" after it: the dims' axes, major first, and the partial ones.
TensorSharding parse(StringRef text, const Extents &mesh) {
  auto [dims, partial] = text.split(" U");
  TensorSharding sharding = TensorSharding::whole(0);
  auto axes = [&](StringRef names) {
    AxisList list;
    for (char name : names)
      if (size_t index = kNames.find(name); index != StringRef::npos)
        append(list, {unsigned(index), 1, mesh[index]});
    return list;
  };
  for (StringRef dim : llvm::split(dims, ','))
    sharding.dims.push_back({axes(dim), false, 0});
  sharding.partial = axes(partial);
  return sharding;
}

std::string str(AxisListRef axes, const Extents &mesh) {
  std::string text;
  for (Axis axis : axes) {
    text += text.empty() ? "" : " ";
    text += kNames[axis.index];
    if (axis.size != mesh[axis.index])
      text += "~" + std::to_string(axis.preSize) + ":" + std::to_string(axis.size);
  }
  return text;
}

std::string str(const ReshardPath &path, const Extents &mesh) {
  std::string text;
  for (const ReshardStep &step : path.steps) {
    text += text.empty() ? "" : "; ";
    std::string axes = "{" + str(step.axes, mesh) + "}", dim = std::to_string(step.dim);
    switch (step.kind) {
    case Kind::slice:
      text += "SL" + dim + axes;
      break;
    case Kind::allGather:
      text += "AG" + dim + axes;
      break;
    case Kind::allToAll:
      text += "A2A" + dim + "->" + std::to_string(step.splitDim) + axes;
      break;
    case Kind::permute:
      text += "CP" + axes + "->{" + str(step.to, mesh) + "}";
      break;
    case Kind::reduceScatter:
      text += "RS" + dim + axes;
      break;
    case Kind::allReduce:
      text += "AR" + axes;
      break;
    }
  }
  return text;
}

struct ReshardPathTest : testing::Test {
  MLIRContext context;

  RankedTensorType type(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, Float32Type::get(&context));
  }
  std::string path(StringRef from, StringRef to, const Extents &mesh,
                   ArrayRef<int64_t> shape = {16, 16}) {
    return str(findReshardPath(type(shape), parse(from, mesh), parse(to, mesh)), mesh);
  }
};

TEST_F(ReshardPathTest, OneCollective) {
  Extents mesh = {2, 2, 2};
  EXPECT_EQ(path("x y z,-", "x,-", mesh), "AG0{y z}");
  EXPECT_EQ(path("-,-", "x,y z", mesh), "SL0{x}; SL1{y z}");
  EXPECT_EQ(path("x,y,-", "-,y,x", mesh, {16, 16, 16}), "A2A0->2{x}");
  EXPECT_EQ(path("x z,y", "x,y z", mesh), "A2A0->1{z}");
  EXPECT_EQ(path("x,y", "y,x", {2, 2}), "CP{x y}->{y x}");
}

TEST_F(ReshardPathTest, CutsBeforeItMoves) {
  Extents mesh = {2, 2, 2};
  EXPECT_EQ(path("-,x,-", "-,-,x y z", mesh, {16, 16, 16}), "SL1{y z}; A2A1->2{x y z}");
  EXPECT_EQ(path("x,-", "-,y", mesh), "SL1{y}; AG0{x}");
}

TEST_F(ReshardPathTest, ReordersBeforeItGathers) {
  EXPECT_EQ(path("y x z,-", "z,-", {2, 2, 2}), "CP{y x z}->{z x y}; AG0{x y}");
}

TEST_F(ReshardPathTest, CombinesAsNarrowlyAsItCan) {
  Extents mesh = {2, 2, 2};
  EXPECT_EQ(path("-,- U{x}", "-,-", mesh), "AR{x}");
  EXPECT_EQ(path("-,- U{x}", "x,-", mesh), "RS0{x}");
  // Half of F instead of the three quarters of RS0{x}; RS1{y}; SL0{z}: what is cut first is combined less.
  EXPECT_EQ(path("-,- U{x y}", "x z,y", mesh), "SL0{z}; RS0{x}; RS1{y}; CP{z x y}->{x z y}");
}

TEST_F(ReshardPathTest, CutsThroughAnAxis) {
  std::string text = path("x,-", "-,x", {4});
  EXPECT_EQ(text, "A2A0->1{x}");
}

TEST_F(ReshardPathTest, StaysUnderTheCap) {
  Extents mesh = {2, 2, 2};
  TensorSharding from = parse("y x z,-", mesh), to = parse("x,z y", mesh);
  for (const ReshardStep &step : findReshardPath(type({16, 16}), from, to, {128}).steps)
    EXPECT_LE(blockTypeOf(type({16, 16}), step.result).getNumElements(), 32);
}

//===----------------------------------------------------------------------===//
// Carrying out
//===----------------------------------------------------------------------===//

/// What every rank holds: blocks of a 2-D tensor of numbers, with padding of a number of its own.
class Ranks {
public:
  static constexpr double kPadding = -1e6;

  Ranks(Extents mesh, std::array<int64_t, 2> shape, const TensorSharding &sharding)
      : mesh(std::move(mesh)), shape(shape) {
    int64_t count = 1;
    for (int64_t extent : this->mesh)
      count *= extent;
    for (int64_t rank = 0; rank < count; ++rank) {
      auto [rows, columns] = shards(sharding, rank);
      Block block{rows.block, columns.block, {}};
      block.values.assign(rows.block * columns.block, kPadding);
      for (int64_t r = 0; r < rows.extent; ++r)
        for (int64_t c = 0; c < columns.extent; ++c) {
          double value = double((rows.begin + r) * shape[1] + columns.begin + c + 1);
          // Members of a partial group hold unequal shares of it.
          int64_t n = sizeOf(sharding.partial), place = index(sharding.partial, rank);
          block.at(r, c) = place == 0 ? value - double(n * (n - 1) / 2) : double(place);
        }
      blocks.push_back(std::move(block));
    }
  }

  void apply(const ReshardStep &step) {
    std::vector<Block> next;
    for (size_t rank = 0; rank < blocks.size(); ++rank)
      next.push_back(result(step, int64_t(rank)));
    blocks = std::move(next);
  }

  /// Whether both hold the same elements; padding may differ.
  bool agrees(const Ranks &expected, const TensorSharding &sharding) const {
    for (size_t rank = 0; rank < blocks.size(); ++rank) {
      auto [rows, columns] = shards(sharding, int64_t(rank));
      if (blocks[rank].rows != rows.block || blocks[rank].columns != columns.block)
        return false;
      for (int64_t r = 0; r < rows.extent; ++r)
        for (int64_t c = 0; c < columns.extent; ++c)
          if (blocks[rank].at(r, c) != expected.blocks[rank].at(r, c))
            return false;
    }
    return true;
  }

private:
  struct Block {
    int64_t rows, columns;
    std::vector<double> values;
    double &at(int64_t r, int64_t c) { return values[r * columns + c]; }
    double at(int64_t r, int64_t c) const { return values[r * columns + c]; }
  };

  int64_t coordinate(unsigned axis, int64_t rank) const {
    for (size_t i = mesh.size(); --i > axis;)
      rank /= mesh[i];
    return rank % mesh[axis];
  }
  int64_t index(AxisListRef axes, int64_t rank) const {
    int64_t place = 0;
    for (Axis axis : axes)
      place =
          place * axis.size + sheaf::abi::partCoordinate(coordinate(axis.index, rank),
                                                         mesh[axis.index], axis.preSize, axis.size);
    return place;
  }
  std::pair<sheaf::abi::Shard, sheaf::abi::Shard> shards(const TensorSharding &sharding,
                                                         int64_t rank) const {
    sheaf::abi::Shard result[2];
    for (int dim : {0, 1}) {
      result[dim] = sheaf::abi::Shard::whole(shape[dim]);
      for (Axis axis : sharding.dims[dim].axes)
        result[dim] = result[dim].part(axis.size, index({axis}, rank));
    }
    return {result[0], result[1]};
  }
  /// The ranks that differ from `rank` in `axes` only, in their order.
  std::vector<int64_t> group(AxisListRef axes, int64_t rank) const {
    std::vector<int64_t> members(sizeOf(axes));
    for (size_t other = 0; other < blocks.size(); ++other) {
      bool differsElsewhere = false;
      for (unsigned axis = 0; axis < mesh.size(); ++axis) {
        AxisList rest = difference({Axis{axis, 1, mesh[axis]}}, axes);
        if (mesh[axis] > 1)
          differsElsewhere |= index(rest, int64_t(other)) != index(rest, rank);
      }
      if (!differsElsewhere)
        members[index(axes, int64_t(other))] = int64_t(other);
    }
    return members;
  }

  Block result(const ReshardStep &step, int64_t rank) const {
    std::vector<int64_t> members = group(step.axes, rank);
    int64_t place = index(step.axes, rank);
    switch (step.kind) {
    case Kind::slice:
      return part(blocks[rank], step.dim, step.axes, place);
    case Kind::allGather:
      return joined(members, step.dim, step.result);
    case Kind::allToAll:
      return part(joined(members, step.dim, step.result), step.splitDim, step.axes, place);
    case Kind::permute:
      for (int64_t member : members)
        if (index(step.axes, member) == index(step.to, rank))
          return blocks[member];
      ADD_FAILURE() << "nobody sends";
      return {};
    case Kind::reduceScatter:
      return part(sum(members), step.dim, step.axes, place);
    case Kind::allReduce:
      return sum(members);
    }
    llvm_unreachable("unknown step");
  }

  Block sum(const std::vector<int64_t> &members) const {
    Block total = blocks[members[0]];
    for (double &value : total.values)
      value = 0;
    for (int64_t member : members)
      for (size_t i = 0; i < total.values.size(); ++i)
        total.values[i] += blocks[member].values[i];
    return total;
  }

  static Block part(const Block &whole, unsigned dim, AxisListRef axes, int64_t place) {
    int64_t rows = dim == 0 ? blockOf(whole.rows, axes) : whole.rows;
    int64_t columns = dim == 1 ? blockOf(whole.columns, axes) : whole.columns;
    Block block{rows, columns, std::vector<double>(rows * columns, kPadding)};
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        int64_t fromRow = dim == 0 ? place * rows + r : r,
                fromColumn = dim == 1 ? place * columns + c : c;
        if (fromRow < whole.rows && fromColumn < whole.columns)
          block.at(r, c) = whole.at(fromRow, fromColumn);
      }
    return block;
  }

  Block joined(const std::vector<int64_t> &members, unsigned dim,
               const TensorSharding &result) const {
    const Block &first = blocks[members[0]];
    int64_t rows = dim == 0 ? blockOf(shape[0], result.dims[0].axes) : first.rows;
    int64_t columns = dim == 1 ? blockOf(shape[1], result.dims[1].axes) : first.columns;
    Block block{rows, columns, std::vector<double>(rows * columns, kPadding)};
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        int64_t member = dim == 0 ? r / first.rows : c / first.columns;
        block.at(r, c) = blocks[members[member]].at(dim == 0 ? r % first.rows : r,
                                                    dim == 1 ? c % first.columns : c);
      }
    return block;
  }

  Extents mesh;
  std::array<int64_t, 2> shape;
  std::vector<Block> blocks;
};

/// A sharding by random parts of axes, none used twice.
TensorSharding randomSharding(const Extents &mesh, std::mt19937 &random, bool mayBePartial) {
  TensorSharding sharding = TensorSharding::whole(2);
  std::vector<Axis> parts;
  for (unsigned axis = 0; axis < mesh.size(); ++axis) {
    int64_t pre = 1;
    for (int64_t left = mesh[axis]; left > 1;) {
      int64_t size = left;
      if (left == 4 && random() % 2 == 0)
        size = 2;
      parts.push_back({axis, pre, size});
      pre *= size;
      left /= size;
    }
  }
  std::shuffle(parts.begin(), parts.end(), random);
  for (Axis part : parts)
    switch (random() % 4) {
    case 0:
      append(sharding.dims[0].axes, part);
      break;
    case 1:
      append(sharding.dims[1].axes, part);
      break;
    case 2:
      if (mayBePartial)
        append(sharding.partial, part);
      break;
    default:
      break;
    }
  return sharding;
}

TEST_F(ReshardPathTest, EveryRankGetsItsBlock) {
  std::mt19937 random(7);
  std::vector<Extents> meshes = {{2}, {4}, {3}, {2, 2}, {2, 4}, {3, 2}, {2, 2, 2}, {5, 2}};
  for (int round = 0; round < 3000; ++round) {
    const Extents &mesh = meshes[random() % meshes.size()];
    std::array<int64_t, 2> shape = {int64_t(1 + random() % 9), int64_t(1 + random() % 9)};
    if (round % 3 == 0)
      shape = {16, 24};
    TensorSharding from = randomSharding(mesh, random, true);
    TensorSharding to = randomSharding(mesh, random, false);
    ReshardPath path = findReshardPath(type(shape), from, to);
    SCOPED_TRACE("round " + std::to_string(round) + " " + str(from.dims[0].axes, mesh) + "," +
                 str(from.dims[1].axes, mesh) + " U " + str(from.partial, mesh) + " -> " +
                 str(to.dims[0].axes, mesh) + "," + str(to.dims[1].axes, mesh) + " of " +
                 std::to_string(shape[0]) + "x" + std::to_string(shape[1]) + ": " +
                 str(path, mesh));
    Ranks ranks(mesh, shape, from);
    for (const ReshardStep &step : path.steps)
      ranks.apply(step);
    ASSERT_TRUE(ranks.agrees(Ranks(mesh, shape, to), to));
  }
}

} // namespace
