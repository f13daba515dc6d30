// Reads the mesh of an executable and derives groups of ranks from its axes.
#include "runtime/core/mesh.h"

#include "runtime/abi/shard.h"
#include "runtime/core/checked.h"
#include "runtime/core/utf8.h"

#include <optional>

namespace sheaf::rt {

Result<Mesh> Mesh::read(const abi::Executable &executable) {
  Mesh mesh;
  int64_t count = 1;
  if (executable.mesh())
    for (const abi::MeshAxis *axis : *executable.mesh()) {
      std::string_view name = axis->name()->string_view();
      if (name.empty() || !isUtf8(name))
        return Status::invalid("mesh axis ", mesh.axisList.size(), " has no name in UTF-8");
      if (axis->size() < 1)
        return Status::invalid("mesh axis \"", name, "\" has size ", axis->size());
      for (const Axis &other : mesh.axisList)
        if (other.name == name)
          return Status::invalid("there are two mesh axes \"", name, "\"");
      mesh.axisList.push_back({std::string(name), axis->size()});
      std::optional<int64_t> product = checkedMultiply(count, axis->size());
      if (!product || *product > maxRanks)
        return Status::invalid("the mesh ", mesh.text(), " has more than ", maxRanks, " ranks");
      count = *product;
    }
  mesh.count = static_cast<int>(count);
  if (!executable.devices() || executable.devices()->size() == 0)
    return mesh;
  if (executable.devices()->size() != static_cast<size_t>(count))
    return Status::invalid("the mesh has ", count, " places but ", executable.devices()->size(),
                           " devices");
  mesh.places.assign(static_cast<size_t>(count), -1);
  for (uint32_t rank : *executable.devices()) {
    if (rank >= static_cast<uint32_t>(count) || mesh.places[rank] >= 0)
      return Status::invalid("the devices of the mesh are not the ranks 0 to ", count - 1,
                             ", each once: ", rank);
    mesh.places[rank] = static_cast<int>(mesh.ranks.size());
    mesh.ranks.push_back(static_cast<int>(rank));
  }
  return mesh;
}

Status Mesh::check(std::span<const AxisPart> parts) const {
  for (size_t i = 0; i < parts.size(); ++i) {
    const AxisPart &part = parts[i];
    if (part.axis < 0 || part.axis >= static_cast<int64_t>(axisList.size()))
      return Status::invalid("there is no mesh axis ", part.axis, "; the mesh has ",
                             axisList.size());
    const Axis &axis = axisList[static_cast<size_t>(part.axis)];
    auto isDivisor = [&](int64_t size) { return size >= 1 && axis.size % size == 0; };
    if (!isDivisor(part.preSize) || !isDivisor(part.size) ||
        (axis.size / part.preSize) % part.size != 0)
      return Status::invalid("mesh axis \"", axis.name, "\" of size ", axis.size, " has no part (",
                             part.preSize, ")", part.size);
    for (const AxisPart &other : parts.first(i)) {
      // Digits of one axis: the more significant part ends where the other begins or before.
      auto isBefore = [](const AxisPart &high, const AxisPart &low) {
        return low.preSize % (high.preSize * high.size) == 0;
      };
      if (part.axis == other.axis && !isBefore(part, other) && !isBefore(other, part))
        return Status::invalid("parts ", text(std::span(&other, 1)), " and ",
                               text(std::span(&part, 1)), " of a mesh axis overlap");
    }
  }
  return {};
}

int64_t Mesh::groupSize(std::span<const AxisPart> parts) const {
  int64_t product = 1;
  for (const AxisPart &part : parts)
    product *= part.size;
  return product;
}

int64_t Mesh::groupIndex(int rank, std::span<const AxisPart> parts) const {
  std::vector<int64_t> coordinates = coordinatesOf(rank);
  int64_t index = 0;
  for (const AxisPart &part : parts) {
    auto axis = static_cast<size_t>(part.axis);
    index = index * part.size +
            abi::partCoordinate(coordinates[axis], axisList[axis].size, part.preSize, part.size);
  }
  return index;
}

std::vector<int> Mesh::groupOf(int rank, std::span<const AxisPart> parts) const {
  std::vector<int64_t> own = coordinatesOf(rank);
  auto weightOf = [&](const AxisPart &part) {
    return axisList[static_cast<size_t>(part.axis)].size / (part.preSize * part.size);
  };
  for (const AxisPart &part : parts) {
    auto axis = static_cast<size_t>(part.axis);
    own[axis] -= weightOf(part) *
                 abi::partCoordinate(own[axis], axisList[axis].size, part.preSize, part.size);
  }
  std::vector<int> members(static_cast<size_t>(groupSize(parts)));
  for (size_t member = 0; member < members.size(); ++member) {
    std::vector<int64_t> coordinates = own;
    auto rest = static_cast<int64_t>(member);
    for (size_t i = parts.size(); i-- > 0; rest /= parts[i].size)
      coordinates[static_cast<size_t>(parts[i].axis)] += rest % parts[i].size * weightOf(parts[i]);
    members[member] = rankAt(coordinates);
  }
  return members;
}

std::string Mesh::text(std::span<const AxisPart> parts) const {
  std::string text;
  for (const AxisPart &part : parts) {
    const Axis &axis = axisList[static_cast<size_t>(part.axis)];
    text += (text.empty() ? "" : ",") + axis.name;
    if (part.size != axis.size)
      text += ":(" + std::to_string(part.preSize) + ")" + std::to_string(part.size);
  }
  return text;
}

std::string Mesh::text() const {
  std::string text;
  for (const Axis &axis : axisList)
    text += (text.empty() ? "" : ", ") + axis.name + "=" + std::to_string(axis.size);
  return text;
}

std::string Mesh::rankText(int rank) const {
  std::string text;
  std::vector<int64_t> coordinates = coordinatesOf(rank);
  for (size_t axis = 0; axis < coordinates.size(); ++axis)
    text += (axis ? ", " : " (") + axisList[axis].name + "=" + std::to_string(coordinates[axis]);
  return "rank " + std::to_string(rank) + text + (text.empty() ? "" : ")");
}

std::vector<int64_t> Mesh::coordinatesOf(int rank) const {
  std::vector<int64_t> coordinates(axisList.size());
  int64_t place = places.empty() ? rank : places[static_cast<size_t>(rank)];
  for (size_t axis = axisList.size(); axis-- > 0; place /= axisList[axis].size)
    coordinates[axis] = place % axisList[axis].size;
  return coordinates;
}

int Mesh::rankAt(std::span<const int64_t> coordinates) const {
  int64_t place = 0;
  for (size_t axis = 0; axis < axisList.size(); ++axis)
    place = place * axisList[axis].size + coordinates[axis];
  return ranks.empty() ? static_cast<int>(place) : ranks[static_cast<size_t>(place)];
}

} // namespace sheaf::rt
