// Checks the plan of arenas: bytes belong to one value at a time.
#include "runtime/core/check_executable.h"

#include <algorithm>
#include <map>

namespace sheaf::rt {
namespace {

/// The bytes of an arena that a value takes, and the instructions that touch it.
struct Block {
  uint32_t arena;
  int64_t begin, end;
  size_t first, last;
};

/// Where a block is, to order those that share no byte.
using Place = std::pair<uint32_t, int64_t>;

/// Errors: a block in two arenas.
Result<std::vector<Block>> findBlocks(const ProgramInfo &program) {
  std::map<uint32_t, Block> blocks;
  for (size_t i = 0; i < program.numInstructions(); ++i) {
    const abi::Instruction &instruction = program.instruction(i);
    for (const auto *list : {instruction.ins(), instruction.outs()})
      for (flatbuffers::uoffset_t k = 0; list && k < list->size(); ++k) {
        const BufferInfo &buffer = program.buffers[list->Get(k)];
        uint32_t number = program.table->buffers()->Get(list->Get(k))->block();
        ByteExtent extent = byteExtent(buffer.shape).value_or(ByteExtent());
        if (buffer.storage != abi::Storage::arena || extent.isEmpty())
          continue;
        int64_t begin = buffer.offset + extent.begin, end = buffer.offset + extent.end;
        Block &block =
            blocks.try_emplace(number, Block{buffer.index, begin, end, i, i}).first->second;
        if (block.arena != buffer.index)
          return Status::invalid("block ", number, " is in arena ", block.arena, " and in arena ",
                                 buffer.index);
        block.begin = std::min(block.begin, begin);
        block.end = std::max(block.end, end);
        block.last = i;
      }
  }
  std::vector<Block> list;
  for (const auto &[number, block] : blocks)
    list.push_back(block);
  return list;
}

Status clash(const Block &earlier, const Block &later) {
  return Status::invalid("instruction ", later.first, " puts a value into bytes ", later.begin,
                         " to ", later.end, " of arena ", later.arena,
                         ", of which another value has ", earlier.begin, " to ", earlier.end,
                         " until instruction ", earlier.last);
}

} // namespace

Status checkMemoryPlan(const ProgramInfo &program) {
  Result<std::vector<Block>> blocks = findBlocks(program);
  if (!blocks.isOk())
    return blocks.takeStatus();
  std::sort(blocks->begin(), blocks->end(),
            [](const Block &a, const Block &b) { return a.first < b.first; });
  // Those in use share no byte, so a new one meets at most its neighbours.
  std::map<Place, const Block *> inUse;
  std::multimap<size_t, Place> ends;
  for (const Block &block : *blocks) {
    for (; !ends.empty() && ends.begin()->first < block.first; ends.erase(ends.begin()))
      inUse.erase(ends.begin()->second);
    auto next = inUse.lower_bound({block.arena, block.begin});
    if (next != inUse.end() && next->second->arena == block.arena &&
        next->second->begin < block.end)
      return clash(*next->second, block);
    if (next != inUse.begin())
      if (const Block &before = *std::prev(next)->second;
          before.arena == block.arena && before.end > block.begin)
        return clash(before, block);
    Place place{block.arena, block.begin};
    inUse.emplace(place, &block);
    ends.emplace(block.last, place);
  }
  return {};
}

} // namespace sheaf::rt
