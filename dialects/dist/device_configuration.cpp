// Device configurations to and from attributes.
#include "dialects/dist/device_configuration.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace mlir;
using namespace sheaf::dist;

namespace {

//===----------------------------------------------------------------------===//
// To attributes
//===----------------------------------------------------------------------===//

Attribute attrOf(const ConfiguredTensor &tensor, Builder &builder) {
  auto dims = map_to_vector(tensor.dims, [&](const ConfiguredTensor::Dim &dim) -> Attribute {
    NamedAttrList list;
    list.append("axis", builder.getI64IntegerAttr(dim.axis));
    list.append("shards", builder.getI64ArrayAttr(dim.shards));
    if (!dim.extents.empty())
      list.append("extents", builder.getI64ArrayAttr(dim.extents));
    return list.getDictionary(builder.getContext());
  });
  auto owners = map_to_vector(tensor.owners, [&](ArrayRef<int64_t> devices) -> Attribute {
    return builder.getI64ArrayAttr(devices);
  });
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("tensor", builder.getStringAttr(tensor.tensor)),
       builder.getNamedAttr("devices", builder.getArrayAttr(owners)),
       builder.getNamedAttr("dims", builder.getArrayAttr(dims))});
}

ArrayAttr attrOf(ArrayRef<ConfiguredTensor> tensors, Builder &builder) {
  return builder.getArrayAttr(map_to_vector(
      tensors, [&](const ConfiguredTensor &tensor) { return attrOf(tensor, builder); }));
}

Attribute attrOf(const ConfiguredNode &node, Builder &builder) {
  NamedAttrList list;
  list.append("node", builder.getStringAttr(node.node));
  if (node.isInner)
    list.append("is_inner", builder.getUnitAttr());
  if (node.stage)
    list.append("stage", builder.getI64IntegerAttr(*node.stage));
  if (!node.inputs.empty())
    list.append("inputs", attrOf(node.inputs, builder));
  if (!node.outputs.empty())
    list.append("outputs", attrOf(node.outputs, builder));
  return list.getDictionary(builder.getContext());
}

//===----------------------------------------------------------------------===//
// From attributes
//===----------------------------------------------------------------------===//

bool read(Attribute attr, int64_t &value) {
  auto integer = dyn_cast_or_null<IntegerAttr>(attr);
  if (!integer || !integer.getType().isSignlessInteger(64))
    return false;
  value = integer.getInt();
  return true;
}

bool read(Attribute attr, std::string &value) {
  auto string = dyn_cast_or_null<StringAttr>(attr);
  if (string)
    value = string.str();
  return bool(string);
}

// Lists of these are read by the same template.
template <unsigned N> bool read(Attribute attr, SmallVector<int64_t, N> &values);
bool read(Attribute attr, ConfiguredTensor::Dim &dim);
bool read(Attribute attr, ConfiguredTensor &tensor);
bool read(Attribute attr, ConfiguredNode &node);

template <typename List> bool readList(Attribute attr, List &values) {
  auto array = dyn_cast_or_null<ArrayAttr>(attr);
  return array && all_of(array, [&](Attribute element) {
           values.emplace_back();
           return read(element, values.back());
         });
}

template <unsigned N> bool read(Attribute attr, SmallVector<int64_t, N> &values) {
  return readList(attr, values);
}

bool read(Attribute attr, ConfiguredTensor::Dim &dim) {
  auto dict = dyn_cast<DictionaryAttr>(attr);
  if (!dict || !read(dict.get("axis"), dim.axis) || !read(dict.get("shards"), dim.shards) ||
      dim.shards.empty() || any_of(dim.shards, [](int64_t count) { return count < 1; }))
    return false;
  return !dict.get("extents") ||
         (read(dict.get("extents"), dim.extents) && dim.extents.size() == dim.shards.size());
}

bool read(Attribute attr, ConfiguredTensor &tensor) {
  auto dict = dyn_cast<DictionaryAttr>(attr);
  if (!dict || !read(dict.get("tensor"), tensor.tensor) ||
      !readList(dict.get("devices"), tensor.owners) || !readList(dict.get("dims"), tensor.dims))
    return false;
  int64_t numShards = 1;
  for (const ConfiguredTensor::Dim &dim : tensor.dims)
    for (int64_t count : dim.shards)
      if (MulOverflow(numShards, count, numShards))
        return false;
  return tensor.dims.empty() || numShards == static_cast<int64_t>(tensor.owners.size());
}

bool read(Attribute attr, ConfiguredNode &node) {
  auto dict = dyn_cast<DictionaryAttr>(attr);
  if (!dict || !read(dict.get("node"), node.node))
    return false;
  node.isInner = bool(dict.get("is_inner"));
  int64_t stage;
  if (read(dict.get("stage"), stage))
    node.stage = stage;
  return (!dict.get("inputs") || readList(dict.get("inputs"), node.inputs)) &&
         (!dict.get("outputs") || readList(dict.get("outputs"), node.outputs));
}

} // namespace

Expected<int64_t> ConfiguredTensor::Dim::numBlocks() const {
  if (shards.size() == 1)
    return shards[0];
  auto error = [&](const Twine &what) {
    return createStringError("axis " + Twine(axis) + " was several dims, " + what);
  };
  if (extents.empty())
    return error("whose extents are not given");
  // Cuts of the second dim are neighbours only within one element of the first.
  int64_t numBlocks = 1;
  bool isInElements = true;
  for (auto [extent, count] : zip_equal(extents, shards)) {
    if (count > 1 && !isInElements)
      return error("which are cut in a way that gives no blocks of the axis");
    if (count > 1 && (extent < 1 || extent % count != 0))
      return error(Twine(count) + " shards of " + Twine(extent) +
                   " elements are no blocks of the axis");
    isInElements &= extent == count;
    numBlocks *= count;
  }
  return numBlocks;
}

Expected<DeviceList> ConfiguredTensor::deviceList() const {
  DeviceList list;
  for (const Dim &dim : dims) {
    Expected<int64_t> numBlocks = dim.numBlocks();
    if (!numBlocks)
      return numBlocks.takeError();
    list.parts.push_back(*numBlocks);
  }
  if (!dims.empty()) {
    list.owners = owners;
    return list;
  }
  // Devices of a tensor that is not cut all hold it, in one group or not.
  auto &all = list.owners.emplace_back();
  for (ArrayRef<int64_t> devices : owners)
    all.append(devices.begin(), devices.end());
  return list;
}

Attribute DeviceConfiguration::toAttr(MLIRContext *context) const {
  Builder builder(context);
  NamedAttrList list;
  list.append("name", builder.getStringAttr(name));
  list.append("devices", builder.getI64IntegerAttr(numDevices));
  if (!deviceNames.empty())
    list.append("device_names", builder.getStrArrayAttr(SmallVector<StringRef>(deviceNames.begin(),
                                                                               deviceNames.end())));
  if (!tensors.empty())
    list.append("tensors", attrOf(tensors, builder));
  list.append("nodes", builder.getArrayAttr(map_to_vector(nodes, [&](const ConfiguredNode &node) {
    return attrOf(node, builder);
  })));
  return list.getDictionary(context);
}

std::optional<DeviceConfiguration> DeviceConfiguration::from(Attribute attr) {
  auto dict = dyn_cast<DictionaryAttr>(attr);
  DeviceConfiguration result;
  if (!dict || !read(dict.get("name"), result.name) ||
      !read(dict.get("devices"), result.numDevices) ||
      (dict.get("device_names") && !readList(dict.get("device_names"), result.deviceNames)) ||
      (dict.get("tensors") && !readList(dict.get("tensors"), result.tensors)) ||
      !readList(dict.get("nodes"), result.nodes))
    return std::nullopt;
  return result;
}
