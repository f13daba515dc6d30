// A program with memory, ready to run again and again.
#ifndef SHEAF_RUNTIME_CORE_BOUND_PROGRAM_H
#define SHEAF_RUNTIME_CORE_BOUND_PROGRAM_H

#include "runtime/core/device.h"
#include "runtime/core/variables.h"

#include <memory>
#include <span>
#include <vector>

namespace sheaf::rt {

/// A program whose instructions are bound and whose buffers have addresses. One run at a time.
class BoundProgram {
public:
  /// Everything given must outlive the result, but `lender`: another program whose arenas are used too where they are
  /// large enough, so that the two must not run at the same time. `account` is charged what abi/planned_memory.h
  /// counts.
  static Result<std::unique_ptr<BoundProgram>> bind(const ProgramInfo &program, Device &device,
                                                    const Variables &variables, Place &place,
                                                    MemoryAccount &account, uint64_t seed,
                                                    const BoundProgram *lender = nullptr);

  /// Runs the program. `inputs` and `outputs` are in the order of the signature, each aligned to
  /// `memoryAlignment`. After a failure the outputs hold nothing of use.
  Status run(std::span<const void *const> inputs, std::span<void *const> outputs,
             const RunObserver &observer = {});

  const ProgramInfo &info() const { return program; }
  /// Bytes of the arenas that it does not share, as the compiler predicted them.
  int64_t arenaBytes() const { return allocatedBytes; }
  /// Bytes that library calls asked for beyond the arenas.
  int64_t scratchBytes() const;

private:
  /// An address to fill in when the caller's memory changes.
  struct Patch {
    uint32_t slot;
    uint32_t index;
    int64_t offset;
  };
  BoundProgram(const ProgramInfo &program, Device &device) : program(program), device(device) {}

  Status allocateArenas(MemoryAccount &account, const BoundProgram *lender);
  Status allocateScratch();
  Status bindInstruction(size_t index, const Variables &variables, Place &place,
                         MemoryAccount &account, uint64_t seed);
  void addBuffer(uint32_t buffer, const Variables &variables);
  Status makeRunner();
  Status setAddresses(std::span<const void *const> inputs, std::span<void *const> outputs);
  void setAddress(const Patch &patch, const std::byte *base);

  const ProgramInfo &program;
  Device &device;
  std::vector<std::shared_ptr<Memory>> arenas; ///< per space
  int64_t allocatedBytes = 0;
  std::vector<Memory> scratch; ///< per stream
  std::vector<void *> addresses;
  std::vector<Patch> inputPatches;
  std::vector<Patch> outputPatches;
  bool haveMoved = false; ///< addresses, since the last run
  std::vector<std::unique_ptr<Step>> steps;
  std::unique_ptr<Runner> runner; ///< last: it uses all of the above
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_BOUND_PROGRAM_H
