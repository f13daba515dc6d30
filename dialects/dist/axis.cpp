// The algebra of axis lists.
#include "dialects/dist/axis.h"

#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace llvm;

namespace sheaf::dist {

int64_t sizeOf(AxisListRef axes) {
  int64_t size = 1;
  for (Axis axis : axes)
    size *= axis.size;
  return size;
}

void append(AxisList &list, Axis axis) {
  if (axis.size == 1)
    return;
  if (!list.empty() && list.back().isFollowedBy(axis))
    list.back().size *= axis.size;
  else
    list.push_back(axis);
}

AxisList concat(AxisListRef lhs, AxisListRef rhs) {
  AxisList result(lhs);
  for (Axis axis : rhs)
    append(result, axis);
  return result;
}

AxisList commonPrefix(AxisListRef lhs, AxisListRef rhs) {
  AxisList prefix;
  for (auto [left, right] : zip(lhs, rhs)) {
    if (left == right) {
      append(prefix, left);
      continue;
    }
    // Both lists are canonical, so what differs here ends the prefix, after the digits they share.
    if (left.index == right.index && left.preSize == right.preSize)
      append(prefix, {left.index, left.preSize, std::gcd(left.size, right.size)});
    break;
  }
  return prefix;
}

std::optional<AxisList> dropPrefix(AxisListRef list, AxisListRef prefix) {
  if (commonPrefix(list, prefix) != AxisList(prefix))
    return std::nullopt;
  auto parts = splitAt(list, sizeOf(prefix));
  return parts ? std::optional(std::move(parts->second)) : std::nullopt;
}

bool startsWith(AxisListRef list, AxisListRef prefix) {
  return dropPrefix(list, prefix).has_value();
}

std::optional<std::pair<AxisList, AxisList>> splitAt(AxisListRef list, int64_t size) {
  std::pair<AxisList, AxisList> parts;
  int64_t left = size;
  for (Axis axis : list) {
    int64_t taken = std::gcd(left, axis.size);
    // Either the whole axis comes first, or the cut goes through it.
    if (taken != axis.size && taken != left)
      return std::nullopt;
    append(parts.first, {axis.index, axis.preSize, taken});
    append(parts.second, {axis.index, axis.preSize * taken, axis.size / taken});
    left /= taken;
  }
  if (left != 1)
    return std::nullopt;
  return parts;
}

AxisList prefixDividing(AxisListRef list, int64_t extent) {
  AxisList prefix;
  for (Axis axis : list) {
    int64_t taken = std::gcd(extent, axis.size);
    append(prefix, {axis.index, axis.preSize, taken});
    if (taken != axis.size)
      break;
    extent /= taken;
  }
  return prefix;
}

bool overlaps(AxisListRef lhs, AxisListRef rhs) {
  return any_of(lhs, [&](Axis left) {
    return any_of(rhs, [&](Axis right) { return left.overlaps(right); });
  });
}

AxisList prefixWithout(AxisListRef list, AxisListRef others) {
  AxisList prefix;
  for (Axis axis : list) {
    // The digits before the first that is taken.
    int64_t free = axis.size;
    for (Axis other : others)
      if (axis.overlaps(other))
        free = other.preSize % axis.preSize == 0 ? std::gcd(free, other.preSize / axis.preSize) : 1;
    append(prefix, {axis.index, axis.preSize, free});
    if (free != axis.size)
      break;
  }
  return prefix;
}

AxisList difference(AxisListRef list, AxisListRef others) {
  AxisList rest;
  for (Axis axis : list) {
    SmallVector<Axis> taken;
    copy_if(others, std::back_inserter(taken), [&](Axis other) { return axis.overlaps(other); });
    sort(taken, [](Axis left, Axis right) { return left.preSize < right.preSize; });
    // Digits that some other axis crosses are lost.
    auto appendBetween = [&](int64_t begin, int64_t end) {
      if (begin >= end || end % begin != 0 || axis.end() % begin != 0)
        return;
      Axis part{axis.index, begin, std::gcd(end / begin, axis.end() / begin)};
      if (axis.contains(part) && !overlaps(part, taken))
        append(rest, part);
    };
    int64_t begin = axis.preSize;
    for (Axis other : taken) {
      appendBetween(begin, other.preSize);
      begin = std::max(begin, other.end());
    }
    appendBetween(begin, axis.end());
  }
  return rest;
}

} // namespace sheaf::dist
