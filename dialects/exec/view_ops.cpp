// Views: which elements of the source's memory they reach.
#include "dialects/exec/exec.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sheaf::exec;

namespace {

/// The first and past the last element that a view touches, relative to its own first element.
struct Reach {
  int64_t begin = 0;
  int64_t end = 0;
};

std::optional<Reach> reachOf(BufferType type) {
  if (type.getNumElements() == 0)
    return Reach{};
  Reach reach{0, 1};
  for (auto [extent, stride] : llvm::zip(type.getShape(), type.getStrides())) {
    int64_t far;
    if (llvm::MulOverflow(extent - 1, stride, far) ||
        llvm::AddOverflow(far < 0 ? reach.begin : reach.end, far,
                          far < 0 ? reach.begin : reach.end))
      return std::nullopt;
  }
  return reach;
}

} // namespace

LogicalResult ViewOp::verify() {
  BufferType from = getSource().getType(), to = getType();
  if (from.getElementType() != to.getElementType() || from.getSpace() != to.getSpace()) // (C1)
    return emitOpError() << "of " << from << " as " << to
                         << " changes the element type or the memory space";
  if (from.getPackedBytes() > 0 || to.getPackedBytes() > 0) // (C2)
    return emitOpError() << "of " << from << " as " << to << ": packed buffers have no views";
  std::optional<Reach> inner = reachOf(to), outer = reachOf(from);
  int64_t begin = 0, end = 0;
  auto offset = static_cast<int64_t>(getOffset());
  if (!inner || !outer || llvm::AddOverflow(inner->begin, offset, begin) ||
      llvm::AddOverflow(inner->end, offset, end) || begin < outer->begin ||
      end > outer->end) // (C3)
    return emitOpError() << "at " << offset << " reaches elements " << begin << " to " << end
                         << " of a source that has " << (outer ? outer->begin : 0) << " to "
                         << (outer ? outer->end : 0);
  return success();
}

OpFoldResult ViewOp::fold(FoldAdaptor) {
  if (getOffset() == 0 && getSource().getType() == getType())
    return getSource();
  auto parent = getSource().getDefiningOp<ViewOp>();
  if (!parent)
    return {};
  // A view of a view is a view.
  setOffset(getOffset() + parent.getOffset());
  getSourceMutable().assign(parent.getSource());
  return getResult();
}
