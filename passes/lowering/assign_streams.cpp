// Puts collectives on a stream of their own, and events where one stream needs what the other did.
#include "passes/analysis/liveness.h"
#include "passes/lowering/convert/convert.h"
#include "passes/lowering/passes.h"

namespace sheaf::lowering {
#define GEN_PASS_DEF_LOWERINGASSIGNSTREAMSPASS
#include "passes/lowering/passes.h.inc"

using namespace mlir;

namespace {

constexpr int64_t kComputeStream = 0, kCommunicationStream = 1, kNumStreams = 2;

/// The last steps of each stream that read and wrote some memory; -1 for none.
struct Touches {
  std::array<int64_t, kNumStreams> reads = {-1, -1}, writes = {-1, -1};
};

/// One program at work.
class StreamAssignment {
public:
  explicit StreamAssignment(exec::ProgramOp program) : liveness(program) {}

  void run() {
    auto communicates = [](Operation *instruction) {
      auto call = dyn_cast<exec::CallOp>(instruction);
      return call && isCollective(call.getCallee());
    };
    if (llvm::none_of(liveness.instructions, communicates))
      return;
    for (auto [step, instruction] : llvm::enumerate(liveness.instructions)) {
      int64_t stream = communicates(instruction) ? kCommunicationStream : kComputeStream;
      int64_t other = kNumStreams - 1 - stream;
      int64_t needed = lastConflict(instruction, other);
      // Streams run in order, so what was waited for before need not be again.
      if (needed > waited[stream]) {
        waited[stream] = needed;
        setWait(instruction, eventOf(needed));
      }
      if (auto call = dyn_cast<exec::CallOp>(instruction))
        call.setStream(stream);
      touch(instruction, stream, step);
    }
  }

private:
  /// The last step of stream `other` that must have ended before `instruction` starts.
  int64_t lastConflict(Operation *instruction, int64_t other) const {
    int64_t last = -1;
    for (Value buffer : readBuffers(instruction))
      last = std::max(last, touches.lookup(memoryOf(buffer)).writes[other]);
    for (Value buffer : writtenBuffers(instruction)) {
      Touches before = touches.lookup(memoryOf(buffer));
      last = std::max({last, before.writes[other], before.reads[other]});
    }
    return last;
  }

  void touch(Operation *instruction, int64_t stream, int64_t step) {
    for (Value buffer : readBuffers(instruction))
      touches[memoryOf(buffer)].reads[stream] = step;
    for (Value buffer : writtenBuffers(instruction))
      touches[memoryOf(buffer)].writes[stream] = step;
  }

  /// The event that the instruction of a step records.
  int64_t eventOf(int64_t step) {
    auto [event, isNew] = events.try_emplace(step, events.size());
    if (isNew) {
      auto list =
          DenseI64ArrayAttr::get(liveness.instructions[step]->getContext(), {event->second});
      if (auto call = dyn_cast<exec::CallOp>(liveness.instructions[step]))
        call.setRecordsAttr(list);
      else
        cast<exec::LaunchOp>(liveness.instructions[step]).setRecordsAttr(list);
    }
    return event->second;
  }

  static void setWait(Operation *instruction, int64_t event) {
    auto list = DenseI64ArrayAttr::get(instruction->getContext(), {event});
    if (auto call = dyn_cast<exec::CallOp>(instruction))
      call.setWaitsAttr(list);
    else
      cast<exec::LaunchOp>(instruction).setWaitsAttr(list);
  }

  Liveness liveness;
  llvm::DenseMap<Value, Touches> touches;
  llvm::DenseMap<int64_t, int64_t> events;
  std::array<int64_t, kNumStreams> waited = {-1, -1};
};

struct AssignStreams : impl::LoweringAssignStreamsPassBase<AssignStreams> {
  using LoweringAssignStreamsPassBase::LoweringAssignStreamsPassBase;

  void runOnOperation() override {
    for (auto program : getOperation().getOps<exec::ProgramOp>())
      StreamAssignment(program).run();
  }
};

} // namespace
} // namespace sheaf::lowering
