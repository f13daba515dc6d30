// A list of instructions with memory, ready to run again and again.
#ifndef SHEAF_RUNTIME_CORE_BOUND_INSTRUCTIONS_H
#define SHEAF_RUNTIME_CORE_BOUND_INSTRUCTIONS_H

#include "runtime/core/device.h"
#include "runtime/core/variables.h"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace sheaf::rt {

/// What programs are bound in. All of it outlives them.
struct BindContext {
  Device &device;
  const Variables &variables;
  Place &place;
  MemoryAccount &account; ///< charged what abi/planned_memory.h counts
  uint64_t seed;          ///< see CallSite::seed
};

/// The memory that each space's arena begins with; null where a space has none.
using ArenaBases = std::array<std::byte *, 2>;

/// Instructions that are bound, and whose buffers have addresses.
class BoundInstructions {
public:
  /// Everything given, and what `arenas` point to, must outlive the result.
  static Result<std::unique_ptr<BoundInstructions>>
  bind(const ProgramInfo &program, const BindContext &context, const ArenaBases &arenas);

  /// Bytes that library calls need beyond the arenas, per stream.
  std::vector<size_t> scratchBytes() const;
  /// Makes ready to run with that much `scratch` or more, which must outlive this. Called once.
  Status finish(std::span<const Memory> scratch);

  /// Where inputs and outputs are from now on, in the order of the signature, each aligned to `memoryAlignment`.
  void setAddresses(std::span<const void *const> inputs, std::span<void *const> outputs);

  /// Runs them, as Runner::run has it. Errors name the instruction and the user's node.
  Status run(const RunObserver &observer);
  /// Called when the device is drained: what went wrong in the runs since the last call. Errors as those of `run`.
  Status finishRuns();

  const ProgramInfo &info() const { return program; }

private:
  /// An address to fill in when the caller's memory changes.
  struct Patch {
    uint32_t slot;
    uint32_t index;
    int64_t offset;
  };
  BoundInstructions(const ProgramInfo &program, Device &device, const ArenaBases &arenas)
      : program(program), device(device), arenas(arenas) {}

  Status bindInstruction(size_t index, const BindContext &context);
  Status describe(RunEnd end) const;
  void addBuffer(uint32_t buffer, const Variables &variables);
  void setAddress(const Patch &patch, const std::byte *base);

  const ProgramInfo &program;
  Device &device;
  ArenaBases arenas;
  std::vector<void *> addresses;
  std::vector<Patch> inputPatches;
  std::vector<Patch> outputPatches;
  bool haveMoved = false; ///< addresses, since the last run
  std::vector<std::unique_ptr<Step>> steps;
  std::unique_ptr<Runner> runner; ///< last: it uses all of the above
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_BOUND_INSTRUCTIONS_H
