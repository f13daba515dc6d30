// The memory of an executable's variables.
#ifndef SHEAF_RUNTIME_CORE_VARIABLES_H
#define SHEAF_RUNTIME_CORE_VARIABLES_H

#include "runtime/core/device.h"
#include "runtime/core/progress.h"
#include "runtime/core/weight_source.h"

namespace sheaf::rt {

/// Variables in memory. Constants and file ranges that no program writes are used where they are mapped when they
/// are aligned there; all others are copied once: those that stay when they are loaded, those that only "prepare"
/// reads while an instruction reads them.
class Variables {
public:
  /// `executable` must outlive the result, as must `account`, which is charged what abi/planned_memory.h says.
  /// `weights`, when given, stands in for the files that the executable names. Errors: it lacks some of what the
  /// executable reads from them (they are listed).
  static Result<Variables> load(const Executable &executable, Device &device,
                                MemoryAccount &account, const WeightSource *weights,
                                const ProgressListener &onProgress);

  /// The address of a variable; null when it is staged.
  std::byte *data(uint32_t index) const { return loaded[index].data; }
  /// The bytes, not aligned, of which instructions read copies; empty for a variable that has an address.
  std::span<const std::byte> staged(uint32_t index) const { return loaded[index].staged; }
  PackedLayout *packedLayout(uint32_t index) const { return loaded[index].packed.get(); }
  /// Bytes of a packed variable; 0 for others.
  int64_t packedBytes(uint32_t index) const { return loaded[index].packedBytes; }

  /// Gives back what only the program "prepare" uses.
  void freePrepareOnly(const Executable &executable);

  /// Bytes used in place in mapped files.
  int64_t mappedBytes() const;

private:
  struct Loaded {
    std::byte *data = nullptr;
    std::span<const std::byte> staged;
    Memory memory;                    ///< when it counts: allocated, or of no more than an account
    std::shared_ptr<MappedFile> file; ///< when it is read from one later
    int64_t mappedBytes = 0;
    std::unique_ptr<PackedLayout> packed;
    int64_t packedBytes = 0;
  };

  static Result<Loaded> loadOne(const VariableInfo &variable, WeightBytes origin, Device &device,
                                MemoryAccount &account);

  std::vector<Loaded> loaded;
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_VARIABLES_H
