// Walks over places of a tensor.
#include "dialects/graph/fold/places.h"

using namespace mlir;

namespace sheaf::graph {

SmallVector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- != 0;) {
    strides[dim] = stride;
    stride *= std::max<int64_t>(shape[dim], 1);
  }
  return strides;
}

void Places::forEach(llvm::function_ref<void(int64_t)> visit) const {
  if (llvm::is_contained(shape, 0))
    return;
  SmallVector<int64_t> index(shape.size());
  int64_t place = offset;
  while (true) {
    visit(place);
    size_t dim = shape.size();
    while (dim != 0 && ++index[dim - 1] == shape[dim - 1]) {
      --dim;
      place -= steps[dim] * (shape[dim] - 1);
      index[dim] = 0;
    }
    if (dim == 0)
      return;
    place += steps[dim - 1];
  }
}

Attribute takePlaces(const Constant &source, RankedTensorType result, const Places &places) {
  if (source.isSplat() && result.getNumElements() != 0)
    return makeConstant(result, source[0]);
  if (!isSmall(result))
    return {};
  SmallVector<Bits> elements;
  elements.reserve(result.getNumElements());
  places.forEach([&](int64_t place) { elements.push_back(source[place]); });
  return makeConstant(result, elements);
}

} // namespace sheaf::graph
