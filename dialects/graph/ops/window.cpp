// Windows that slide over space: the arithmetic that convolution and pooling share.
#include "dialects/graph/ops/window.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sheaf::graph;

/// Beyond this, sums of window arithmetic could overflow.
static constexpr int64_t kMaxEntry = int64_t(1) << 31;

static LogicalResult checkList(std::optional<Location> location, StringRef name,
                               ArrayRef<int64_t> list, int64_t numDims, int64_t lowest) {
  if (int64_t(list.size()) != numDims)
    return emitOptionalError(location, name, " has ", list.size(), " entries, but there are ",
                             numDims, " spatial dims");
  for (int64_t entry : list)
    if (entry < lowest || entry > kMaxEntry)
      return emitOptionalError(location, name, " has the entry ", entry, ", which is not in [",
                               lowest, ", ", kMaxEntry, "]");
  return success();
}

LogicalResult Window::check(std::optional<Location> location, int64_t numDims) const {
  return success(succeeded(checkList(location, "strides", strides, numDims, 1)) &&
                 succeeded(checkList(location, "dilations", dilations, numDims, 1)) &&
                 succeeded(checkList(location, "low padding", paddingLow, numDims, -kMaxEntry)) &&
                 succeeded(checkList(location, "high padding", paddingHigh, numDims, -kMaxEntry)) &&
                 succeeded(checkList(location, "window", extents, numDims, 1)));
}

SmallVector<int64_t> Window::places(ArrayRef<int64_t> space) const {
  SmallVector<int64_t> counts;
  for (size_t i = 0; i < space.size(); ++i) {
    int64_t padded = space[i] + paddingLow[i] + paddingHigh[i];
    counts.push_back(llvm::divideFloorSigned(padded - reach(i), strides[i]) + 1);
  }
  return counts;
}

bool Window::isIdentity(int64_t dim) const {
  return paddingLow[dim] == 0 && paddingHigh[dim] == 0 && reach(dim) == 1 && strides[dim] == 1;
}

sheaf::DimWindow Window::seen(int64_t dim, int64_t numPlaces) const {
  return {numPlaces, strides[dim], 1, -paddingLow[dim], reach(dim) - 1 - paddingLow[dim]};
}

sheaf::DimWindow Window::seeing(int64_t dim, int64_t space) const {
  // Place p sees element q when 0 <= q + low - stride p < reach.
  return {space, 1, strides[dim], paddingLow[dim] - reach(dim) + strides[dim], paddingLow[dim]};
}
