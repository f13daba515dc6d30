// Constants: reading and making them, in every form they can have.
#include "dialects/graph/fold/constant.h"
#include "dialects/graph/graph.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace sheaf::graph;

namespace {

struct ConstantTest : testing::Test {
  MLIRContext context;
  Builder builder{&context};

  ConstantTest() { context.loadDialect<GraphDialect>(); }

  RankedTensorType tensor(ArrayRef<int64_t> shape, Type type) {
    return RankedTensorType::get(shape, type);
  }
  SmallVector<Bits> read(Attribute value) {
    std::optional<Constant> constant = Constant::of(value);
    EXPECT_TRUE(constant.has_value());
    SmallVector<Bits> elements;
    for (int64_t i = 0; i < constant->size(); ++i)
      elements.push_back((*constant)[i]);
    return elements;
  }
  DenseResourceElementsAttr resource(RankedTensorType type, ArrayRef<char> bytes) {
    return DenseResourceElementsAttr::get(type, "r",
                                          HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, 8));
  }
};

TEST_F(ConstantTest, ReadsWhatWasMade) {
  for (Type type : {Type(builder.getI1Type()), Type(builder.getIntegerType(4)),
                    Type(builder.getIntegerType(2, false)), Type(builder.getI64Type()),
                    Type(builder.getBF16Type()), Type(builder.getF64Type())}) {
    Bits mask = llvm::maskTrailingOnes<Bits>(type.getIntOrFloatBitWidth());
    SmallVector<Bits> elements;
    for (Bits i = 0; i < 11; ++i)
      elements.push_back((i * 0x9e3779b97f4a7c15) & mask);
    EXPECT_EQ(read(makeConstant(tensor({11}, type), elements)), elements);
  }
}

TEST_F(ConstantTest, EqualElementsAreASplat) {
  auto type = tensor({3}, builder.getI1Type());
  std::optional<Constant> constant = Constant::of(makeConstant(type, {1, 1, 1}));
  EXPECT_TRUE(constant->isSplat());
  EXPECT_EQ(read(makeConstant(type, Bits(1))), SmallVector<Bits>({1, 1, 1}));
}

TEST_F(ConstantTest, NothingAndRankZero) {
  auto empty = tensor({2, 0}, builder.getF32Type());
  std::optional<Constant> constant = Constant::of(makeConstant(empty, {}));
  ASSERT_TRUE(constant.has_value());
  EXPECT_EQ(constant->size(), 0);
  EXPECT_FALSE(constant->isSplat());
  EXPECT_EQ(read(makeConstant(tensor({}, builder.getI8Type()), Bits(7))), SmallVector<Bits>({7}));
}

TEST_F(ConstantTest, ResourcesHoldOneByteOrMorePerElement) {
  EXPECT_EQ(read(resource(tensor({3}, builder.getI1Type()), {0, 1, 2})),
            SmallVector<Bits>({0, 1, 1}));
  EXPECT_EQ(read(resource(tensor({2}, builder.getIntegerType(4)), {-1, 7})),
            SmallVector<Bits>({15, 7}));
  // Too short for its type.
  EXPECT_FALSE(Constant::of(resource(tensor({3}, builder.getI16Type()), {1, 2, 3})).has_value());
}

TEST_F(ConstantTest, ValuesInFilesAreNotRead) {
  auto type = tensor({2}, builder.getF32Type());
  EXPECT_FALSE(Constant::of(ExternalAttr::get(&context, "w.bin", 0, 8, type)).has_value());
  EXPECT_FALSE(Constant::of(Attribute()).has_value());
}

TEST_F(ConstantTest, ReshapingMovesNoBytesOfFilesAndResources) {
  auto from = tensor({2, 3}, builder.getI8Type()), to = tensor({6}, builder.getI8Type());
  auto external = ExternalAttr::get(&context, "w.bin", 16, 6, from);
  EXPECT_EQ(reshapeConstant(external, to), ExternalAttr::get(&context, "w.bin", 16, 6, to));
  auto stored = resource(from, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(cast<DenseResourceElementsAttr>(reshapeConstant(stored, to)).getRawHandle(),
            stored.getRawHandle());
  EXPECT_FALSE(reshapeConstant(external, tensor({5}, builder.getI8Type())));
}

} // namespace
