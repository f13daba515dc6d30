// The memory of an executable's variables.
#ifndef SHEAF_RUNTIME_CORE_VARIABLES_H
#define SHEAF_RUNTIME_CORE_VARIABLES_H

#include "runtime/core/box_copy.h"
#include "runtime/core/device_bytes.h"
#include "runtime/core/progress.h"
#include "runtime/core/weight_source.h"

namespace sheaf::rt {

/// A value of which instructions read copies, made while they run: where the whole is, and which of it a rank holds.
struct StagedValue {
  const std::byte *whole = nullptr;
  BoxCopy box;
};

/// The variables of one rank in memory of its device. Constants and file ranges that no program writes are used where
/// they are mapped when the device computes in memory of the process, they are aligned there and this rank's part is
/// one run of them; of all others the part is copied, once: when they stay, as they are loaded; when only "prepare"
/// reads them, while an instruction reads them. Of files and constants only the bytes of the part are touched. Programs
/// that train have all that a checkpoint holds in memory that can be written, frozen weights too: a checkpoint may be
/// put back into it.
class Variables {
public:
  /// `executable` and `device` must outlive the result, as must `account`, which is charged what abi/planned_memory.h
  /// says. `weights`, when given, stands in for the files that the executable names. Errors: it lacks some of what the
  /// executable reads from them (they are listed).
  static Result<Variables> load(const Executable &executable, int rank, Device &device,
                                MemoryAccount &account, const WeightSource *weights,
                                const ProgressListener &onProgress);

  /// The address of a variable on the device; null when it is staged.
  std::byte *data(uint32_t index) const { return loaded[index].data; }
  /// Copies a variable's first `count` bytes to memory of the process.
  Status copyTo(uint32_t index, int64_t count, std::byte *to) const {
    return device->download(data(index), to, static_cast<size_t>(count));
  }
  /// Calls `use(bytes)`, which returns a Status, with the first `count` bytes of a variable in memory of the process.
  template <typename Use> Status read(uint32_t index, int64_t count, const Use &use) const {
    return useBytes(*device, data(index), static_cast<size_t>(count), use);
  }
  /// Calls `fill(bytes)`, which returns a Status, with memory for a variable's first `count` bytes: what it does not
  /// write there stays, or becomes 0.
  template <typename Fill> Status write(uint32_t index, int64_t count, const Fill &fill) const {
    return fillBytes(*device, data(index), static_cast<size_t>(count), fill);
  }
  /// Null for a variable that has an address.
  const StagedValue *staged(uint32_t index) const { return loaded[index].staged.get(); }
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
    std::unique_ptr<StagedValue> staged;
    Memory memory; ///< when it counts: allocated, or of no more than an account
    std::shared_ptr<const void> origin; ///< what holds bytes that are read later
    int64_t mappedBytes = 0;
    std::unique_ptr<PackedLayout> packed;
    int64_t packedBytes = 0;
  };

  static Result<Loaded> loadOne(const VariableInfo &variable, WeightBytes origin,
                                const BoxCopy &box, bool isRestored, Device &device,
                                MemoryAccount &account);

  Device *device = nullptr;
  std::vector<Loaded> loaded;
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_VARIABLES_H
