// The memory of an executable's variables.
#ifndef SHEAF_RUNTIME_CORE_VARIABLES_H
#define SHEAF_RUNTIME_CORE_VARIABLES_H

#include "runtime/core/device.h"

#include <map>

namespace sheaf::rt {

/// Variables in memory. Constants and file ranges that no program writes are used where they are mapped when they
/// are aligned there; all others are copied once.
class Variables {
public:
  /// `executable` must outlive the result, as must `account`.
  static Result<Variables> load(const Executable &executable, Device &device,
                                MemoryAccount &account);

  std::byte *data(uint32_t index) const { return loaded[index].data; }
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
    Memory memory;                    ///< when it was allocated
    std::shared_ptr<MappedFile> file; ///< when it is used in place
    int64_t mappedBytes = 0;
    std::unique_ptr<PackedLayout> packed;
    int64_t packedBytes = 0;
  };
  using Files = std::map<std::filesystem::path, std::shared_ptr<MappedFile>>;

  static Result<Loaded> loadOne(const Executable &executable, const VariableInfo &variable,
                                Device &device, MemoryAccount &account, Files &files);

  std::vector<Loaded> loaded;
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_VARIABLES_H
