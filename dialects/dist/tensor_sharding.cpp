// Shardings as values: to and from attributes, and against their mesh.
#include "dialects/dist/tensor_sharding.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace sheaf::dist;

TensorSharding TensorSharding::open(int64_t rank) {
  TensorSharding sharding;
  sharding.dims.resize(rank);
  return sharding;
}

TensorSharding TensorSharding::whole(int64_t rank) {
  TensorSharding sharding = open(rank);
  for (DimSharding &dim : sharding.dims)
    dim.isOpen = false;
  return sharding;
}

TensorSharding TensorSharding::from(ShardingAttr attr, MeshAttr mesh) {
  TensorSharding sharding;
  for (DimShardingAttr dim : attr.getDims())
    sharding.dims.push_back({axesOf(dim.getAxes(), mesh), dim.getIsOpen(), dim.getPriority()});
  sharding.replicated = axesOf(attr.getReplicated(), mesh);
  sharding.partial = axesOf(attr.getPartial(), mesh);
  sharding.partialKind = attr.getPartialKind();
  return sharding;
}

ShardingAttr TensorSharding::toAttr(FlatSymbolRefAttr meshName, MeshAttr mesh) const {
  MLIRContext *context = mesh.getContext();
  SmallVector<DimShardingAttr> dimAttrs;
  for (const DimSharding &dim : dims)
    dimAttrs.push_back(
        DimShardingAttr::get(context, refsOf(dim.axes, mesh), dim.isOpen, dim.priority));
  return ShardingAttr::get(context, meshName, dimAttrs, refsOf(replicated, mesh),
                           refsOf(partial, mesh), partialKind);
}

TensorSharding TensorSharding::placed() const {
  TensorSharding result = whole(dims.size());
  for (auto [from, to] : llvm::zip_equal(dims, result.dims))
    to.axes = from.axes;
  result.partial = partial;
  result.partialKind = partial.empty() ? PartialKind::sum : partialKind;
  return result;
}

AxisList TensorSharding::usedAxes() const {
  AxisList used(replicated);
  llvm::append_range(used, partial);
  for (const DimSharding &dim : dims)
    llvm::append_range(used, dim.axes);
  return used;
}

bool TensorSharding::isWhole() const {
  return partial.empty() &&
         llvm::all_of(dims, [](const DimSharding &dim) { return dim.axes.empty(); });
}

namespace sheaf::dist {

int64_t blockOf(int64_t extent, AxisListRef axes) {
  // Cutting into a parts and these into b is cutting into a * b: ceil(ceil(d / a) / b) = ceil(d / ab).
  return llvm::divideCeil(extent, sizeOf(axes));
}

SmallVector<DimPart> partsOf(int64_t extent, AxisListRef axes) {
  SmallVector<DimPart> parts = {{0, extent}};
  int64_t block = extent;
  for (Axis axis : axes) {
    block = llvm::divideCeil(block, axis.size);
    SmallVector<DimPart> cut;
    for (DimPart part : parts)
      for (int64_t index = 0; index < axis.size; ++index) {
        int64_t skipped = std::min(index * block, part.extent);
        cut.push_back({part.begin + skipped, std::min(part.extent - skipped, block)});
      }
    parts = std::move(cut);
  }
  return parts;
}

RankedTensorType blockTypeOf(RankedTensorType type, const TensorSharding &sharding) {
  SmallVector<int64_t> shape;
  for (auto [extent, dim] : llvm::zip_equal(type.getShape(), sharding.dims))
    shape.push_back(blockOf(extent, dim.axes));
  return type.clone(shape);
}

Axis axisOf(AxisRefAttr attr, MeshAttr mesh) {
  unsigned index = *mesh.indexOf(attr.getName());
  if (attr.getSize() == 0)
    return {index, 1, mesh.getAxes()[index].getSize()};
  return {index, attr.getPreSize(), attr.getSize()};
}

AxisList axesOf(ArrayRef<AxisRefAttr> attrs, MeshAttr mesh) {
  AxisList axes;
  for (AxisRefAttr attr : attrs)
    append(axes, axisOf(attr, mesh));
  return axes;
}

SmallVector<AxisRefAttr> refsOf(AxisListRef axes, MeshAttr mesh) {
  SmallVector<AxisRefAttr> refs;
  for (Axis axis : axes) {
    MeshAxisAttr whole = mesh.getAxes()[axis.index];
    bool isWhole = axis.preSize == 1 && axis.size == whole.getSize();
    refs.push_back(AxisRefAttr::get(mesh.getContext(), whole.getName(), axis.preSize,
                                    isWhole ? 0 : axis.size));
  }
  return refs;
}

std::string textOf(AxisListRef axes, MeshAttr mesh) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '{';
  llvm::interleaveComma(refsOf(axes, mesh), os, [&](AxisRefAttr axis) {
    os << '"' << axis.getName() << '"';
    if (axis.getSize() != 0)
      os << ":(" << axis.getPreSize() << ')' << axis.getSize();
  });
  os << '}';
  return text;
}

std::string textOf(MeshAttr mesh) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      mesh.getAxes(), os, [&](MeshAxisAttr axis) { os << axis.getName() << '=' << axis.getSize(); },
      ",");
  return text;
}

MeshOp findMesh(Operation *user, FlatSymbolRefAttr name) {
  return SymbolTable::lookupNearestSymbolFrom<MeshOp>(user, name);
}

LogicalResult verifyAxes(Operation *user, FlatSymbolRefAttr meshName, ArrayRef<AxisRefAttr> axes,
                         StringRef what) {
  MeshOp mesh = findMesh(user, meshName);
  if (!mesh)
    return user->emitOpError() << what << ": there is no mesh " << meshName;
  for (AxisRefAttr axis : axes) {
    std::optional<unsigned> index = mesh.getMesh().indexOf(axis.getName());
    if (!index)
      return user->emitOpError() << what << ": mesh " << meshName << " has no axis \""
                                 << axis.getName() << "\"";
    int64_t extent = mesh.getMesh().getAxes()[*index].getSize(), end;
    if (axis.getSize() == 0)
      continue;
    if (llvm::MulOverflow(axis.getPreSize(), axis.getSize(), end) || extent % end != 0)
      return user->emitOpError() << what << ": part (" << axis.getPreSize() << ')' << axis.getSize()
                                 << " does not divide axis \"" << axis.getName() << "\" of extent "
                                 << extent;
  }
  return success();
}

LogicalResult verifySharding(Operation *user, ShardingAttr sharding, Type type, StringRef what) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return user->emitOpError() << what << ": a sharding is of a statically shaped tensor, not of "
                               << type;
  if (int64_t(sharding.getDims().size()) != tensor.getRank())
    return user->emitOpError() << what << ": the sharding has " << sharding.getDims().size()
                               << " dims, " << type << " has " << tensor.getRank();
  for (DimShardingAttr dim : sharding.getDims())
    if (failed(verifyAxes(user, sharding.getMesh(), dim.getAxes(), what)))
      return failure();
  return success(succeeded(verifyAxes(user, sharding.getMesh(), sharding.getReplicated(), what)) &&
                 succeeded(verifyAxes(user, sharding.getMesh(), sharding.getPartial(), what)));
}

} // namespace sheaf::dist
