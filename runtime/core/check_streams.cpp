// Checks what streams and events promise: nobody waits for ever, and no two touch the same bytes at once.
#include "runtime/core/check_executable.h"

#include <algorithm>
#include <array>
#include <map>

namespace sheaf::rt {
namespace {

constexpr uint32_t maxStreams = 64;
constexpr uint32_t maxEvents = 1u << 24;
/// Of a program of several streams: bounds the work of checking it.
constexpr size_t maxInstructions = size_t(1) << 17;
constexpr size_t maxComparisons = size_t(1) << 27;

/// Which instructions surely ended before another starts: those of stream s with an index less than `before[s]`.
using Clock = std::array<size_t, maxStreams>;

/// Knows what of a program happens before what.
class HappensBefore {
public:
  explicit HappensBefore(const ProgramInfo &program) {
    std::vector<size_t> current(program.table->num_streams(), 0);
    std::vector<Clock> recorded(program.table->num_events());
    clocks.push_back({});
    for (size_t i = 0; i < program.numInstructions(); ++i) {
      const abi::Instruction &instruction = program.instruction(i);
      size_t &own = current[instruction.stream()];
      if (instruction.waits() && instruction.waits()->size() > 0) {
        Clock joined = clocks[own];
        for (uint32_t event : *instruction.waits())
          for (size_t stream = 0; stream < maxStreams; ++stream)
            joined[stream] = std::max(joined[stream], recorded[event][stream]);
        own = clocks.size();
        clocks.push_back(joined);
      }
      clockOf.push_back(own);
      if (instruction.records())
        for (uint32_t event : *instruction.records()) {
          recorded[event] = clocks[own];
          recorded[event][instruction.stream()] = i + 1;
        }
    }
  }

  /// For `first` before `second` in the list.
  bool areOrdered(size_t first, uint32_t firstStream, size_t second, uint32_t secondStream) const {
    return firstStream == secondStream || clocks[clockOf[second]][firstStream] > first;
  }

private:
  std::vector<Clock> clocks;
  std::vector<size_t> clockOf; ///< of each instruction
};

/// An instruction that touches bytes.
struct Access {
  ByteExtent bytes;
  size_t instruction;
  uint32_t stream;
  const BufferInfo *buffer;
  bool isWrite;
};

/// The accesses to each memory that some instruction writes.
using AccessMap = std::map<std::pair<abi::Storage, uint32_t>, std::vector<Access>>;

AccessMap findAccesses(const ProgramInfo &program) {
  AccessMap accesses;
  for (size_t i = 0; i < program.numInstructions(); ++i) {
    const abi::Instruction &instruction = program.instruction(i);
    auto add = [&](const flatbuffers::Vector<uint32_t> *list, bool isWrite) {
      for (size_t k = 0; list && k < list->size(); ++k) {
        const BufferInfo &buffer = program.buffers[list->Get(static_cast<uint32_t>(k))];
        ByteExtent extent = byteExtent(buffer.shape).value_or(ByteExtent());
        if (buffer.storage != abi::Storage::input && !extent.isEmpty())
          accesses[{buffer.storage, buffer.index}].push_back(
              {{buffer.offset + extent.begin, buffer.offset + extent.end},
               i,
               instruction.stream(),
               &buffer,
               isWrite});
      }
    };
    add(instruction.ins(), false);
    add(instruction.outs(), true);
  }
  return accesses;
}

} // namespace

Status checkOrder(const ProgramInfo &program) {
  const abi::Program &table = *program.table;
  if (table.num_streams() < 1 || table.num_streams() > maxStreams)
    return Status::invalid("it has ", table.num_streams(), " streams; 1 to ", maxStreams,
                           " are possible");
  if (table.num_events() > maxEvents)
    return Status::invalid("it has ", table.num_events(), " events");
  std::vector<bool> isRecorded(table.num_events(), false);
  for (size_t i = 0; i < program.numInstructions(); ++i) {
    const abi::Instruction &instruction = program.instruction(i);
    if (instruction.stream() >= table.num_streams())
      return Status::invalid("instruction ", i, " is on stream ", instruction.stream(), " of ",
                             table.num_streams());
    if (instruction.waits())
      for (uint32_t event : *instruction.waits())
        if (event >= isRecorded.size() || !isRecorded[event])
          return Status::invalid("instruction ", i, " waits for event ", event,
                                 ", which nothing before it records");
    if (instruction.records())
      for (uint32_t event : *instruction.records()) {
        if (event >= isRecorded.size() || isRecorded[event])
          return Status::invalid("instruction ", i, " records event ", event,
                                 ", which does not exist or has been recorded before");
        isRecorded[event] = true;
      }
  }
  return {};
}

Status checkRaces(const ProgramInfo &program) {
  if (program.table->num_streams() == 1)
    return {};
  if (program.numInstructions() > maxInstructions || program.table->num_events() > maxInstructions)
    return Status::invalid("it has ", program.numInstructions(), " instructions and ",
                           program.table->num_events(), " events; with several streams at most ",
                           maxInstructions, " are possible");
  HappensBefore order(program);
  size_t numComparisons = 0;
  for (auto &[home, accesses] : findAccesses(program)) {
    // By their first byte: those that can overlap are neighbours.
    std::sort(accesses.begin(), accesses.end(), [](const Access &a, const Access &b) {
      return std::pair(a.bytes.begin, a.instruction) < std::pair(b.bytes.begin, b.instruction);
    });
    for (auto a = accesses.begin(); a != accesses.end(); ++a)
      for (auto b = a + 1; b != accesses.end() && b->bytes.begin < a->bytes.end; ++b) {
        if (++numComparisons > maxComparisons)
          return Status::invalid("too many instructions of its streams share memory");
        const auto &[first, second] =
            a->instruction < b->instruction ? std::tie(*a, *b) : std::tie(*b, *a);
        if ((first.isWrite || second.isWrite) &&
            !order.areOrdered(first.instruction, first.stream, second.instruction, second.stream) &&
            !areDisjoint(first.buffer->shape, first.buffer->offset, second.buffer->shape,
                         second.buffer->offset))
          return Status::invalid("instructions ", first.instruction, " on stream ", first.stream,
                                 " and ", second.instruction, " on stream ", second.stream,
                                 " touch the same bytes, and no event puts them in order");
      }
  }
  return {};
}

} // namespace sheaf::rt
