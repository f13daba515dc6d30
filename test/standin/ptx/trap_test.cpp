// What a kernel must not do ends it, with its name, the line and the thread.
#include "test/standin/ptx/machine.h"

#include <gmock/gmock.h>

namespace sheaf::standin::ptx {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// The trap of one block of `threads`; p0 points to 64 bytes.
std::string trapOf(std::string_view body, uint32_t threads = 32) {
  Machine machine(kernelText(body));
  machine.settings.stepLimit = 10000;
  return machine.run("k", {}, {threads, 1, 1}, machine.allocate(64));
}

TEST(Traps, nameWhoReadsOutOfBounds) {
  EXPECT_THAT(
      trapOf("\n\nld.global.u64 %rd1, [%rd0];"),
      AllOf(
          StartsWith("kernel \"k\", line 12: thread (8,0,0) of block (0,0,0) reads 8 bytes at 0x"),
          HasSubstr("which is in no allocation")));
  EXPECT_THAT(trapOf("@%p1 ld.global.u64 %rd1, [%rd0];"), "") << "no lane takes part";
  EXPECT_THAT(trapOf("add.u64 %rd0, %rd0, 60; and.b64 %rd0, %rd0, 0xfffffffffffffffc;"
                     "st.global.u64 [%rd0+0], %rd1;",
                     1),
              HasSubstr("misaligned"));
  EXPECT_THAT(trapOf("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0+56];", 1),
              HasSubstr("misaligned"));
  EXPECT_THAT(trapOf("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0+48];", 1), "");
  EXPECT_THAT(trapOf("ld.u64 %rd1, [0];"),
              HasSubstr("reads 8 bytes at 0x0, which is in no allocation"));
  EXPECT_THAT(trapOf(".shared .b8 s[16]; st.shared.u64 [s+16], %rd1;"),
              HasSubstr("writes 8 bytes at 0x10, of the 16 bytes of shared memory"));
  EXPECT_THAT(trapOf(".local .b8 s[16]; mov.u64 %rd1, s; st.local.u32 [%rd1+4096], %r0;"),
              HasSubstr("bytes of local memory"));
}

TEST(Traps, reportAccessesPastTheEnd) {
  Machine machine(kernelText("ld.global.v2.u64 {%rd1, %rd2}, [%rd0];"));
  EXPECT_THAT(machine.run("k", {}, {1, 1, 1}, machine.allocate(8)),
              HasSubstr("which runs past the end of its allocation"));
}

TEST(Traps, catchDivergentBarriers) {
  EXPECT_THAT(trapOf("setp.lt.u32 %p1, %r0, 7; @%p1 bra $one; bar.sync 0; bra "
                     "$end;\n$one:\nbar.sync 0;\n$end:"),
              HasSubstr("divergent barrier: lanes"));
  // Between warps: one waits here, the other there.
  EXPECT_THAT(trapOf("setp.lt.u32 %p1, %r0, 32; @%p1 bra $one;\nbar.sync 0; bra "
                     "$end;\n$one:\nbar.sync 0;\n$end:",
                     64),
              HasSubstr("divergent barrier: warps wait at lines 13 11"));
  // Threads that have ended are not waited for.
  EXPECT_EQ(trapOf("setp.lt.u32 %p1, %r0, 7; @%p1 ret; bar.sync 0;"), "");
}

TEST(Traps, catchShufflesWithoutTheirLanes) {
  EXPECT_THAT(trapOf("setp.lt.u32 %p1, %r0, 7; @%p1 shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;"),
              HasSubstr("lanes wait for others that never come: lanes 0-31 at line 10"));
  EXPECT_THAT(trapOf("shfl.sync.down.b32 %r1, %r0, 16, 31, -1;", 20),
              HasSubstr("reads lane 20, which does not take part"));
  EXPECT_THAT(trapOf("shfl.sync.bfly.b32 %r1, %r0, 1, 31, 1;"),
              HasSubstr("lane 1 is not in its own mask of members"));
}

TEST(Traps, catchEndlessLoopsAndTrapInstructions) {
  EXPECT_THAT(trapOf("$loop: bra $loop;"),
              HasSubstr("a warp has run 10000 instructions and does not end"));
  EXPECT_THAT(trapOf("trap;"), "kernel \"k\", line 10: the kernel runs into a trap instruction");
}

TEST(Traps, checkTheLaunch) {
  Machine machine(kernelText("", 2));
  EXPECT_THAT(machine.run("k", {}, {1025, 1, 1}), HasSubstr("a block has at most 1024 threads"));
  EXPECT_THAT(machine.run("k", {0, 1, 1}, {}), HasSubstr("a grid or block without threads"));
  machine.settings.dynamicSharedBytes = 1 << 20;
  EXPECT_THAT(machine.run("k", {}, {}), HasSubstr("at most 227 KiB of shared memory"));
}

TEST(Touches, tellOfNeighboursAsOne) {
  Machine machine(kernelText("ld.global.u64 %rd1, [%rd0]; setp.eq.u32 %p1, %r0, 3;"
                             "@!%p1 st.global.u64 [%rd0], %rd1;"));
  machine.records = true;
  const uint64_t out = machine.allocate(64);
  ASSERT_EQ(machine.run("k", {}, {8, 1, 1}, out), "");
  EXPECT_THAT(machine.touches, testing::ElementsAre(Machine::Touch{out, 64, Access::Read},
                                                    Machine::Touch{out, 24, Access::Write},
                                                    Machine::Touch{out + 32, 32, Access::Write}));
}

} // namespace
} // namespace sheaf::standin::ptx
