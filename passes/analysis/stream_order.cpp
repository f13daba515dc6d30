// Follows streams and events through a program.
#include "passes/analysis/stream_order.h"

using namespace mlir;

namespace sheaf {

int64_t streamOf(Operation *instruction) {
  if (auto call = dyn_cast<exec::CallOp>(instruction))
    return call.getStream();
  return cast<exec::LaunchOp>(instruction).getStream();
}

ArrayRef<int64_t> waitsOf(Operation *instruction) {
  if (auto call = dyn_cast<exec::CallOp>(instruction))
    return call.getWaits().value_or(ArrayRef<int64_t>());
  return cast<exec::LaunchOp>(instruction).getWaits().value_or(ArrayRef<int64_t>());
}

ArrayRef<int64_t> recordsOf(Operation *instruction) {
  if (auto call = dyn_cast<exec::CallOp>(instruction))
    return call.getRecords().value_or(ArrayRef<int64_t>());
  return cast<exec::LaunchOp>(instruction).getRecords().value_or(ArrayRef<int64_t>());
}

StreamOrder::StreamOrder(ArrayRef<Operation *> instructions) {
  int64_t numStreams = 1;
  for (Operation *instruction : instructions) {
    streams.push_back(streamOf(instruction));
    numStreams = std::max(numStreams, streams.back() + 1);
  }
  // What each stream has seen so far, and what the recorder of each event had, itself included.
  std::vector<SmallVector<int64_t, 2>> current(numStreams, SmallVector<int64_t, 2>(numStreams, -1));
  llvm::DenseMap<int64_t, SmallVector<int64_t, 2>> recorded;
  for (auto [step, instruction] : llvm::enumerate(instructions)) {
    SmallVector<int64_t, 2> &own = current[streams[step]];
    for (int64_t event : waitsOf(instruction))
      for (auto [mine, theirs] : llvm::zip_equal(own, recorded.lookup(event)))
        mine = std::max(mine, theirs);
    seen.push_back(own);
    own[streams[step]] = step;
    for (int64_t event : recordsOf(instruction))
      recorded[event] = own;
  }
}

int64_t StreamOrder::lastBeside(int64_t step) const {
  int64_t last = step;
  SmallVector<bool, 2> isDone(seen.empty() ? 1 : seen.front().size(), false);
  isDone[streams[step]] = true;
  for (int64_t other = step + 1; other < int64_t(streams.size()); ++other) {
    if (isDone[streams[other]])
      continue;
    if (isBefore(step, other))
      isDone[streams[other]] = true;
    else
      last = other;
    if (llvm::all_of(isDone, [](bool done) { return done; }))
      break;
  }
  return last;
}

} // namespace sheaf
