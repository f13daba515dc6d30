// Finds the digits of a device's place that tell which shard it holds.
//
// Devices stand in a row; a part of an axis is a run of digits of a device's place in it, in some mixed
// radix. The index of a shard along a dim is made of such digits, so it is a sum over them, and what one
// digit adds can be read off where all others are 0.
#include "dialects/dist/device_list.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace sheaf::dist {
namespace {

/// A part of the axis through all devices, and how far one step along it moves the index.
struct Digit {
  Axis axis;
  int64_t weight;
};

/// Of a place `at` among `numPlaces`.
int64_t digitOf(Axis axis, int64_t at, int64_t numPlaces) {
  return at / (numPlaces / axis.end()) % axis.size;
}

/// The digits whose weighted sum is `index`, minor ones first, as long as they can be; when there are
/// none they are not the sum.
SmallVector<Digit> digitsOf(ArrayRef<int64_t> index) {
  auto numPlaces = static_cast<int64_t>(index.size());
  SmallVector<Digit> digits;
  for (int64_t stride = 1; stride < numPlaces;) {
    int64_t left = numPlaces / stride, weight = index[stride], size = left;
    for (int64_t candidate = 1; candidate < left; ++candidate)
      if (index[candidate * stride] != candidate * weight) {
        size = candidate;
        break;
      }
    while (left % size != 0)
      --size;
    if (size == 1)
      return {};
    if (weight != 0)
      digits.push_back({{0, left / size, size}, weight});
    stride *= size;
  }
  return digits;
}

/// The axes that make `index`, which counts up to `parts`; none if there are none.
std::optional<AxisList> listOf(ArrayRef<int64_t> index, int64_t parts) {
  SmallVector<Digit> digits = digitsOf(index);
  stable_sort(digits, [](Digit lhs, Digit rhs) { return lhs.weight > rhs.weight; });
  int64_t expected = 1;
  for (Digit digit : reverse(digits)) {
    if (digit.weight != expected)
      return std::nullopt;
    expected *= digit.axis.size;
  }
  auto numPlaces = static_cast<int64_t>(index.size());
  for (int64_t at = 0; at < numPlaces; ++at) {
    int64_t sum = 0;
    for (Digit digit : digits)
      sum += digit.weight * digitOf(digit.axis, at, numPlaces);
    if (sum != index[at])
      return std::nullopt;
  }
  AxisList list;
  for (Digit digit : digits)
    append(list, digit.axis);
  return expected == parts ? std::optional(list) : std::nullopt;
}

/// A list of parts of the axis through all devices, as axes of a mesh; none when parts cross its axes.
std::optional<AxisList> onMesh(AxisListRef list, MeshAttr mesh) {
  AxisList result;
  for (Axis part : list) {
    int64_t at = part.preSize, before = 1;
    for (auto [index, meshAxis] : enumerate(mesh.getAxes())) {
      int64_t end = before * meshAxis.getSize();
      if (at < part.end() && at < end) {
        int64_t next = std::min(end, part.end());
        if (at % before != 0 || next % at != 0 || end % next != 0)
          return std::nullopt;
        append(result, {static_cast<unsigned>(index), at / before, next / at});
        at = next;
      }
      before = end;
    }
  }
  return result;
}

/// "shard 0 is on devices 0, 1, shard 1 is on devices 2, 3, ..", cut short.
std::string describe(const DeviceList &list) {
  constexpr size_t maxShards = 2, maxDevices = 4;
  std::string text;
  for (auto [shard, owners] : enumerate(ArrayRef(list.owners).take_front(maxShards))) {
    text += "shard " + std::to_string(shard) + " is on device" + (owners.size() == 1 ? " " : "s ");
    for (int64_t device : ArrayRef(owners).take_front(maxDevices))
      text += std::to_string(device) + ", ";
    if (owners.size() > maxDevices)
      text += ".., ";
  }
  return text + "..";
}

} // namespace

DeviceList deviceListOf(ArrayRef<AxisList> dims, MeshAttr mesh) {
  DeviceList list;
  int64_t numShards = 1;
  for (const AxisList &axes : dims) {
    list.parts.push_back(sizeOf(axes));
    numShards *= list.parts.back();
  }
  list.owners.resize(numShards);
  for (int64_t at : seq(mesh.getNumDevices())) {
    SmallVector<int64_t> coordinates(mesh.getAxes().size());
    int64_t rest = at;
    for (auto [coordinate, axis] : zip_equal(reverse(coordinates), reverse(mesh.getAxes()))) {
      coordinate = rest % axis.getSize();
      rest /= axis.getSize();
    }
    int64_t shard = 0;
    for (const AxisList &axes : dims)
      for (Axis axis : axes)
        shard = shard * axis.size +
                digitOf(axis, coordinates[axis.index], mesh.getAxes()[axis.index].getSize());
    list.owners[shard].push_back(mesh.getDevices().empty() ? at : mesh.getDevices()[at]);
  }
  return list;
}

Expected<SmallVector<AxisList>> axesOf(const DeviceList &list, ArrayRef<int64_t> order) {
  auto numDevices = static_cast<int64_t>(order.size());
  SmallVector<int64_t> shardOf(numDevices, -1);
  int64_t numNamed = 0;
  for (auto [shard, owners] : enumerate(list.owners))
    for (int64_t device : owners) {
      if (device < 0 || device >= numDevices || shardOf[device] != -1)
        return createStringError("device " + Twine(device) + " is out of range or named twice");
      shardOf[device] = static_cast<int64_t>(shard);
      ++numNamed;
    }
  if (numNamed != numDevices)
    return createStringError("is on " + Twine(numNamed) + " of " + Twine(numDevices) +
                             " devices; every device holds a part of every tensor");
  SmallVector<AxisList> dims(list.parts.size());
  auto numShards = static_cast<int64_t>(list.owners.size());
  int64_t after = numShards;
  for (auto [dim, parts] : enumerate(list.parts)) {
    after /= parts;
    SmallVector<int64_t> index;
    for (int64_t device : order)
      index.push_back(shardOf[device] / after % parts);
    std::optional<AxisList> axes = listOf(index, parts);
    if (!axes)
      return createStringError(describe(list) +
                               ": no axes in any order go through the devices like this");
    dims[dim] = std::move(*axes);
    for (size_t other : seq(dim))
      if (overlaps(dims[dim], dims[other]))
        return createStringError("two dims are cut along the same devices");
  }
  return dims;
}

Expected<SmallVector<AxisList>> axesOf(const DeviceList &list, MeshAttr mesh) {
  SmallVector<int64_t> order(mesh.getDevices());
  if (order.empty())
    order = to_vector(seq(mesh.getNumDevices()));
  auto dims = axesOf(list, order);
  if (!dims)
    return dims;
  for (AxisList &axes : *dims) {
    std::optional<AxisList> own = onMesh(axes, mesh);
    if (!own)
      return createStringError(describe(list) +
                               ": no axes of the mesh, or parts of them, cut it like this");
    axes = std::move(*own);
  }
  return dims;
}

} // namespace sheaf::dist
