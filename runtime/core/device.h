// What the executor asks of a device: memory, and instructions made ready to run.
#ifndef SHEAF_RUNTIME_CORE_DEVICE_H
#define SHEAF_RUNTIME_CORE_DEVICE_H

#include "runtime/core/executable.h"
#include "runtime/core/memory.h"
#include "runtime/core/params.h"
#include "runtime/core/place.h"
#include "runtime/core/runner.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::rt {

/// The layout that a device chose for a packed variable; empty until the instruction that packs it is bound. What
/// is in it is the device's affair.
struct PackedLayout {
  std::shared_ptr<void> value;
};

/// A buffer of an instruction that is being bound.
struct Operand : BufferInfo {
  PackedLayout *packed = nullptr; ///< set when it views a packed variable
  int64_t packedBytes = 0;        ///< the memory of that variable
};

/// A library call that is being bound.
struct CallSite {
  std::string_view name;     ///< of runtime/abi/calls.h
  std::string_view location; ///< the user's node
  std::vector<Operand> ins;
  std::vector<Operand> outs;
  Params params;
  int numThreads = 1; ///< that will work on it
  /// Of the run: the same program with another seed draws other random numbers. With one seed each run draws the
  /// same, whatever the layout: a program is a function of its inputs.
  uint64_t seed = 0;
  Place *place = nullptr; ///< this rank among all; outlives the step
  uint32_t stream = 0;    ///< that it will run in

  /// True when this in and this out are the same memory (the reader has refused partial overlap).
  bool isInPlace(size_t in, size_t out) const {
    return ins[in].storage == outs[out].storage && ins[in].index == outs[out].index &&
           !areDisjoint(ins[in].shape, ins[in].offset, outs[out].shape, outs[out].offset);
  }
};

/// A generated kernel that is being bound.
struct KernelSite {
  std::string name;
  size_t numBuffers = 0;
  uint32_t stream = 0; ///< that it will run in
  // Of the host's kernels.
  int64_t units = 0;
  int64_t grain = 1;
  int64_t unitBytes = 0;
  // Of device code.
  uint32_t grid = 0;
  uint32_t blockThreads = 0;
  uint32_t sharedBytes = 0;
};

/// Where programs run. Bound steps and runners must not outlive their device. One thread at a time.
class Device {
public:
  virtual ~Device() = default;

  /// A block; zeros where it is memory of the process. The space `device` is where programs compute; the process may
  /// always use that of `host`.
  virtual Result<Memory> allocate(abi::Space space, size_t bytes, MemoryAccount *account) = 0;

  /// Whether the space `device` is memory of the process, mapped files included.
  virtual bool isHostMemory() const = 0;
  /// Copies bytes of the process to the space `device`. Returns when that is done. No program runs meanwhile, but for
  /// the step that calls it.
  virtual Status upload(const std::byte *from, std::byte *to, size_t bytes) = 0;
  /// Copies bytes of the space `device` to the process. Returns when that is done. No program runs meanwhile.
  virtual Status download(const std::byte *from, std::byte *to, size_t bytes) = 0;
  /// Returns when all work that steps have put into streams is done. Errors: what went wrong there, as far as it
  /// belongs to no step.
  virtual Status drain() = 0;

  /// Makes the kernels of an executable callable by name; they are copied.
  virtual Status loadKernels(const abi::Executable &executable) = 0;

  virtual Result<std::unique_ptr<Step>> bindCall(CallSite &site) = 0;
  virtual Result<std::unique_ptr<Step>> bindKernel(const KernelSite &site) = 0;

  /// Threads that work on one step when a program has `numStreams` streams.
  virtual int numThreads(uint32_t numStreams) const = 0;
  /// Called in a thread before it binds or runs steps of a program of `numStreams` streams.
  virtual void enterStream(uint32_t numStreams) = 0;

  /// What runs `schedule`, whose steps and buffers must outlive the result.
  virtual Result<std::unique_ptr<Runner>> makeRunner(Schedule schedule) = 0;

  /// What reaches the other ranks with the memory of this device, made from `processes`, which reaches them with
  /// memory of the process. Both live as long as the device. Null: there are no others.
  virtual Communicator *connect(Communicator *processes) = 0;
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_DEVICE_H
