// How warps and blocks run: divergence, calls, barriers, shuffles, votes, and the order of blocks.
#include "test/standin/ptx/machine.h"

#include <gmock/gmock.h>
#include <numeric>

namespace sheaf::standin::ptx {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

/// %rd1 of every thread of one block.
std::vector<uint64_t> compute(std::string_view body, uint32_t threads = 32,
                              std::string_view declarations = "") {
  Machine machine(kernelText(std::string(body) + "\nst.global.u64 [%rd0], %rd1;", 1, declarations));
  const uint64_t out = machine.allocate(8 * threads);
  EXPECT_EQ(machine.run("k", {}, {threads, 1, 1}, out), "") << body;
  return machine.download<uint64_t>(out);
}

TEST(Divergence, joinsWhereThePathsMeet) {
  // Odd lanes go another way; behind it all 32 vote together.
  auto found = compute(R"(
    and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 1; @%p1 bra $odd;
    mov.u64 %rd1, 10; bra.uni $join;
  $odd:
    mov.u64 %rd1, 20;
  $join:
    activemask.b32 %r2; cvt.u64.u32 %rd2, %r2; shl.b64 %rd2, %rd2, 8; or.b64 %rd1, %rd1, %rd2;)");
  for (uint64_t i = 0; i < 32; ++i)
    EXPECT_EQ(found[i], uint64_t(0xffffffff) << 8 | (i & 1 ? 20 : 10));
}

TEST(Divergence, loopsRunAsOftenAsEachLaneSays) {
  auto found = compute(R"(
    mov.u64 %rd1, 0; mov.u32 %r1, 0;
  $loop:
    setp.ge.u32 %p1, %r1, %r0; @%p1 bra $done;
    cvt.u64.u32 %rd2, %r1; add.u64 %rd1, %rd1, %rd2; add.u32 %r1, %r1, 1; bra $loop;
  $done:)");
  for (uint64_t i = 0; i < 32; ++i)
    EXPECT_EQ(found[i], i * (i - 1) / 2) << i;
}

TEST(Divergence, branchTablesSendEachLaneItsWay) {
  auto found = compute(R"(
    $table: .branchtargets $a, $b, $c;
    rem.u32 %r1, %r0, 3; mov.u64 %rd1, 9; brx.idx %r1, $table;
  $a: mov.u64 %rd1, 1; bra $end;
  $b: mov.u64 %rd1, 2; bra $end;
  $c: mov.u64 %rd1, 3;
  $end:)");
  for (uint64_t i = 0; i < 32; ++i)
    EXPECT_EQ(found[i], i % 3 + 1);
}

TEST(Calls, workForSomeLanesAndRecursively) {
  // fibonacci(lane) for lanes below 12.
  auto found = compute(R"(
    mov.u64 %rd1, 7; setp.ge.u32 %p1, %r0, 12; @%p1 bra $end;
    { .param .b32 a; .param .b64 r; st.param.b32 [a], %r0; call.uni (r), fib, (a);
      ld.param.b64 %rd1, [r]; }
  $end:)",
                       32, R"(
  .func (.param .b64 r) fib(.param .b32 n) {
    .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p;
    ld.param.b32 %r0, [n]; cvt.u64.u32 %rd0, %r0; setp.lt.u32 %p, %r0, 2; @%p bra $leaf;
    { .param .b32 a; .param .b64 b; add.s32 %r1, %r0, -1; st.param.b32 [a], %r1;
      call (b), fib, (a); ld.param.b64 %rd1, [b]; }
    { .param .b32 a; .param .b64 b; add.s32 %r1, %r0, -2; st.param.b32 [a], %r1;
      call (b), fib, (a); ld.param.b64 %rd2, [b]; }
    add.u64 %rd0, %rd1, %rd2;
  $leaf:
    st.param.b64 [r], %rd0; ret;
  })");
  EXPECT_THAT(std::vector<uint64_t>(found.begin(), found.begin() + 13),
              ElementsAre(0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 7));
}

TEST(LocalMemory, isEachLanesOwnInEachActivation) {
  auto found = compute(R"(
    .local .align 8 .b8 depot[64]; mov.u64 %rd2, depot; cvta.local.u64 %rd3, %rd2;
    rem.u32 %r1, %r0, 8; mad.wide.u32 %rd4, %r1, 8, %rd3; cvt.u64.u32 %rd5, %r0;
    st.u64 [%rd4], %rd5; mad.wide.u32 %rd6, %r1, 8, %rd2; ld.local.u64 %rd1, [%rd6];)");
  std::vector<uint64_t> expected(32);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(found, expected);
}

TEST(SharedMemory, isSeenByTheBlockBehindABarrier) {
  auto found = compute(R"(
    .shared .align 8 .b8 buffer[1024]; mov.u64 %rd2, buffer; mad.wide.u32 %rd3, %r0, 8, %rd2;
    cvt.u64.u32 %rd4, %r0; st.shared.u64 [%rd3], %rd4; bar.sync 0;
    sub.u32 %r1, 99, %r0; mad.wide.u32 %rd3, %r1, 8, %rd2; ld.shared.u64 %rd1, [%rd3];)",
                       100);
  for (uint64_t i = 0; i < 100; ++i)
    EXPECT_EQ(found[i], 99 - i);
}

TEST(SharedMemory, ofTheLaunchLiesBehindThatOfTheModule) {
  Machine machine(kernelText(R"(
    mov.u64 %rd2, dynamic; cvta.shared.u64 %rd3, %rd2; mad.wide.u32 %rd3, %r0, 4, %rd3;
    st.u32 [%rd3], %r0; bar.sync 0; xor.b32 %r1, %r0, 33; mad.wide.u32 %rd4, %r1, 4, %rd2;
    ld.shared.u32 %r2, [%rd4]; cvt.u64.u32 %rd1, %r2;
    st.global.u64 [%rd0], %rd1;)",
                             1, ".extern .shared .align 16 .b8 dynamic[];"));
  machine.settings.dynamicSharedBytes = 64 * 4;
  const uint64_t out = machine.allocate(64 * 8);
  ASSERT_EQ(machine.run("k", {}, {64, 1, 1}, out), "");
  EXPECT_EQ(machine.download<uint64_t>(out)[5], 5 ^ 33u);
}

TEST(Barrier, countsWarpsAndReducesPredicates) {
  auto found = compute(R"(
    setp.lt.u32 %p1, %r0, 70; barrier.red.popc.u32 %r1, 0, %p1; cvt.u64.u32 %rd1, %r1;
    bar.red.and.pred %p2, 1, %p1; selp.u64 %rd2, 1000, 0, %p2; add.u64 %rd1, %rd1, %rd2;
    bar.red.or.pred %p2, 1, 128, %p1; selp.u64 %rd2, 5000, 0, %p2; add.u64 %rd1, %rd1, %rd2;)",
                       128);
  EXPECT_THAT(found, Each(5070));
}

TEST(Shuffles, readAsTheirModeSays) {
  auto shuffled = [](std::string_view how, int b, int c) {
    return compute(
        "shfl.sync." + std::string(how) + ".b32 %r1|%p1, %r0, " + std::to_string(b) + ", " +
        std::to_string(c) +
        ", -1; cvt.u64.u32 %rd1, %r1; selp.u64 %rd2, 100, 0, %p1; add.u64 %rd1, %rd1, %rd2;");
  };
  auto butterfly = shuffled("bfly", 5, 31), up = shuffled("up", 3, 0),
       down = shuffled("down", 30, 31);
  auto narrow = shuffled("idx", 6, (24 << 8) | 31);
  for (uint64_t i = 0; i < 32; ++i) {
    EXPECT_EQ(butterfly[i], 100 + (i ^ 5));
    EXPECT_EQ(up[i], i < 3 ? i : 100 + i - 3);
    EXPECT_EQ(down[i], i > 1 ? i : 100 + i + 30);
    EXPECT_EQ(narrow[i], 100 + (i & 24) + 6);
  }
}

TEST(Votes, matchesAndReductionsTellAllLanesTheSame) {
  auto found = compute(R"(
    setp.lt.u32 %p1, %r0, 5; vote.sync.ballot.b32 %r1, %p1, -1; cvt.u64.u32 %rd1, %r1;
    vote.sync.any.pred %p2, !%p1, -1; selp.u64 %rd2, 0x100, 0, %p2; add.u64 %rd1, %rd1, %rd2;
    vote.sync.all.pred %p2, %p1, -1; selp.u64 %rd2, 0x200, 0, %p2; add.u64 %rd1, %rd1, %rd2;
    redux.sync.max.s32 %r2, %r0, -1; cvt.u64.u32 %rd2, %r2; shl.b64 %rd2, %rd2, 16;
    add.u64 %rd1, %rd1, %rd2;)");
  EXPECT_THAT(found, Each(31 << 16 | 0x100 | 31));
  auto matched =
      compute("and.b32 %r1, %r0, 1; match.any.sync.b32 %r2, %r1, -1; cvt.u64.u32 %rd1, %r2;");
  EXPECT_EQ(matched[0], 0x55555555u);
  EXPECT_EQ(matched[1], 0xaaaaaaaau);
}

TEST(Atomics, updateInTurn) {
  Machine machine(kernelText(R"(
    ld.param.u64 %rd2, [p1]; atom.global.add.u32 %r1, [%rd2], 3; atom.global.inc.u32 %r2, [%rd2+4], 9;
    red.global.max.s32 [%rd2+8], %r0; red.global.add.f32 [%rd2+12], 0f3f000000;
    atom.global.cas.b32 %r3, [%rd2+16], 0, %r0; cvt.u64.u32 %rd1, %r1; st.global.u64 [%rd0], %rd1;)",
                             2));
  const uint64_t out = machine.allocate(64 * 8), cells = machine.allocate(20);
  ASSERT_EQ(machine.run("k", {}, {64, 1, 1}, out, cells), "");
  auto found = machine.download<uint32_t>(cells);
  EXPECT_THAT(found, ElementsAre(192, 4, 63, std::bit_cast<uint32_t>(32.0f), 1));
  EXPECT_EQ(machine.download<uint64_t>(out)[10], 30u);
}

TEST(Blocks, allRunInAnyOrder) {
  Machine machine(kernelText(R"(
    ld.param.u64 %rd2, [p1]; atom.global.add.u32 %r1, [%rd2], 1; mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ctaid.y; mov.u32 %r4, %nctaid.x; mad.lo.u32 %r2, %r3, %r4, %r2;
    ld.param.u64 %rd3, [p0]; mad.wide.u32 %rd3, %r2, 4, %rd3; st.global.u32 [%rd3], %r1;)",
                             2));
  std::vector<uint32_t> ordered(35), shuffled;
  std::iota(ordered.begin(), ordered.end(), 0);
  for (uint64_t seed : {0, 12345}) {
    const uint64_t out = machine.allocate(35 * 4), counter = machine.allocate(4);
    machine.settings.seed = seed;
    ASSERT_EQ(machine.run("k", {5, 7, 1}, {}, out, counter), "");
    shuffled = machine.download<uint32_t>(out);
    EXPECT_EQ(shuffled == ordered, seed == 0);
    EXPECT_THAT(shuffled, testing::UnorderedElementsAreArray(ordered));
  }
}

} // namespace
} // namespace sheaf::standin::ptx
