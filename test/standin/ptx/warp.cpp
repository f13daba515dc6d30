// Runs a warp: chooses among divergent lanes, joins them again, calls and returns.
#include "test/standin/ptx/warp.h"

#include <algorithm>
#include <bit>
#include <sstream>

#include "test/standin/ptx/grid.h"

namespace sheaf::standin::ptx {

static std::string laneList(uint32_t mask) {
  std::ostringstream text;
  text << (std::popcount(mask) == 1 ? "lane" : "lanes");
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    unsigned last = lane;
    while (last + 1 < warpSize && mask >> (last + 1) & 1)
      ++last;
    text << ' ' << lane;
    if (last > lane)
      text << '-' << last;
    lane = last;
  }
  return text.str();
}

void Warp::start(const Code &code, uint32_t mask) {
  // A block may have ended in a trap, with frames that are left.
  std::ranges::move(frames, std::back_inserter(spareFrames));
  frames.clear();
  groups.clear();
  groups.reserve(2 * warpSize);
  local.assign(size_t(warpSize) * stackBytes, std::byte{0xcd});
  live = mask;
  carry = 0;
  steps = 0;
  Frame *frame = makeFrame(code, nullptr);
  frame->lanes = mask;
  groups.push_back({mask, 0, frame, Group::Ready});
}

Warp::Outcome Warp::run() {
  while (live) {
    if (Group *group = pick()) {
      runGroup(*group);
      continue;
    }
    if (groups.size() == 1 && groups[0].state == Group::AtBarrier) {
      enter(groups[0]);
      current = &running->frame->code->instructions[running->next];
      return AtBarrier;
    }
    std::string text;
    for (const Group &group : groups) {
      const Instruction &instruction = group.frame->code->instructions[group.next];
      text += (text.empty() ? "" : ", ") + laneList(group.mask) + " at line " +
              std::to_string(instruction.line);
    }
    bool isBarrier = std::ranges::any_of(
        groups, [](const Group &group) { return group.state == Group::AtBarrier; });
    throw TrapError(
        (isBarrier ? "divergent barrier: " : "lanes wait for others that never come: ") + text);
  }
  return Done;
}

void Warp::release() {
  enter(groups[0]);
  groups[0].state = Group::Ready;
  ++groups[0].next;
}

/// Joins groups that have met, and chooses the next to run; null when all wait.
Group *Warp::pick() {
  for (size_t i = 0; i < groups.size(); ++i) {
    for (size_t j = i + 1; j < groups.size();) {
      if (groups[j].frame != groups[i].frame || groups[j].next != groups[i].next) {
        ++j;
        continue;
      }
      groups[i].mask |= groups[j].mask;
      groups[i].state = Group::Ready;
      groups[j] = groups.back();
      groups.pop_back();
    }
  }
  Group *best = nullptr;
  for (Group &group : groups) {
    if (group.state != Group::Ready)
      continue;
    if (!best || group.frame->depth > best->frame->depth ||
        (group.frame->depth == best->frame->depth && group.next < best->next))
      best = &group;
  }
  return best;
}

void Warp::enter(Group &group) {
  running = &group;
  bases[Slot::Frame] = group.frame->registers.get();
  bases[Slot::Constants] = const_cast<std::byte *>(group.frame->code->constants.data());
  bases[Slot::Special] = reinterpret_cast<std::byte *>(special.data());
}

void Warp::runGroup(Group &group) {
  enter(group);
  const Instruction *code = group.frame->code->instructions.data();
  // Where the nearest group ahead waits to be joined.
  uint32_t stop = UINT32_MAX;
  for (const Group &other : groups)
    if (other.frame == group.frame && other.next > group.next)
      stop = std::min(stop, other.next);
  const uint64_t limit = grid->stepLimit;
  while (true) {
    const Instruction &instruction = code[group.next];
    current = &instruction;
    if (++steps > limit)
      throw TrapError("a warp has run " + std::to_string(limit) + " instructions and does not end");
    uint32_t mask = group.mask;
    if (instruction.isGuarded) {
      const uint32_t guard = predicate(instruction.guard);
      mask &= instruction.isGuardNegated ? ~guard : guard;
    }
    if (instruction.flow == Flow::Plain) {
      if (mask)
        instruction.run(*this, instruction, mask);
      if (++group.next == stop)
        return;
    } else if (mask == 0) {
      if (++group.next == stop)
        return;
    } else if (!runFlow(group, instruction, mask)) {
      return;
    }
  }
}

/// Sends the lanes of `mask` to `target`; the others go on.
void Warp::split(Group &group, uint32_t mask, uint32_t target) {
  const uint32_t others = group.mask & ~mask;
  if (others)
    groups.push_back({others, group.next + 1, group.frame, Group::Ready});
  group.mask = mask;
  group.next = target;
}

/// Returns whether the group simply goes on in its frame, and alone.
bool Warp::runFlow(Group &group, const Instruction &instruction, uint32_t mask) {
  switch (instruction.flow) {
  case Flow::Plain:
    break;
  case Flow::Meet:
    if (!hasMet(group, instruction, mask)) {
      group.state = Group::AtMeeting;
      return false;
    }
    instruction.run(*this, instruction, mask);
    ++group.next;
    break;
  case Flow::Branch:
    split(group, mask, instruction.target);
    break;
  case Flow::BranchTable:
    branchByTable(group, instruction, mask);
    return false;
  case Flow::Call:
    call(group, instruction, mask);
    return false;
  case Flow::Return:
    leave(group, mask);
    return false;
  case Flow::Exit:
    exit(group, mask);
    return false;
  case Flow::Trap:
    throw TrapError("the kernel runs into a trap instruction");
  case Flow::Barrier:
    if (mask != group.mask)
      split(group, mask, group.next);
    group.state = Group::AtBarrier;
    return false;
  }
  return groups.size() == 1;
}

bool Warp::hasMet(const Group &group, const Instruction &instruction, uint32_t mask) {
  uint32_t members[warpSize];
  std::memcpy(members, at(instruction.members), sizeof members);
  const uint32_t named = members[std::countr_zero(mask)];
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (mask >> lane & 1 && !(members[lane] >> lane & 1))
      throw TrapError("lane " + std::to_string(lane) + " is not in its own mask of members");
  return (named & live & ~mask) == 0;
}

void Warp::branchByTable(Group &group, const Instruction &instruction, uint32_t mask) {
  uint32_t index[warpSize];
  std::memcpy(index, at(instruction.operands[0]), sizeof index);
  const std::vector<uint32_t> &targets = *instruction.table;
  while (mask) {
    const uint32_t chosen = index[std::countr_zero(mask)];
    if (chosen >= targets.size())
      throw TrapError("brx.idx has no target " + std::to_string(chosen));
    uint32_t same = 0;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      same |= (index[lane] == chosen ? uint32_t(1) : 0) << lane;
    same &= mask;
    mask &= ~same;
    groups.push_back({same, targets[chosen], group.frame, Group::Ready});
    group.mask &= ~same;
  }
  ++group.next;
  if (group.mask == 0) {
    group = groups.back();
    groups.pop_back();
  }
}

Frame *Warp::makeFrame(const Code &code, Frame *parent) {
  std::unique_ptr<Frame> frame;
  if (spareFrames.empty()) {
    frame = std::make_unique<Frame>();
  } else {
    frame = std::move(spareFrames.back());
    spareFrames.pop_back();
  }
  if (frame->capacity < code.frameBytes || !frame->registers) {
    frame->capacity = code.frameBytes;
    frame->registers.reset(new std::byte[code.frameBytes + 1]);
  }
  std::memset(frame->registers.get(), 0, code.frameBytes);
  frame->code = &code;
  frame->parent = parent;
  frame->depth = parent ? parent->depth + 1 : 0;
  frame->localBase = parent ? parent->localBase + parent->code->localBytes : 0;
  frames.push_back(std::move(frame));
  return frames.back().get();
}

/// The lanes of `mask` leave the frame, which ends with the last of them.
void Warp::dropLanes(Frame *frame, uint32_t mask) {
  frame->lanes &= ~mask;
  if (frame->lanes)
    return;
  auto ended = std::ranges::find_if(frames, [&](auto &f) { return f.get() == frame; });
  spareFrames.push_back(std::move(*ended));
  frames.erase(ended);
}

void Warp::call(Group &group, const Instruction &instruction, uint32_t mask) {
  const Code &callee = *instruction.callee;
  Frame *frame = makeFrame(callee, group.frame);
  if (frame->localBase + callee.localBytes > stackBytes)
    throw TrapError("calls nest too deep: " + callee.name);
  frame->call = &instruction;
  frame->returnTo = group.next + 1;
  frame->lanes = mask;
  const uint32_t from = group.frame->localBase;
  for (size_t i = 0; i < callee.parameters.size(); ++i)
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (mask >> lane & 1)
        std::memcpy(localAt(lane, frame->localBase + callee.parameters[i].offset),
                    localAt(lane, from + (*instruction.table)[callee.results.size() + i]),
                    callee.parameters[i].bytes);
  split(group, mask, 0);
  group.frame = frame;
}

/// Returns from a function, or ends the lanes of a kernel.
void Warp::leave(Group &group, uint32_t mask) {
  Frame *frame = group.frame;
  Frame *parent = frame->parent;
  if (!parent)
    return exit(group, mask);
  const Code &code = *frame->code;
  for (size_t i = 0; i < code.results.size(); ++i)
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (mask >> lane & 1)
        std::memcpy(localAt(lane, parent->localBase + (*frame->call->table)[i]),
                    localAt(lane, frame->localBase + code.results[i].offset),
                    code.results[i].bytes);
  split(group, mask, frame->returnTo);
  group.frame = parent;
  dropLanes(frame, mask);
}

void Warp::exit(Group &group, uint32_t mask) {
  live &= ~mask;
  for (Frame *frame = group.frame; frame;) {
    Frame *parent = frame->parent;
    dropLanes(frame, mask);
    frame = parent;
  }
  group.mask &= ~mask;
  ++group.next;
  if (group.mask == 0) {
    group = groups.back();
    groups.pop_back();
  }
  // Nobody waits for lanes that have ended.
  for (Group &other : groups)
    if (other.state == Group::AtMeeting)
      other.state = Group::Ready;
}

} // namespace sheaf::standin::ptx
