// A program with memory, ready to run again and again.
#ifndef SHEAF_RUNTIME_CORE_BOUND_PROGRAM_H
#define SHEAF_RUNTIME_CORE_BOUND_PROGRAM_H

#include "runtime/core/bound_instructions.h"

namespace sheaf::rt {

/// A program whose instructions, or those of its parts, are bound. Parts run one after another, so they share arenas
/// and scratch; who issues them waits for the device once, at the end of the last. One run at a time.
class BoundProgram {
public:
  /// Everything given must outlive the result, but `lender`: another program whose arenas are used too where they are
  /// large enough, so that the two must not run at the same time.
  static Result<std::unique_ptr<BoundProgram>> bind(const ProgramInfo &program,
                                                    const BindContext &context,
                                                    const BoundProgram *lender = nullptr);

  /// Runs the program. `inputs` and `outputs` are in the order of the signature, each aligned to
  /// `memoryAlignment`. After a failure the outputs hold nothing of use; that a device finds at the end only keeps no
  /// part from running. What `observer` is told counts the instructions of all parts, each as often as it runs.
  Status run(std::span<const void *const> inputs, std::span<void *const> outputs,
             const RunObserver &observer = {});

  const ProgramInfo &info() const { return program; }
  /// Bytes of the arenas that it does not share, as the compiler predicted them.
  int64_t arenaBytes() const { return allocatedBytes; }
  /// Bytes that library calls asked for beyond the arenas.
  int64_t scratchBytes() const;

private:
  /// The instructions of the program or of a part, and which of the program's inputs and outputs they have.
  struct BoundPart {
    std::unique_ptr<BoundInstructions> instructions;
    std::vector<size_t> inputs, outputs;
  };
  /// Runs `parts[part]` that often.
  struct Repeat {
    size_t part;
    int64_t times;
  };
  BoundProgram(const ProgramInfo &program, Device &device) : program(program), device(device) {}

  Status allocateArenas(const BindContext &context, const BoundProgram *lender);
  Status bindParts(const BindContext &context);
  /// The place in `parts` of `part`, which is bound when it comes up first.
  Result<size_t> bindPart(const ProgramInfo &part, const BindContext &context);
  Status allocateScratch();
  Status runParts(const RunObserver &observer);
  Status runPart(BoundInstructions &instructions, const RunObserver &observer, size_t numBefore);
  Status finishParts();
  /// Says which part a failure belongs to, where the program has parts.
  Status annotate(Status status, const BoundPart &part, std::string_view which = "") const;

  const ProgramInfo &program;
  Device &device;
  std::vector<std::shared_ptr<Memory>> arenas; ///< per space
  int64_t allocatedBytes = 0;
  std::vector<Memory> scratch;  ///< per stream
  std::vector<BoundPart> parts; ///< behind what they use
  std::vector<Repeat> order;
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_BOUND_PROGRAM_H
