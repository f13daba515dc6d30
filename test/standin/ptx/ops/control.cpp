// Branches, calls, ends and barriers.
#include <algorithm>
#include <bit>

#include "test/standin/ptx/barrier.h"
#include "test/standin/ptx/grid.h"
#include "test/standin/ptx/lanes.h"
#include "test/standin/ptx/ops/ops.h"

namespace sheaf::standin::ptx {

namespace {

void doNothing(Warp &, const Instruction &, uint32_t) {}

/// Lanes that have met here may still name different members.
void syncLanes(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const Lanes<uint32_t> members(warp, instruction.members);
  while (mask) {
    const uint32_t named = members[static_cast<unsigned>(std::countr_zero(mask))];
    if (warp.grid->races)
      warp.grid->races->syncLanes(warp, named & mask);
    mask &= ~named;
  }
}

void decodeBranch(Decoder &decoder) {
  decoder.take("uni");
  const uint32_t target = decoder.labelOf(decoder.operand(0));
  Instruction &branch = decoder.emit(&doNothing, {});
  branch.flow = Flow::Branch;
  branch.target = target;
}

/// brx.idx index, table;
void decodeBranchTable(Decoder &decoder) {
  decoder.take("uni");
  if (!decoder.take("idx"))
    decoder.fail("only brx.idx is supported");
  std::vector<uint32_t> targets;
  for (const std::string &label : decoder.branchTargets(decoder.operand(1)))
    targets.push_back(decoder.labelOf(label));
  const Slot index = decoder.source(0, typeOf<uint32_t>());
  Instruction &branch = decoder.emit(&doNothing, {index});
  branch.flow = Flow::BranchTable;
  branch.table = std::make_shared<const std::vector<uint32_t>>(std::move(targets));
}

/// call {(results),} function {, (arguments)};
void decodeCall(Decoder &decoder) {
  decoder.take("uni");
  size_t next = 0;
  std::vector<Place> places;
  auto takeList = [&](const std::vector<Place> &expected, const char *what) {
    size_t found = 0;
    if (next < decoder.numOperands() && decoder.operand(next).kind == Operand::Parameters) {
      for (const Operand &operand : decoder.operand(next).parts) {
        places.push_back(decoder.localPlace(operand));
        if (found < expected.size() && places.back().bytes != expected[found].bytes)
          decoder.fail(std::string("a ") + what + " has another size than the function says");
        ++found;
      }
      ++next;
    }
    if (found != expected.size())
      decoder.fail("the function has " + std::to_string(expected.size()) + " " + what +
                   "s, found " + std::to_string(found));
  };
  const bool hasResults = decoder.operand(0).kind == Operand::Parameters;
  Code &callee = decoder.functionOf(decoder.operand(hasResults ? 1 : 0));
  takeList(callee.results, "result");
  ++next;
  takeList(callee.parameters, "parameter");
  std::vector<uint32_t> offsets;
  for (const Place &place : places)
    offsets.push_back(place.offset);
  Instruction &call = decoder.emit(&doNothing, {});
  call.flow = Flow::Call;
  call.callee = &callee;
  call.table = std::make_shared<const std::vector<uint32_t>>(std::move(offsets));
  decoder.noteCallee(callee);
}

template <Flow flow> void decodeEnd(Decoder &decoder) {
  decoder.take("uni");
  decoder.emit(&doNothing, {}).flow = flow;
}

/// bar{.cta}.sync number{, threads}; bar.red.op d, number{, threads}, {!}p; bar.warp.sync members;
void decodeBarrier(Decoder &decoder) {
  decoder.take("cta");
  decoder.take("aligned");
  const Type word = typeOf<uint32_t>();
  if (decoder.take("warp")) {
    decoder.take("sync");
    const Slot members = decoder.source(0, word);
    Instruction &meeting = decoder.emit(&syncLanes, {});
    meeting.flow = Flow::Meet;
    meeting.members = members;
    return;
  }
  const bool isReduction = decoder.takeOneOf({"sync", "red"}) == 1;
  auto result = BarrierResult::None;
  Slot target, predicate;
  const size_t first = isReduction ? 1 : 0;
  size_t last = decoder.numOperands();
  if (isReduction) {
    result = static_cast<BarrierResult>(1 + decoder.takeOneOf({"popc", "and", "or"}));
    decoder.takeTypeIfAny();
    target = result == BarrierResult::Count ? decoder.destination(0, word)
                                            : decoder.predicateDestination(decoder.operand(0));
    predicate = decoder.predicateSource(decoder.operand(--last));
  }
  const bool isCounted = last - first == 2;
  const Slot number = decoder.source(first, word);
  const Slot threads = isCounted ? decoder.source(first + 1, word) : Slot{};
  Instruction &barrier = decoder.emit(&doNothing, {target, number, threads, predicate});
  barrier.flow = Flow::Barrier;
  barrier.mode = static_cast<uint8_t>(result);
  barrier.immediate = isCounted;
}

/// Hints about time, which the interpreter has none of.
void decodeHint(Decoder &decoder) {
  for (std::string_view modifier : {"u32", "wait", "launch_dependents"})
    decoder.take(modifier);
}

} // namespace

std::span<const Mnemonic> controlMnemonics() {
  static constexpr Mnemonic table[] = {
      {"bra", decodeBranch},
      {"brx", decodeBranchTable},
      {"call", decodeCall},
      {"ret", decodeEnd<Flow::Return>},
      {"exit", decodeEnd<Flow::Exit>},
      {"trap", decodeEnd<Flow::Trap>},
      {"brkpt", decodeEnd<Flow::Trap>},
      {"bar", decodeBarrier},
      {"barrier", decodeBarrier},
      {"nanosleep", decodeHint},
      {"griddepcontrol", decodeHint},
  };
  return table;
}

} // namespace sheaf::standin::ptx
