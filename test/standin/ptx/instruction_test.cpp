// Instructions of PTX one by one: what they compute, at their edges too.
#include "test/standin/ptx/half.h"
#include "test/standin/ptx/machine.h"

#include <bit>
#include <cmath>
#include <gmock/gmock.h>
#include <limits>

namespace sheaf::standin::ptx {
namespace {

struct Case {
  std::string_view body; ///< leaves its result in %rd1
  uint64_t expected;
};

uint64_t computeOne(std::string_view body) {
  Machine machine(kernelText(std::string(body) + "\nst.global.u64 [%rd0], %rd1;"));
  const uint64_t out = machine.allocate(8);
  EXPECT_EQ(machine.run("k", {}, {}, out), "") << body;
  return machine.download<uint64_t>(out)[0];
}

uint64_t bits(float value) { return std::bit_cast<uint32_t>(value); }

class Instruction : public testing::TestWithParam<Case> {};

TEST_P(Instruction, computes) {
  const uint64_t found = computeOne(GetParam().body);
  EXPECT_EQ(found, GetParam().expected) << GetParam().body << std::hex << "\nfound 0x" << found
                                        << ", expected 0x" << GetParam().expected;
}

INSTANTIATE_TEST_SUITE_P(
    wholeNumbers, Instruction,
    testing::Values(
        Case{"mul.wide.s32 %rd1, -3, 7;", uint64_t(-21)},
        Case{"mul.wide.u32 %rd1, 0xffffffff, 2;", 0x1fffffffe},
        Case{"mul.hi.u64 %rd1, 0xffffffffffffffff, 16;", 15},
        Case{"mul.hi.s32 %r1, -1, 5; cvt.s64.s32 %rd1, %r1;", uint64_t(-1)},
        Case{"mad.lo.s64 %rd1, 3, -4, 5;", uint64_t(-7)}, Case{"mad.wide.s32 %rd1, -2, 3, 10;", 4},
        Case{"mad.hi.u32 %r1, 0x80000000, 6, 1; cvt.u64.u32 %rd1, %r1;", 4},
        Case{"mul24.lo.u32 %r1, 0xff000003, 0x5; cvt.u64.u32 %rd1, %r1;", 15},
        Case{"mul24.hi.s32 %r1, 0x00ffffff, 0x10000; cvt.s64.s32 %rd1, %r1;", uint64_t(-1)},
        Case{"div.s32 %r1, -7, 2; cvt.s64.s32 %rd1, %r1;", uint64_t(-3)},
        Case{"rem.s64 %rd1, -7, 2;", uint64_t(-1)}, Case{"div.u64 %rd1, 5, 0;", uint64_t(-1)},
        Case{"div.s32 %r1, 0x80000000, -1; cvt.s64.s32 %rd1, %r1;", 0xffffffff80000000},
        Case{"sad.u32 %r1, 3, 8, 10; cvt.u64.u32 %rd1, %r1;", 15}, Case{"abs.s64 %rd1, -9;", 9},
        Case{"min.s64 %rd1, -9, 4;", uint64_t(-9)},
        Case{"max.u64 %rd1, 0xfffffffffffffff7, 4;", uint64_t(-9)},
        Case{"add.cc.u32 %r1, 0xffffffff, 1; addc.u32 %r2, 5, 6; mov.b64 %rd1, {%r1, %r2};",
             uint64_t(12) << 32},
        Case{"sub.cc.u32 %r1, 0, 1; subc.u32 %r2, 5, 0; mov.b64 %rd1, {%r1, %r2};",
             uint64_t(4) << 32 | 0xffffffff},
        Case{"add.s16 %h1, 0x7fff, 1; cvt.s64.s16 %rd1, %h1;", uint64_t(-32768)}));

INSTANTIATE_TEST_SUITE_P(
    bits, Instruction,
    testing::Values(
        Case{"shl.b64 %rd1, 1, 64;", 0}, Case{"shr.s64 %rd1, -8, 100;", uint64_t(-1)},
        Case{"shr.u64 %rd1, 0x8000000000000000, 63;", 1},
        Case{"shf.l.wrap.b32 %r1, 0x80000000, 0x1, 33; cvt.u64.u32 %rd1, %r1;", 3},
        Case{"shf.r.clamp.b32 %r1, 0x1, 0x5, 40; cvt.u64.u32 %rd1, %r1;", 5},
        Case{"bfe.u32 %r1, 0xabcd1234, 8, 8; cvt.u64.u32 %rd1, %r1;", 0x12},
        Case{"bfe.s32 %r1, 0x00000f00, 8, 4; cvt.s64.s32 %rd1, %r1;", uint64_t(-1)},
        Case{"bfe.s32 %r1, 0x80000000, 28, 8; cvt.s64.s32 %rd1, %r1;", uint64_t(-8)},
        Case{"bfi.b32 %r1, 0xff, 0x12345678, 4, 8; cvt.u64.u32 %rd1, %r1;", 0x12345ff8},
        Case{"popc.b64 %r1, 0xf0f0; cvt.u64.u32 %rd1, %r1;", 8},
        Case{"clz.b32 %r1, 0; cvt.u64.u32 %rd1, %r1;", 32},
        Case{"bfind.s32 %r1, -5; cvt.u64.u32 %rd1, %r1;", 2},
        Case{"bfind.shiftamt.u32 %r1, 1; cvt.u64.u32 %rd1, %r1;", 31},
        Case{"bfind.u32 %r1, 0; cvt.u64.u32 %rd1, %r1;", 0xffffffff},
        Case{"brev.b32 %r1, 0x1; cvt.u64.u32 %rd1, %r1;", 0x80000000},
        Case{"prmt.b32 %r1, 0x33221100, 0x77665584, 0xc410; cvt.u64.u32 %rd1, %r1;", 0xff841100},
        Case{"lop3.b32 %r1, 0xf0f0, 0xcccc, 0xaaaa, 0x96; cvt.u64.u32 %rd1, %r1;", 0x9696},
        Case{
            "mov.b32 %r1, 0x12345678; mov.b32 {%h1, %h2}, %r1; mov.b64 %rd1, {%h2, %h1, %h1, %h2};",
            0x1234567856781234},
        Case{"cnot.b64 %rd1, 0;", 1}, Case{"not.b64 %rd1, 0;", uint64_t(-1)}));

INSTANTIATE_TEST_SUITE_P(
    floats, Instruction,
    testing::Values(
        Case{"mov.f32 %f1, 0f7f800000; add.f32 %f1, %f1, 0fff800000; testp.notanumber.f32 %p1, %f1;"
             "selp.u64 %rd1, 1, 0, %p1;",
             1},
        Case{"min.f32 %f1, 0f7fc00000, 0f3f800000; mov.b32 %r1, %f1; cvt.u64.u32 %rd1, %r1;",
             0x3f800000},
        Case{"min.NaN.f32 %f1, 0f7fc00000, 0f3f800000; mov.b32 %r1, %f1; cvt.u64.u32 %rd1, %r1;",
             0x7fffffff},
        Case{"max.f32 %f1, 0f80000000, 0f00000000; mov.b32 %r1, %f1; cvt.u64.u32 %rd1, %r1;", 0},
        Case{"min.f32 %f1, 0f00000000, 0f80000000; mov.b32 %r1, %f1; cvt.u64.u32 %rd1, %r1;",
             0x80000000},
        Case{"fma.rn.f32 %f1, 0f3f800001, 0f3f800001, 0fbf800002; mov.b32 %r1, %f1;"
             "cvt.u64.u32 %rd1, %r1;",
             bits(0x1p-46f)},
        Case{"add.sat.f32 %f1, 0f3f800000, 0f3f800000; mov.b32 %r1, %f1; cvt.u64.u32 %rd1, %r1;",
             bits(1.0f)},
        Case{"add.ftz.f32 %f1, 0f00000001, 0f00000002; mov.b32 %r1, %f1; cvt.u64.u32 %rd1, %r1;",
             0},
        Case{"add.f32 %f1, 0f00000001, 0f00000002; mov.b32 %r1, %f1; cvt.u64.u32 %rd1, %r1;", 3},
        Case{"copysign.f32 %f1, 0f80000000, 0f40000000; mov.b32 %r1, %f1; cvt.u64.u32 %rd1, %r1;",
             bits(-2.0f)},
        Case{"rcp.rn.f64 %d1, 0d4010000000000000; mov.b64 %rd1, %d1;", 0x3fd0000000000000},
        Case{"ex2.approx.ftz.f32 %f1, 0f40400000; mov.b32 %r1, %f1; cvt.u64.u32 %rd1, %r1;",
             bits(8.0f)},
        Case{"lg2.approx.f32 %f1, 0f41000000; mov.b32 %r1, %f1; cvt.u64.u32 %rd1, %r1;",
             bits(3.0f)},
        Case{"rsqrt.approx.f32 %f1, 0f40800000; mov.b32 %r1, %f1; cvt.u64.u32 %rd1, %r1;",
             bits(0.5f)},
        // (2^-8 off) a tie of bf16 that a tiny third term decides.
        Case{"fma.rn.bf16 %h1, 0x3f81, 0x3f81, 0x8001; cvt.u64.u16 %rd1, %h1;", 0x3f82},
        Case{"fma.rn.f16x2 %r1, 0x40003c00, 0x42003c00, 0x3c000000; cvt.u64.u32 %rd1, %r1;",
             0x47003c00},
        Case{"mul.bf16x2 %r1, 0x3f804000, 0x40404040; cvt.u64.u32 %rd1, %r1;", 0x404040c0},
        Case{"neg.f16x2 %r1, 0x3c00bc00; cvt.u64.u32 %rd1, %r1;", 0xbc003c00}));

INSTANTIATE_TEST_SUITE_P(
    conversions, Instruction,
    testing::Values(
        Case{"cvt.rzi.s32.f32 %r1, 0fc02ccccd; cvt.s64.s32 %rd1, %r1;", uint64_t(-2)},
        Case{"cvt.rni.s32.f32 %r1, 0f40200000; cvt.s64.s32 %rd1, %r1;", 2},
        Case{"cvt.rmi.s64.f64 %rd1, 0dc004000000000000;", uint64_t(-3)},
        Case{"cvt.rpi.u64.f32 %rd1, 0f40200000;", 3},
        Case{"cvt.rzi.u32.f32 %r1, 0fbf800000; cvt.u64.u32 %rd1, %r1;", 0},
        Case{"cvt.rzi.s32.f32 %r1, 0f7fc00000; cvt.s64.s32 %rd1, %r1;", 0},
        Case{"cvt.rzi.s32.f32 %r1, 0f50000000; cvt.s64.s32 %rd1, %r1;", 0x7fffffff},
        Case{"cvt.rn.f32.s64 %f1, 0x1000001; mov.b32 %r1, %f1; cvt.u64.u32 %rd1, %r1;",
             bits(0x1p24f)},
        Case{"cvt.rz.f32.f64 %f1, 0d3ff0000000000fff; mov.b32 %r1, %f1; cvt.u64.u32 %rd1, %r1;",
             0x3f800000},
        Case{"cvt.rp.f32.f64 %f1, 0d3ff0000000000001; mov.b32 %r1, %f1; cvt.u64.u32 %rd1, %r1;",
             0x3f800001},
        Case{"cvt.rm.f32.f64 %f1, 0dbff0000000000001; mov.b32 %r1, %f1; cvt.u64.u32 %rd1, %r1;",
             0xbf800001},
        Case{"cvt.rn.f16.f32 %h1, 0f477ff000; cvt.u64.u16 %rd1, %h1;", 0x7c00},
        Case{"cvt.rz.f16.f32 %h1, 0f477ff000; cvt.u64.u16 %rd1, %h1;", 0x7bff},
        Case{"cvt.rn.f16.f32 %h1, 0f33000001; cvt.u64.u16 %rd1, %h1;", 1},
        Case{"cvt.rn.bf16.f32 %h1, 0f3f808000; cvt.u64.u16 %rd1, %h1;", 0x3f80},
        Case{"cvt.rn.bf16.f32 %h1, 0f3f818000; cvt.u64.u16 %rd1, %h1;", 0x3f82},
        Case{"cvt.rn.bf16x2.f32 %r1, 0f40000000, 0f3f800000; cvt.u64.u32 %rd1, %r1;", 0x40003f80},
        Case{"cvt.rn.relu.f16x2.f32 %r1, 0fc0000000, 0f3f800000; cvt.u64.u32 %rd1, %r1;", 0x3c00},
        Case{"mov.b16 %h1, 0x3555; cvt.f32.f16 %f1, %h1; mov.b32 %r1, %f1; cvt.u64.u32 %rd1, %r1;",
             0x3eaaa000},
        Case{"cvt.u32.u16 %r1, 0xffff; cvt.s32.s8 %r2, %r1; cvt.s64.s32 %rd1, %r2;", uint64_t(-1)},
        Case{"cvt.sat.u8.s32 %r1, 300; cvt.u64.u32 %rd1, %r1;", 255},
        Case{"cvt.rni.f32.f32 %f1, 0f40200000; mov.b32 %r1, %f1; cvt.u64.u32 %rd1, %r1;",
             bits(2.0f)}));

INSTANTIATE_TEST_SUITE_P(
    choices, Instruction,
    testing::Values(
        Case{"setp.lt.f32 %p1, 0f7fc00000, 0f00000000; selp.u64 %rd1, 1, 0, %p1;", 0},
        Case{"setp.ltu.f32 %p1, 0f7fc00000, 0f00000000; selp.u64 %rd1, 1, 0, %p1;", 1},
        Case{"setp.neu.f32 %p1, 0f7fc00000, 0f7fc00000; selp.u64 %rd1, 1, 0, %p1;", 1},
        Case{"setp.ne.f32 %p1, 0f7fc00000, 0f7fc00000; selp.u64 %rd1, 1, 0, %p1;", 0},
        Case{"setp.num.f32 %p1, 0f00000000, 0f7fc00000; selp.u64 %rd1, 1, 0, %p1;", 0},
        Case{"setp.lt.s32 %p1, -1, 0; setp.lo.u32 %p2, 0xffffffff, 0; selp.u64 %rd1, 1, 0, %p1;"
             "@%p2 add.u64 %rd1, %rd1, 8;",
             1},
        Case{"setp.eq.s32 %p1, 1, 1; setp.gt.and.s32 %p2|%p3, 1, 2, %p1; selp.u64 %rd1, 1, 0, %p3;"
             "@%p2 add.u64 %rd1, %rd1, 8;",
             1},
        Case{"setp.eq.s32 %p1, 1, 2; setp.eq.or.s32 %p2, 1, 2, !%p1; selp.u64 %rd1, 1, 0, %p2;", 1},
        Case{"mov.b32 %r1, 0x40003c00; setp.gt.f16x2 %p1|%p2, %r1, 0x3c003c00; selp.u64 %rd1, 1, "
             "0, %p1;"
             "@%p2 add.u64 %rd1, %rd1, 8;",
             8},
        Case{"set.gt.f32.s32 %f1, 2, 1; mov.b32 %r1, %f1; cvt.u64.u32 %rd1, %r1;", bits(1.0f)},
        Case{"slct.u64.s32 %rd1, 5, 6, -1;", 6}, Case{"slct.u64.f32 %rd1, 5, 6, 0f80000000;", 5},
        Case{
            "mov.pred %p1, 1; not.pred %p2, %p1; xor.pred %p3, %p1, %p2; selp.u64 %rd1, 1, 0, %p3;",
            1}));

TEST(Halves, roundAsAnExhaustiveSearchDoes) {
  // Every f16 back from its f32, and the neighbours of every tie.
  for (uint32_t half = 0; half < 0x7c00; ++half) {
    const double exact = widen(Half{static_cast<uint16_t>(half)});
    const double next = widen(Half{static_cast<uint16_t>(half + 1)});
    ASSERT_EQ(narrow<Half>(exact).bits, half);
    if (half == 0x7bff)
      break;
    const double tie = (exact + next) / 2;
    ASSERT_EQ(narrow<Half>(std::nextafter(tie, 0)).bits, half);
    ASSERT_EQ(narrow<Half>(tie).bits, half + (half & 1));
    ASSERT_EQ(narrow<Half>(-std::nextafter(tie, 1e9)).bits, 0x8000 | (half + 1));
  }
}

TEST(Unsupported, isNamedWithItsLineWhenLoaded) {
  auto messageOf = [](std::string_view body) -> std::string {
    try {
      Machine machine(kernelText(body));
    } catch (const std::runtime_error &error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(messageOf("wgmma.fence.sync.aligned;"),
            "line 10: wgmma.fence.sync.aligned: the instruction is not supported");
  EXPECT_EQ(messageOf("add.rz.f32 %f1, %f1, %f1;"),
            "line 10: add.rz.f32: the modifier .rz is not supported");
  EXPECT_EQ(messageOf("add.f32 %f1, %rd1, %f1;"),
            "line 10: add.f32: the operand %rd1 has not the width of .f32");
  EXPECT_EQ(messageOf("mov.u32 %r1, %nosuch;"),
            "line 10: mov.u32: the register %nosuch is not supported");
  EXPECT_EQ(messageOf("bra $nowhere;"), "line 10: bra: there is no label $nowhere");
  EXPECT_THAT(messageOf("add.s32 %r1 %r2;"), testing::HasSubstr("line 10: expected ','"));
}

} // namespace
} // namespace sheaf::standin::ptx
