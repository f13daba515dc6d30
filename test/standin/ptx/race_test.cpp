// Accesses of threads that nothing orders end a kernel; the same with a barrier do not.
#include "test/standin/ptx/machine.h"
#include "test/standin/ptx/thread_clock.h"

#include <gmock/gmock.h>

namespace sheaf::standin::ptx {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string race = "data race: ", blocks = "blocks of a launch have no order";

/// The trap of `grid` blocks of 128 threads; p0 points to 8 bytes for each thread of a block.
std::string trapOf(const std::string &body, uint32_t grid = 1) {
  Machine machine(kernelText(body));
  return machine.run("k", {grid, 1, 1}, {128, 1, 1}, machine.allocate(128 * 8));
}

/// In front of bodies: %rd2 is the address of this thread's 8 bytes of shared memory, %rd3 that of thread (own xor
/// `distance`); both are of global memory where `memory` is that.
std::string pair(int distance, std::string_view memory = "shared") {
  return std::string(".shared .align 16 .b8 s[1024]; ") +
         (memory == "shared" ? "mov.u64 %rd1, s; " : "ld.param.u64 %rd1, [p0]; ") +
         "mad.wide.u32 %rd2, %r0, 8, %rd1; xor.b32 %r1, %r0, " + std::to_string(distance) +
         "; mad.wide.u32 %rd3, %r1, 8, %rd1;\n";
}
/// Two accesses with `between` them.
std::string exchange(int distance, std::string_view between, std::string_view memory = "shared") {
  std::ostringstream text;
  text << pair(distance, memory) << "st." << memory << ".u64 [%rd2], %rd5;\n"
       << between << "\nld." << memory << ".u64 %rd4, [%rd3];";
  return text.str();
}

TEST(Races, nameBothThreads) {
  // Warps run as far as they can: the first has read already.
  EXPECT_EQ(trapOf(exchange(32, "")),
            "kernel \"k\", line 11: data race: thread (32,0,0) of block (0,0,0) writes 8 bytes of "
            "shared memory at 0x100, of which thread (0,0,0) of block (0,0,0) reads some, and no "
            "barrier lies between the two");
}

TEST(Races, areAmongWarpsWithoutABarrier) {
  for (std::string_view memory : {"shared", "global"}) {
    EXPECT_THAT(trapOf(exchange(64, "", memory)), HasSubstr(race));
    EXPECT_THAT(trapOf(exchange(64, "bar.warp.sync -1;", memory)), HasSubstr(race));
    EXPECT_THAT(trapOf(exchange(64, "membar.gl;", memory)), HasSubstr(race));
    EXPECT_EQ(trapOf(exchange(64, "bar.sync 0;", memory)), "");
    EXPECT_EQ(trapOf(exchange(64, "bar.red.or.pred %p1, 0, %p2;", memory)), "");
  }
}

TEST(Races, areAmongLanesWithoutAWait) {
  EXPECT_THAT(trapOf(exchange(1, "")), HasSubstr(race));
  EXPECT_THAT(trapOf(exchange(1, "shfl.sync.bfly.b32 %r2, %r0, 1, 31, -1;")), HasSubstr(race));
  EXPECT_THAT(trapOf(exchange(1, "vote.sync.ballot.b32 %r2, %p1, -1;")), HasSubstr(race));
  EXPECT_EQ(trapOf(exchange(1, "bar.warp.sync -1;")), "");
  EXPECT_EQ(trapOf(exchange(1, "bar.sync 0;")), "");
  EXPECT_EQ(trapOf(exchange(0, "")), "") << "a thread is ordered with itself";
}

TEST(Races, areWhereMemoryIsReusedTooEarly) {
  const std::string before = exchange(32, "bar.sync 0;"), after = "\nst.shared.u64 [%rd2], %rd5;";
  EXPECT_THAT(trapOf(before + after), HasSubstr(race));
  EXPECT_EQ(trapOf(before + "bar.sync 0;" + after), "");
}

TEST(Races, areAmongWritersToo) {
  EXPECT_THAT(
      trapOf(pair(0) + "st.shared.u32 [s], 7;"),
      HasSubstr("thread (1,0,0) of block (0,0,0) writes 4 bytes of shared memory at 0x0, of "
                "which thread (0,0,0) of block (0,0,0) writes some"));
  EXPECT_EQ(trapOf(pair(0) + "setp.eq.u32 %p1, %r0, 40; @%p1 st.shared.u32 [s], 7;"), "");
}

TEST(Races, areFoundByteForByte) {
  // Threads write 4 bytes of their 8, and read 1 or 2 of the neighbour's.
  const std::string write = pair(1) + "st.shared.u32 [%rd2], %r0;";
  EXPECT_EQ(trapOf(write + "ld.shared.u8 %r2, [%rd3+4];"), "");
  EXPECT_THAT(trapOf(write + "ld.shared.u8 %r2, [%rd3+3];"), HasSubstr("at 0xb"));
  EXPECT_EQ(trapOf(write + "ld.shared.u16 %h2, [%rd3+4];"), "");
  EXPECT_THAT(trapOf(write + "ld.shared.u16 %h2, [%rd3+2];"), HasSubstr("at 0xa"));
  EXPECT_THAT(trapOf(write + "cvta.shared.u64 %rd4, %rd3; ld.u64 %rd5, [%rd4];"), HasSubstr(race))
      << "through a generic address";
  EXPECT_THAT(
      trapOf(write + "and.b64 %rd4, %rd3, -16; ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [%rd4];"),
      HasSubstr("reads 16 bytes"));
}

TEST(Races, rememberReadersOfSeveralWarps) {
  // All read. The first warp writes when it has waited for the last one, but not for those in between.
  auto body = [](std::string_view barrier) {
    return pair(0) + "ld.shared.u64 %rd4, [s]; shr.u32 %r2, %r0, 5; add.u32 %r2, %r2, -1;" +
           "setp.lt.u32 %p1, %r2, 2; setp.eq.u32 %p2, %r0, 5;" + std::string(barrier) +
           "@%p2 st.shared.u64 [s], %rd4;";
  };
  EXPECT_THAT(
      trapOf(body("@!%p1 bar.sync 1, 64;")),
      HasSubstr("thread (5,0,0) of block (0,0,0) writes 8 bytes of shared memory at 0x0, of "
                "which thread (32,0,0) of block (0,0,0) reads some"));
  EXPECT_EQ(trapOf(body("bar.sync 1;")), "");
}

TEST(Races, areAmongWarpsOfDifferentBarriers) {
  // The first two warps wait for each other, and so do the others.
  const std::string halves = "shr.u32 %r2, %r0, 6; add.u32 %r2, %r2, 1; bar.sync %r2, 64;";
  EXPECT_EQ(trapOf(exchange(32, halves)), "");
  EXPECT_EQ(trapOf(exchange(1, halves)), "");
  EXPECT_THAT(trapOf(exchange(64, halves)), HasSubstr(race));
  // Order goes on from one to the next: warps 0 and 1, then 1 and 2.
  const std::string chain = R"(
    shr.u32 %r2, %r0, 5; setp.gt.u32 %p1, %r2, 1; @%p1 bra $second; bar.sync 1, 64;
  $second:
    setp.eq.u32 %p1, %r2, 0; setp.gt.or.u32 %p1, %r2, 2, %p1; @%p1 bra $end; bar.sync 2, 64;)";
  const std::string from = pair(0) + "setp.lt.u32 %p3, %r0, 32; @%p3 st.shared.u64 [%rd2], %rd5;",
                    to = "setp.ge.u32 %p1, %r0, 64; @%p1 ld.shared.u64 %rd4, [%rd2+-512];\n$end:";
  EXPECT_EQ(trapOf(from + chain + to), "");
  EXPECT_THAT(trapOf(from + to), HasSubstr(race));
}

TEST(Races, areAmongPartsOfAWarp) {
  const std::string halves = "and.b32 %r2, %r0, 31; setp.lt.u32 %p1, %r2, 16;"
                             "selp.b32 %r2, 0xffff, 0xffff0000, %p1; bar.warp.sync %r2;";
  EXPECT_EQ(trapOf(exchange(1, halves)), "");
  EXPECT_THAT(trapOf(exchange(16, halves)), HasSubstr(race));
  EXPECT_EQ(trapOf(exchange(16, halves + "bar.warp.sync -1;")), "");
}

TEST(Races, areOfAtomicsWithOthersOnly) {
  for (std::string memory : {"shared", "global"}) {
    const std::string at = pair(0, memory), add = "red." + memory + ".add.u64 [%rd1], %rd2;",
                      read = "ld." + memory + ".u64 %rd4, [%rd1];";
    EXPECT_EQ(trapOf(at + add + add), "");
    EXPECT_THAT(trapOf(at + add + read), HasSubstr("(1,0,0) of block (0,0,0) updates some"));
    EXPECT_EQ(trapOf(at + add + "bar.sync 0;" + read), "");
    EXPECT_THAT(trapOf(at + read + add), HasSubstr("updates 8 bytes"));
    EXPECT_EQ(trapOf(at + read + "bar.sync 0;" + add), "");
    EXPECT_THAT(trapOf(at + "setp.eq.u32 %p1, %r0, 0; @%p1 st." + memory + ".u64 [%rd1], 0;" + add),
                HasSubstr("writes some"));
  }
}

TEST(Races, areOfWhatMatricesAreReadFrom) {
  // Each lane writes 16 bytes, and gives the address of the same: the others read them too.
  const std::string write = pair(0) + "and.b32 %r1, %r0, 31; mad.wide.u32 %rd2, %r1, 16, %rd1;"
                                      "setp.ge.u32 %p1, %r0, 32; @%p1 ret;"
                                      "st.shared.v4.u32 [%rd2], {%r1, %r1, %r1, %r1};",
                    read = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%rd2];";
  EXPECT_THAT(trapOf(write + read), HasSubstr(race));
  EXPECT_EQ(trapOf(write + "bar.warp.sync -1;" + read), "");
}

TEST(Races, threadsThatHaveEndedAreDone) {
  EXPECT_EQ(trapOf(pair(64) + "st.shared.u64 [%rd2], %rd5; setp.ge.u32 %p1, %r0, 64; @%p1 ret;"
                              "bar.sync 0; ld.shared.u64 %rd4, [%rd3];"),
            "");
}

TEST(Races, areAmongBlocks) {
  // Two blocks have 4 bytes for each thread; the first block is done before the other begins.
  const std::string at = "mov.u32 %r1, %ctaid.x; mad.lo.u32 %r2, %r1, 128, %r0;"
                         "ld.param.u64 %rd1, [p0]; mad.wide.u32 %rd2, %r2, 4, %rd1;"
                         "xor.b32 %r3, %r2, 128; mad.wide.u32 %rd3, %r3, 4, %rd1;"
                         "setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r0, 77;",
                    add = "red.global.add.u32 [%rd1], 1;", write = "st.global.u32 [%rd2], %r0;",
                    read = "ld.global.u32 %r4, [%rd2];", readOther = "ld.global.u32 %r4, [%rd3];";
  EXPECT_EQ(trapOf(at + write + read, 2), "");
  EXPECT_EQ(trapOf(at + read + readOther, 2), "");
  EXPECT_THAT(
      trapOf(at + "@%p1 " + write + "@!%p1 " + readOther, 2),
      AllOf(HasSubstr("thread (0,0,0) of block (1,0,0) reads 4 bytes of global memory at 0x"),
            HasSubstr("of which thread (0,0,0) of block (0,0,0) writes some, and " + blocks)));
  EXPECT_THAT(trapOf(at + "@%p1 " + readOther + "@!%p1 " + write, 2),
              HasSubstr("reads some, and " + blocks));
  EXPECT_THAT(trapOf(at + "@%p2 st.global.u8 [%rd1], 1;", 2),
              HasSubstr("thread (77,0,0) of block (1,0,0) writes 1 bytes of global memory"))
      << "one value, written twice";
  EXPECT_EQ(trapOf(at + add, 2), "");
  EXPECT_THAT(trapOf(at + "@%p1 " + add + "@!%p1 ld.global.u32 %r4, [%rd1];", 2),
              HasSubstr("updates some, and " + blocks));
  EXPECT_THAT(trapOf(at + "@%p1 ld.global.u32 %r4, [%rd1]; @!%p1 " + add, 2),
              HasSubstr("reads some, and " + blocks));
  // Shared memory is each block's own.
  EXPECT_EQ(trapOf(exchange(32, "bar.sync 0;"), 3), "");
}

/// Each of 3 blocks leaves a part in p0 and counts itself behind them; the last one reads all parts, and clears the
/// count.
/// `writer` is the thread that leaves the part; `arrive` and `depart` stand around the count, which thread 0 makes.
std::string lastBlock(std::string_view writer, std::string_view before, std::string_view arrive,
                      std::string_view depart) {
  std::ostringstream text;
  text << R"(
    .shared .u32 s; mov.u32 %r1, %ctaid.x; ld.param.u64 %rd1, [p0]; mad.wide.u32 %rd2, %r1, 8, %rd1;
    setp.eq.u32 %p1, %r0, 0; setp.eq.u32 %p2, %r0, )"
       << writer << "; @%p2 st.global.u64 [%rd2], %rd5;" << before << "@!%p1 bra $wait;" << arrive
       << "atom.global.add.u32 %r2, [%rd1+512], 1;" << depart << R"(
    setp.eq.u32 %p3, %r2, 2; selp.u32 %r3, 1, 0, %p3; st.shared.u32 [s], %r3;
  $wait:
    bar.sync 0; ld.shared.u32 %r4, [s]; setp.eq.u32 %p3, %r4, 0; @%p3 bra $end;
    setp.lt.u32 %p4, %r0, 3; mad.wide.u32 %rd3, %r0, 8, %rd1; @%p4 ld.global.u64 %rd6, [%rd3];
    @%p1 st.global.u32 [%rd1+512], 0;
  $end:)";
  return text.str();
}

TEST(Races, areNotAmongBlocksThatCountThemselves) {
  const std::string fence = "fence.acq_rel.gpu;", barrier = "bar.sync 0;";
  EXPECT_EQ(trapOf(lastBlock("0", "", fence, fence), 3), "");
  EXPECT_EQ(trapOf(lastBlock("0", "", "membar.gl;", "fence.sc.sys;"), 3), "");
  EXPECT_EQ(trapOf(lastBlock("32", barrier, fence, fence), 3), "");
  for (const std::string &wrong :
       {lastBlock("0", "", "", fence), lastBlock("0", "", fence, ""),
        lastBlock("0", "", "fence.acq_rel.cta;", fence), lastBlock("32", "", fence, fence),
        // Thread 0 does not fence what thread 32 has written.
        lastBlock("32", fence + barrier, "", fence)})
    EXPECT_THAT(trapOf(wrong, 3), HasSubstr(blocks)) << wrong;
}

TEST(Races, ofReadsInVainAreForGeneratedKernels) {
  // All threads but the first 7 read the place of the 7th, which is written.
  auto trap = [](bool mayReadInVain, std::string_view more) {
    Machine machine(
        kernelText("min.u32 %r1, %r0, 6; ld.param.u64 %rd1, [p0]; mad.wide.u32 %rd2, %r1, 8, %rd1;"
                   "ld.global.u64 %rd3, [%rd2]; setp.le.u32 %p1, %r0, 6;"
                   "@%p1 st.global.u64 [%rd2], %rd3;" +
                   std::string(more)));
    machine.settings.mayReadInVain = mayReadInVain;
    return machine.run("k", {}, {128, 1, 1}, machine.allocate(1024));
  };
  EXPECT_THAT(trap(false, ""), HasSubstr(race));
  EXPECT_EQ(trap(true, ""), "");
  EXPECT_THAT(trap(true, "st.global.u64 [%rd2], %rd3;"), HasSubstr(race)) << "two writers";
}

TEST(Races, areNotAmongLaunches) {
  Machine machine(kernelText("st.global.u64 [%rd0], %rd1;"));
  const uint64_t memory = machine.allocate(256);
  EXPECT_EQ(machine.run("k", {}, {32, 1, 1}, memory), "");
  EXPECT_EQ(machine.run("k", {}, {32, 1, 1}, memory), "");
}

TEST(Races, areFoundAfterAnyNumberOfBarriers) {
  // More than a clock counts: it begins again.
  auto body = [](std::string_view last) {
    return pair(1) +
           "mov.u32 %r2, 0;\n$loop:\nst.shared.u64 [%rd2], %rd5; bar.sync 0;"
           "ld.shared.u64 %rd4, [%rd3]; bar.sync 0; add.u32 %r2, %r2, 2; setp.le.u32 %p1, %r2, " +
           std::to_string(Stamp::maxTick) + "; @%p1 bra $loop; st.shared.u64 [%rd2], %rd5;" +
           std::string(last) + "ld.shared.u64 %rd4, [%rd3];";
  };
  auto trap = [](const std::string &text) {
    Machine machine(kernelText(text));
    return machine.run("k", {}, {2, 1, 1}, machine.allocate(16));
  };
  EXPECT_EQ(trap(body("bar.sync 0;")), "");
  EXPECT_THAT(trap(body("")), HasSubstr(race));
}

} // namespace
} // namespace sheaf::standin::ptx
