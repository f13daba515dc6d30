// Finds which windows are needed, and counts what they move.
#include "passes/sharding/window_moves.h"

#include "dialects/support/stored_size.h"

using namespace mlir;
using namespace sheaf::dist;

namespace sheaf::sharding {
namespace {

bool isHeldBy(DimWindow::Run run, DimPart part) {
  return part.begin <= run.begin && run.end <= part.begin + part.extent;
}

/// The most elements of its part that a rank sends.
int64_t mostSent(DimWindow window, ArrayRef<DimPart> parts, ArrayRef<DimPart> places) {
  SmallVector<int64_t> sent(parts.size(), 0);
  for (auto [receiver, own] : llvm::enumerate(places)) {
    if (own.extent == 0)
      continue;
    DimWindow::Run run = window.needed(own.begin, own.extent);
    // Parts are in order: those before the run end before it begins.
    const DimPart *from = llvm::partition_point(
        parts, [&](DimPart part) { return part.begin + part.extent <= run.begin; });
    for (; from != parts.end() && from->begin < run.end; ++from)
      if (size_t sender = from - parts.begin(); sender != receiver)
        sent[sender] += std::max<int64_t>(
            std::min(run.end, from->begin + from->extent) - std::max(run.begin, from->begin), 0);
  }
  return *llvm::max_element(sent);
}

} // namespace

SmallVector<WindowMove> windowMoves(const OpRule &rule, unsigned operand, RankedTensorType whole,
                                    const TensorSharding &sharding, Type element) {
  SmallVector<WindowMove> moves;
  RankedTensorType local = blockTypeOf(whole, sharding).clone(element);
  for (const auto &[index, dim, window] : rule.windows) {
    if (index != operand || sharding.dims[dim].axes.empty())
      continue;
    const AxisList &axes = sharding.dims[dim].axes;
    SmallVector<DimPart> parts = partsOf(whole.getDimSize(dim), axes),
                         places = partsOf(window.numPlaces, axes);
    SmallVector<int64_t> shape(local.getShape());
    int64_t block = blockOf(window.numPlaces, axes), size = shape[dim];
    shape[dim] = 1;
    int64_t bytes = memoryBytes(local.clone(shape)).value_or(0);
    shape[dim] = window.room(block);
    WindowMove move{dim, window, whole.getDimSize(dim), axes, local.clone(shape)};
    move.isOwn = shape[dim] <= size && llvm::all_of(llvm::zip_equal(parts, places), [&](auto both) {
                   auto [part, own] = both;
                   return own.extent == 0 || (window.needed(own.begin, block).begin == part.begin &&
                                              isHeldBy(window.needed(own.begin, own.extent), part));
                 });
    move.sentBytes = mostSent(window, parts, places) * bytes;
    local = move.result;
    moves.push_back(std::move(move));
  }
  return moves;
}

} // namespace sheaf::sharding
