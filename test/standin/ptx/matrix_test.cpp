// Products of matrices by warps: who holds which element, as the formulas of the PTX ISA say it.
#include "test/standin/ptx/half.h"
#include "test/standin/ptx/machine.h"

#include <bit>
#include <gmock/gmock.h>

namespace sheaf::standin::ptx {
namespace {

using testing::HasSubstr;

/// A lane's registers.
struct Registers {
  uint32_t a[4], b[2];
  float c[4];
};

/// Loads the Registers of each lane from p0, and leaves the sums in p1.
std::string productText(std::string_view type, std::string_view guard = "") {
  return kernelText(
      "mad.wide.u32 %rd1, %r0, 32, %rd0;"
      "ld.global.v2.b32 {%r1, %r2}, [%rd1]; ld.global.v2.b32 {%r3, %r4}, [%rd1+8];"
      "ld.global.v2.b32 {%r5, %r6}, [%rd1+16];"
      "ld.global.v2.f32 {%f1, %f2}, [%rd1+24]; ld.global.v2.f32 {%f3, %f4}, [%rd1+32];"
      "setp.ne.u32 %p1, %r0, 5;" +
          std::string(guard) + "mma.sync.aligned.m16n8k16.row.col.f32." + std::string(type) + "." +
          std::string(type) +
          ".f32 {%f5, %f6, %f7, %f8}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, "
          "{%f1, %f2, %f3, %f4};"
          "ld.param.u64 %rd2, [p1]; mad.wide.u32 %rd2, %r0, 16, %rd2;"
          "st.global.v4.f32 [%rd2], {%f5, %f6, %f7, %f8};",
      2);
}

/// a[m][k] = m - 2 k, b[k][n] = 3 n - k, c[m][n] = m n: all sums are exact.
double aAt(int m, int k) { return m - 2 * k; }
double bAt(int k, int n) { return 3 * n - k; }

template <typename T> void setElement(uint32_t (&registers)[4], int i, double value) {
  registers[i / 2] |= uint32_t(narrow<T>(value).bits) << (i % 2 * 16);
}

/// The ISA names elements a0 to a7, b0 to b3 and c0 to c3 of each thread, from the lower half of the first register on.
template <typename T> Registers registersOf(int lane) {
  const int groupId = lane >> 2, threadIdInGroup = lane % 4;
  uint32_t a[4] = {}, b[4] = {};
  for (int i = 0; i < 8; ++i) {
    const int row = (i >= 0 && i < 2) || (i >= 4 && i < 6) ? groupId : groupId + 8;
    const int column = i < 4 ? threadIdInGroup * 2 + (i & 1) : threadIdInGroup * 2 + (i & 1) + 8;
    setElement<T>(a, i, aAt(row, column));
  }
  for (int i = 0; i < 4; ++i) {
    const int row = i < 2 ? threadIdInGroup * 2 + (i & 1) : threadIdInGroup * 2 + (i & 1) + 8;
    setElement<T>(b, i, bAt(row, groupId));
  }
  Registers result{{a[0], a[1], a[2], a[3]}, {b[0], b[1]}, {}};
  for (int i = 0; i < 4; ++i)
    result.c[i] =
        static_cast<float>((i < 2 ? groupId : groupId + 8) * (threadIdInGroup * 2 + (i & 1)));
  return result;
}

template <typename T> void checkProduct(std::string_view type) {
  Machine machine(productText(type));
  std::vector<Registers> registers;
  for (int lane = 0; lane < 32; ++lane)
    registers.push_back(registersOf<T>(lane));
  const uint64_t sums = machine.allocate(32 * 16);
  ASSERT_EQ(machine.run("k", {}, {32, 1, 1}, machine.upload(registers), sums), "");
  std::vector<float> found = machine.download<float>(sums);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) {
      const int row = i < 2 ? lane >> 2 : (lane >> 2) + 8, column = lane % 4 * 2 + (i & 1);
      double expected = row * column;
      for (int k = 0; k < 16; ++k)
        expected += aAt(row, k) * bAt(k, column);
      EXPECT_EQ(found[lane * 4 + i], expected) << "lane " << lane << ", c" << i;
    }
}

TEST(Matrices, areMultipliedInTheLayoutOfTheIsa) {
  checkProduct<Half>("f16");
  checkProduct<BFloat>("bf16");
}

TEST(Matrices, cutSums) {
  Machine machine(productText("bf16"));
  std::vector<Registers> registers(32);
  // Columns 0, 2, 4 and 6 of rows 0 to 7 meet these rows of b: 3/4 of a unit in the last place of 1.
  for (Registers &lane : registers) {
    lane.a[0] = narrow<BFloat>(0x1p-12).bits;
    lane.b[0] = narrow<BFloat>(0.75 * 0x1p-13).bits;
    lane.c[0] = 1;
    lane.c[1] = -1;
  }
  const uint64_t sums = machine.allocate(32 * 16);
  ASSERT_EQ(machine.run("k", {}, {32, 1, 1}, machine.upload(registers), sums), "");
  std::vector<float> found = machine.download<float>(sums);
  EXPECT_EQ(found[0], 1);
  EXPECT_EQ(found[1], -1 + 0x1p-23f);
}

TEST(Matrices, needAllLanes) {
  auto trapOf = [](std::string_view guard, uint32_t threads) {
    Machine machine(productText("bf16", guard));
    std::vector<Registers> registers(32);
    return machine.run("k", {}, {threads, 1, 1}, machine.upload(registers),
                       machine.allocate(32 * 16));
  };
  EXPECT_EQ(trapOf("", 32), "");
  EXPECT_THAT(trapOf("@%p1 ", 32),
              HasSubstr("mma.sync needs all 32 lanes of a warp; lane 5 does not take part"));
  EXPECT_THAT(trapOf("", 20), HasSubstr("lane 20 does not take part"));
}

/// Each lane puts 16 bytes of p0 into shared memory, 48 bytes from the next one's, and reads `form` from there to p1.
std::string loadText(std::string_view form, std::string_view vector, int shift = 0) {
  return kernelText(".shared .align 16 .b8 s[1536];"
                    "mad.wide.u32 %rd1, %r0, 8, %rd0; mov.u64 %rd3, s; mad.wide.u32 %rd3, %r0, 48, "
                    "%rd3; ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];"
                    "st.shared.v4.b32 [%rd3], {%r1, %r2, %r3, %r4}; bar.sync 0;"
                    "mov.b32 %r1, -1; mov.b32 %r2, -1; mov.b32 %r3, -1; mov.b32 %r4, -1;"
                    "ldmatrix.sync.aligned.m8n8." +
                        std::string(form) + ".shared.b16 " + std::string(vector) + ", [%rd3+" +
                        std::to_string(shift) +
                        "]; ld.param.u64 %rd2, [p1]; mad.wide.u32 %rd2, %r0, 16, %rd2;"
                        "st.global.v4.b32 [%rd2], {%r1, %r2, %r3, %r4};",
                    2);
}

std::vector<uint16_t> loaded(std::string_view form, std::string_view vector) {
  Machine machine(loadText(form, vector));
  std::vector<uint16_t> elements; // 32 rows of 8
  for (uint16_t i = 0; i < 256; ++i)
    elements.push_back(i);
  const uint64_t out = machine.allocate(32 * 16);
  EXPECT_EQ(machine.run("k", {}, {32, 1, 1}, machine.upload(elements), out), "");
  return machine.download<uint16_t>(out);
}

TEST(Matrices, areReadByRows) {
  // "Each thread in a warp holds a fragment of a row, with thread 0 holding the first fragment": thread 4 r + c has
  // elements 2 c and 2 c + 1 of row r.
  std::vector<uint16_t> four = loaded("x4", "{%r1, %r2, %r3, %r4}"), one = loaded("x1", "{%r1}");
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 8; ++i) {
      const int element = i / 2 * 64 + lane / 4 * 8 + lane % 4 * 2 + i % 2;
      EXPECT_EQ(four[lane * 8 + i], element);
      EXPECT_EQ(one[lane * 8 + i], i < 2 ? element : 0xffff);
    }
}

TEST(Matrices, areReadByColumns) {
  std::vector<uint16_t> two = loaded("x2.trans", "{%r1, %r2}");
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) {
      const int row = lane % 4 * 2 + i % 2, column = lane / 4;
      EXPECT_EQ(two[lane * 8 + i], i / 2 * 64 + row * 8 + column);
    }
}

TEST(Matrices, haveRowsInSharedMemoryAt16Bytes) {
  auto trapOf = [](int shift) {
    Machine machine(loadText("x4", "{%r1, %r2, %r3, %r4}", shift));
    return machine.run("k", {}, {32, 1, 1}, machine.allocate(512), machine.allocate(512));
  };
  EXPECT_EQ(trapOf(16), "");
  EXPECT_THAT(trapOf(8), HasSubstr("reads 16 bytes at 0x8, which is misaligned"));
  EXPECT_THAT(trapOf(48), HasSubstr("of the 1536 bytes of shared memory"));
  std::string text = kernelText("ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%rd0];");
  EXPECT_THROW(Machine machine(text), std::runtime_error);
  text = kernelText("mma.sync.aligned.m16n8k16.row.col.f32.bf16.f16.f32 {%f1, %f2, %f3, %f4}, "
                    "{%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};");
  EXPECT_THROW(Machine machine(text), std::runtime_error);
}

} // namespace
} // namespace sheaf::standin::ptx
