// The memory of a program's inputs or outputs, on the device and for the process.
#ifndef SHEAF_RUNTIME_LAUNCH_SIGNATURE_MEMORY_H
#define SHEAF_RUNTIME_LAUNCH_SIGNATURE_MEMORY_H

#include "runtime/core/device.h"

namespace sheaf::rt::launch {

/// A block per input, or per output, that the process reads and writes, and the same on the device: one block where
/// the device computes in memory of the process, two that are copied on demand elsewhere.
class SignatureMemory {
public:
  /// Zeros. `device` and `account`, which is charged what the program uses, must outlive the result. `role` is "input"
  /// or "output", for messages.
  static Result<SignatureMemory> allocate(const std::vector<SignatureInfo> &signatures,
                                          const char *role, Device &device, MemoryAccount *account);

  /// None: for programs without inputs.
  SignatureMemory() = default;

  /// Of the process.
  std::vector<Memory> &values() { return blocks; }
  const std::vector<Memory> &values() const { return blocks; }

  /// What the program gets.
  std::span<void *const> addresses() const { return pointers; }
  std::span<const void *const> constAddresses() const { return {pointers.data(), pointers.size()}; }

  /// Copies the values to where the program reads them.
  Status upload() const;
  /// Copies what the program wrote to the values.
  Status download() const;

private:
  Device *device = nullptr;
  std::vector<Memory> blocks;
  std::vector<Memory> onDevice; ///< empty where the blocks are the device's
  std::vector<void *> pointers;
  std::vector<size_t> bytes; ///< of each value: blocks have room for more
};

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_SIGNATURE_MEMORY_H
