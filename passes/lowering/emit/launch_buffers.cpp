// Describes the buffers of a launch to the kernel compiler.
#include "passes/lowering/emit/launch_buffers.h"

#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace sheaf::lowering {

int64_t offsetInMemory(Value buffer) {
  int64_t offset = 0;
  for (auto view = buffer.getDefiningOp<exec::ViewOp>(); view;
       view = view.getSource().getDefiningOp<exec::ViewOp>())
    offset += static_cast<int64_t>(view.getOffset());
  return offset;
}

static BufferLayout layoutOf(Value buffer) {
  auto type = cast<exec::BufferType>(buffer.getType());
  BufferLayout layout;
  layout.strides = type.getStrides();
  // All memory starts at a multiple of 64.
  int64_t offsetBytes = offsetInMemory(buffer) * type.getElementBytes();
  layout.alignment = std::gcd<int64_t>(64, offsetBytes);
  return layout;
}

ClusterBuffers launchBuffers(exec::LaunchOp launch) {
  ClusterBuffers buffers;
  llvm::append_range(buffers.operands, llvm::map_range(launch.getIns(), layoutOf));
  llvm::append_range(buffers.results, llvm::map_range(launch.getOuts(), layoutOf));
  bool overwritesAny = false;
  for (Value out : launch.getOuts()) {
    auto place = llvm::find(launch.getIns(), out);
    std::optional<unsigned> overwritten;
    if (place != launch.getIns().end())
      overwritten = std::distance(launch.getIns().begin(), place);
    overwritesAny |= overwritten.has_value();
    buffers.overwrites.push_back(overwritten);
  }
  if (!overwritesAny)
    buffers.overwrites.clear();
  return buffers;
}

} // namespace sheaf::lowering
