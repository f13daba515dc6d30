// Which element types convert without loss, and that they do.
#include "runtime/launch/training/exact_conversion.h"

#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace sheaf::rt::launch {
namespace {

using abi::ElementType;

TEST(ExactConversion, KnowsWhatFits) {
  for (auto [from, to] : {std::pair(ElementType::ui16, ElementType::i64),
                          {ElementType::ui16, ElementType::i32},
                          {ElementType::i64, ElementType::i64},
                          {ElementType::boolean, ElementType::f32},
                          {ElementType::ui8, ElementType::f32},
                          {ElementType::ui8, ElementType::bf16},
                          {ElementType::i32, ElementType::f64},
                          {ElementType::f16, ElementType::f32},
                          {ElementType::bf16, ElementType::f64}})
    EXPECT_TRUE(isExact(from, to)) << abi::nameOf(from) << " to " << abi::nameOf(to);
  for (auto [from, to] : {std::pair(ElementType::ui16, ElementType::i16),
                          {ElementType::i64, ElementType::i32},
                          {ElementType::i8, ElementType::ui64},
                          {ElementType::ui64, ElementType::i64},
                          {ElementType::i64, ElementType::f64},
                          {ElementType::i32, ElementType::f32},
                          {ElementType::f64, ElementType::f32},
                          {ElementType::bf16, ElementType::f16},
                          {ElementType::f16, ElementType::bf16},
                          {ElementType::f32, ElementType::i64},
                          {ElementType::ui8, ElementType::boolean},
                          {ElementType::f8E5M2, ElementType::f32}})
    EXPECT_FALSE(isExact(from, to)) << abi::nameOf(from) << " to " << abi::nameOf(to);
}

/// All values of a type of 16 bits, more than one chunk, from an odd address.
TEST(ExactConversion, KeepsEveryValue) {
  std::vector<uint16_t> values(65536);
  std::iota(values.begin(), values.end(), 0);
  std::vector<std::byte> shifted(values.size() * 2 + 1);
  std::memcpy(shifted.data() + 1, values.data(), values.size() * 2);
  std::vector<int64_t> wide(values.size());
  convertExactly(ElementType::ui16, shifted.data() + 1, ElementType::i64,
                 reinterpret_cast<std::byte *>(wide.data()), 65536);
  for (size_t i = 0; i < wide.size(); ++i)
    ASSERT_EQ(wide[i], static_cast<int64_t>(i));
  std::vector<float> floats(values.size());
  convertExactly(ElementType::i16, shifted.data() + 1, ElementType::f32,
                 reinterpret_cast<std::byte *>(floats.data()), 65536);
  EXPECT_EQ(floats[3], 3);
  EXPECT_EQ(floats[65535], -1);
  std::byte flags[] = {std::byte(0), std::byte(1), std::byte(2)};
  convertExactly(ElementType::boolean, flags, ElementType::f32,
                 reinterpret_cast<std::byte *>(floats.data()), 3);
  EXPECT_EQ((std::vector<float>{floats[0], floats[1], floats[2]}), (std::vector<float>{0, 1, 1}));
}

} // namespace
} // namespace sheaf::rt::launch
