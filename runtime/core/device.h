// What the executor asks of a device: memory, and instructions made ready to run.
#ifndef SHEAF_RUNTIME_CORE_DEVICE_H
#define SHEAF_RUNTIME_CORE_DEVICE_H

#include "runtime/core/executable.h"
#include "runtime/core/memory.h"
#include "runtime/core/params.h"
#include "runtime/core/place.h"

#include <memory>
#include <span>

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
  int64_t units;
  int64_t grain;
  int64_t unitBytes;
};

/// An instruction made ready: all that does not change between runs has been done.
class Step {
public:
  virtual ~Step() = default;

  /// Does the work. `buffers` are the ins, then the outs; `scratch` has `scratchBytes()` bytes that nobody else
  /// uses meanwhile. Allocates nothing (but see
  /// staged_step.h).
  virtual Status run(void *const *buffers, std::byte *scratch) = 0;

  virtual size_t scratchBytes() const { return 0; }
};

/// Where programs run. Bound steps must not outlive their device.
class Device {
public:
  virtual ~Device() = default;

  virtual Result<Memory> allocate(abi::Space space, size_t bytes, MemoryAccount *account) = 0;

  /// Makes the kernels of an executable callable by name; `image` is copied.
  virtual Status loadKernels(std::span<const std::byte> image) = 0;

  virtual Result<std::unique_ptr<Step>> bindCall(CallSite &site) = 0;
  virtual Result<std::unique_ptr<Step>> bindKernel(const KernelSite &site) = 0;

  /// Threads that work on one step when a program has `numStreams` streams.
  virtual int numThreads(uint32_t numStreams) const = 0;
  /// Called in a thread before it runs steps of a program of `numStreams` streams.
  virtual void enterStream(uint32_t numStreams) = 0;
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_DEVICE_H
