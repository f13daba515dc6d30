// Elements: exact values, roundings and conversions of every type, against values worked out by hand.
#include "dialects/graph/fold/element.h"
#include "mlir/IR/Builders.h"

#include "gtest/gtest.h"
#include <bit>
#include <cmath>

using namespace mlir;
using namespace sheaf::graph;

namespace {

struct ElementTest : testing::Test {
  MLIRContext context;
  Builder builder{&context};

  Element f16{builder.getF16Type()}, bf16{builder.getBF16Type()}, f32{builder.getF32Type()},
      f64{builder.getF64Type()};
  Element e4m3{Float8E4M3FNType::get(&context)}, e5m2{Float8E5M2Type::get(&context)},
      e4m3fnuz{Float8E4M3FNUZType::get(&context)}, e2m1{Float4E2M1FNType::get(&context)},
      e8m0{Float8E8M0FNUType::get(&context)};
  Element i1{builder.getI1Type()}, i4{builder.getIntegerType(4)}, i8{builder.getI8Type()},
      i32{builder.getI32Type()}, i64{builder.getI64Type()};
  Element ui4{builder.getIntegerType(4, false)}, ui8{builder.getIntegerType(8, false)},
      ui32{builder.getIntegerType(32, false)}, ui64{builder.getIntegerType(64, false)};
};

TEST_F(ElementTest, EveryNarrowFloatRoundTripsThroughDouble) {
  for (const Element *element : {&f16, &bf16, &e4m3, &e5m2, &e4m3fnuz, &e2m1})
    for (Bits bits = 0; bits < (Bits(1) << element->getWidth()); ++bits) {
      double value = element->toDouble(bits);
      if (std::isnan(value))
        continue;
      EXPECT_EQ(element->fromDouble(value), bits) << element->getWidth() << " bits " << bits;
    }
}

TEST_F(ElementTest, RoundsToNearestEven) {
  EXPECT_EQ(f16.fromDouble(2049), f16.fromDouble(2048)); // A tie, between 2048 and 2050.
  EXPECT_EQ(f16.fromDouble(2051), f16.fromDouble(2052));
  EXPECT_EQ(bf16.fromDouble(1 + 0x1p-8), Bits(0x3f80));
  EXPECT_EQ(bf16.fromDouble(1 + 0x1p-8 + 0x1p-40), Bits(0x3f81));
  EXPECT_EQ(f16.fromDouble(65520), Bits(0x7c00));
  EXPECT_EQ(e4m3.fromDouble(464), e4m3.fromDouble(448)); // The last tie goes down.
}

TEST_F(ElementTest, OverflowSaturatesOnlyWhenAsked) {
  EXPECT_EQ(e4m3.fromDouble(1e6, /*saturate=*/true), Bits(0x7e));
  EXPECT_TRUE(std::isnan(e4m3.toDouble(*e4m3.fromDouble(1e6))));
  EXPECT_EQ(e5m2.fromDouble(-INFINITY, /*saturate=*/true), Bits(0xfb));
  EXPECT_EQ(e5m2.fromDouble(-INFINITY), Bits(0xfc));
  EXPECT_TRUE(std::isnan(e4m3.toDouble(*e4m3.fromDouble(NAN, /*saturate=*/true))));
  EXPECT_EQ(e2m1.fromDouble(100), e2m1.fromDouble(6));
  EXPECT_EQ(e2m1.fromDouble(-INFINITY), e2m1.fromDouble(-6));
  EXPECT_EQ(f16.fromDouble(1e6, /*saturate=*/true), Bits(0x7c00)); // Only 8-bit floats saturate.
}

TEST_F(ElementTest, AFloatWithoutZeroIsReadButNotMade) {
  EXPECT_EQ(e8m0.toDouble(127), 1.0);
  EXPECT_TRUE(std::isnan(e8m0.toDouble(255)));
  EXPECT_EQ(e8m0.fromDouble(1), std::nullopt);
  EXPECT_EQ(e8m0.lowest(), std::nullopt);
}

TEST_F(ElementTest, IntegersExtendBySignAndWrap) {
  EXPECT_EQ(int64_t(i4.extend(15)), -1);
  EXPECT_EQ(ui4.extend(15), 15u);
  EXPECT_EQ(i1.extend(1), 1u);
  EXPECT_EQ(i8.wrap(Bits(-1)), 255u);
  EXPECT_EQ(int64_t(i64.extend(Bits(-5))), -5);
}

TEST_F(ElementTest, ExtremesAreInfinitiesWhereThereAreAny) {
  EXPECT_EQ(f32.toDouble(*f32.lowest()), -INFINITY);
  EXPECT_EQ(e4m3.toDouble(*e4m3.highest()), 448);
  EXPECT_EQ(e2m1.toDouble(*e2m1.lowest()), -6);
  EXPECT_EQ(int64_t(i8.extend(*i8.lowest())), -128);
  EXPECT_EQ(i8.highest(), Bits(127));
  EXPECT_EQ(ui8.highest(), Bits(255));
  EXPECT_EQ(i1.lowest(), Bits(0));
}

TEST_F(ElementTest, FloatsTruncateToIntegersWithoutTraps) {
  auto to = [&](const Element &element, double value) {
    return int64_t(element.extend(*element.convert(f64, std::bit_cast<Bits>(value), true)));
  };
  EXPECT_EQ(to(i32, -2.9), -2);
  EXPECT_EQ(to(i32, 1e20), INT32_MIN);
  EXPECT_EQ(to(i64, NAN), INT64_MIN);
  EXPECT_EQ(to(i64, -0x1p63), INT64_MIN);
  EXPECT_EQ(to(ui8, -1), 255);
  EXPECT_EQ(to(ui32, 4e9), 4000000000);
  EXPECT_EQ(uint64_t(to(ui64, 0x1p63)), uint64_t(1) << 63);
  EXPECT_EQ(to(i1, 0.25), 1);
  EXPECT_EQ(to(i1, NAN), 1);
  EXPECT_EQ(to(i1, -0.0), 0);
}

TEST_F(ElementTest, IntegersRoundOnceToFloats) {
  Bits big = (Bits(1) << 60) + (Bits(1) << 36) + 1; // Rounding to double first would make a tie.
  EXPECT_EQ(f32.convert(i64, big, true), Bits(std::bit_cast<uint32_t>(0x1.000002p60f)));
  EXPECT_EQ(f32.convert(ui64, Bits(-1), true), Bits(std::bit_cast<uint32_t>(0x1p64f)));
  EXPECT_EQ(f32.convert(i8, 255, true), Bits(std::bit_cast<uint32_t>(-1.0f)));
  EXPECT_EQ(e4m3.convert(i32, 1000, true), Bits(0x7e));
  EXPECT_EQ(f16.convert(i1, 1, true), Bits(0x3c00));
}

} // namespace
