// Reads and checks the window attributes of convolutions and pooling.
#include "importers/onnx/window_form.h"

using namespace llvm;

namespace sheaf::onnx {

ArrayRef<int64_t> spaceOf(Node &n, mlir::Value value) {
  if (n.failed())
    return {};
  if (n.rank(value) < 3) {
    n.fail("the input has rank " + Twine(n.rank(value)) + "; it needs batch, channels and space");
    return {};
  }
  return n.shape(value).drop_front(2);
}

WindowForm readWindowForm(Node &n, ArrayRef<int64_t> space, ArrayRef<int64_t> window) {
  size_t rank = space.size();
  WindowForm form;
  form.window = SmallVector<int64_t>(window);
  form.strides = n.integers("strides", SmallVector<int64_t>(rank, 1));
  form.dilations = n.integers("dilations", SmallVector<int64_t>(rank, 1));
  SmallVector<int64_t> pads = n.integers("pads", SmallVector<int64_t>(2 * rank, 0));
  std::string automatic = n.string("auto_pad", "NOTSET");
  n.expectChoice("auto_pad", automatic, {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"});
  if (n.failed())
    return form;
  if (window.size() != rank || form.strides.size() != rank || form.dilations.size() != rank ||
      pads.size() != 2 * rank) {
    n.fail("window, strides, dilations and pads must fit " + Twine(rank) + " spatial dims");
    return form;
  }
  constexpr int64_t kMost = 1LL << 31;
  for (ArrayRef<int64_t> list :
       {ArrayRef(form.window), ArrayRef(form.strides), ArrayRef(form.dilations)})
    for (int64_t entry : list)
      if (entry <= 0 || entry > kMost)
        n.fail("window, strides or dilations have the entry " + Twine(entry));
  for (int64_t entry : pads)
    if (entry < -kMost || entry > kMost)
      n.fail("pads has the entry " + Twine(entry));
  if (n.failed())
    return form;
  form.low = SmallVector<int64_t>(ArrayRef(pads).take_front(rank));
  form.high = SmallVector<int64_t>(ArrayRef(pads).drop_front(rank));
  for (size_t dim = 0; dim < rank; ++dim) {
    if (automatic == "VALID")
      form.low[dim] = form.high[dim] = 0;
    if (!StringRef(automatic).starts_with("SAME"))
      continue;
    int64_t extent = (space[dim] + form.strides[dim] - 1) / form.strides[dim];
    int64_t total =
        std::max<int64_t>((extent - 1) * form.strides[dim] + form.reach(dim) - space[dim], 0);
    form.low[dim] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
    form.high[dim] = total - form.low[dim];
  }
  return form;
}

} // namespace sheaf::onnx
