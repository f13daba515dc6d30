// Decoded PTX: instructions whose operands are offsets, ready to be run for 32 lanes at once.
#ifndef SHEAF_TEST_STANDIN_PTX_INSTRUCTION_H
#define SHEAF_TEST_STANDIN_PTX_INSTRUCTION_H

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "test/standin/ptx/memory.h"
#include "test/standin/ptx/syntax.h"

namespace sheaf::standin::ptx {

constexpr unsigned warpSize = 32;
constexpr uint32_t allLanes = 0xffffffff;

struct Warp;
struct Code;
struct Instruction;

/// Runs an instruction for the lanes of `mask`, of which there is at least one.
using Handler = void (*)(Warp &warp, const Instruction &instruction, uint32_t mask);

/// Where an operand lies: 32 values of its width, lane after lane, or 32 bits for a predicate.
struct Slot {
  enum Base : uint8_t { Frame, Constants, Special };
  uint32_t offset = 0;
  Base base = Frame;
};

/// What an instruction does to the flow of a warp. The handler of a Plain or Meet runs in between.
enum class Flow : uint8_t {
  Plain,
  Meet, ///< waits for the lanes that operand `members` names
  Branch,
  BranchTable, ///< operands[0] chooses among `targets`
  Call,
  Return,
  Exit,
  Trap,
  Barrier
};

struct Instruction {
  Handler run = nullptr;
  Flow flow = Flow::Plain;
  bool isGuarded = false;
  bool isGuardNegated = false;
  bool isOfWarp = false; ///< what a lane's address says is read for all lanes
  Space space = Space::Generic;
  Access access = Access::Read;
  uint8_t elements = 1;     ///< of a vector access
  uint8_t elementBytes = 0; ///< in memory
  uint8_t mode = 0;         ///< what a handler makes of it
  uint32_t line = 0;
  uint32_t target = 0; ///< of a branch: index of an instruction
  Slot guard;
  Slot members;
  std::array<Slot, 14> operands; ///< the result, if any, comes first
  int64_t immediate = 0;
  const Code *callee = nullptr;
  std::shared_ptr<const std::vector<uint32_t>> table; ///< targets, or pairs of offsets of arguments
};

/// A variable in the parameter or local memory of a function.
struct Place {
  uint32_t offset = 0;
  uint32_t bytes = 0;
};

/// A decoded function.
struct Code {
  std::string name;
  bool isEntry = false;
  std::vector<Instruction> instructions;
  uint32_t frameBytes = 0;
  std::vector<std::byte> constants;
  uint32_t localBytes = 0;       ///< of one lane
  std::vector<Place> parameters; ///< of a kernel: in its parameter buffer; of a function: local
  std::vector<Place> results;
  uint32_t parameterBytes = 0; ///< of a kernel
  uint32_t maxThreads = 0;
  /// Bytes of the smallest accesses to shared and to global memory, its callees' included; powers of 2.
  uint32_t sharedGrain = 16, globalGrain = 16;
  std::vector<const Code *> callees;
  /// Local bytes of a lane, its callees' included; functions that call themselves are cut off.
  uint32_t stackBytes = 0;
};

} // namespace sheaf::standin::ptx

#endif
