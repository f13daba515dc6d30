// What of a program on several streams surely happens before what.
#ifndef SHEAF_PASSES_ANALYSIS_STREAM_ORDER_H
#define SHEAF_PASSES_ANALYSIS_STREAM_ORDER_H

#include "dialects/exec/exec.h"

namespace sheaf {

/// The stream of an instruction, and the events it waits for and records.
int64_t streamOf(mlir::Operation *instruction);
llvm::ArrayRef<int64_t> waitsOf(mlir::Operation *instruction);
llvm::ArrayRef<int64_t> recordsOf(mlir::Operation *instruction);

/// Order of instructions given by their steps, their positions in the list. Those of one stream run in
/// order; across streams an event orders what its recorder has seen before what waits for it.
class StreamOrder {
public:
  explicit StreamOrder(llvm::ArrayRef<mlir::Operation *> instructions);

  /// Whether `first` has surely ended when `second`, a later step, starts.
  bool isBefore(int64_t first, int64_t second) const {
    return streams[first] == streams[second] || seen[second][streams[first]] >= first;
  }

  /// The last step that may still run beside `step`, or `step`: what it touches is in use until then.
  int64_t lastBeside(int64_t step) const;

private:
  llvm::SmallVector<int64_t> streams;
  /// Per step and stream, the last step of the stream that has surely ended when the step starts; -1
  /// for none.
  std::vector<llvm::SmallVector<int64_t, 2>> seen;
};

} // namespace sheaf

#endif
