// A GPU as a device.
#ifndef SHEAF_RUNTIME_CUDA_CUDA_DEVICE_H
#define SHEAF_RUNTIME_CUDA_CUDA_DEVICE_H

#include "runtime/core/device.h"
#include "runtime/cuda/device_communicator.h"
#include "runtime/cuda/kernels/parameters.h"
#include "runtime/cuda/library_attention.h"
#include "runtime/cuda/library_convolution.h"
#include "runtime/cuda/lt_matmul.h"
#include "runtime/cuda/module.h"
#include "runtime/cuda/run_queue.h"

#include <map>
#include <optional>

namespace sheaf::rt::cuda {

/// Runs calls of runtime/cuda/calls and generated kernels on one GPU, in streams that the programs of a rank share.
/// Runs are put into them one behind the other, and the host waits when it drains the device.
class CudaDevice final : public Device {
public:
  static Result<std::unique_ptr<CudaDevice>> open(int ordinal);
  ~CudaDevice() override;

  Result<Memory> allocate(abi::Space space, size_t bytes, MemoryAccount *account) override;
  bool isHostMemory() const override { return false; }
  Status upload(const std::byte *from, std::byte *to, size_t bytes) override;
  Status download(const std::byte *from, std::byte *to, size_t bytes) override;
  Status drain() override;
  Status loadKernels(const abi::Executable &executable) override;
  Result<std::unique_ptr<Step>> bindCall(CallSite &site) override;
  Result<std::unique_ptr<Step>> bindKernel(const KernelSite &site) override;
  int numThreads(uint32_t) const override { return 1; }
  void enterStream(uint32_t numStreams) override;
  Result<std::unique_ptr<Runner>> makeRunner(Schedule schedule) override;
  Communicator *connect(Communicator *processes) override;

  /// The runs in its streams.
  RunQueue &runs() { return queue; }
  /// Returns when `runs` has room for another. Errors: those of `drain`.
  Status makeRoom();
  /// Whether all ranks say so; all call it at the same place of a program.
  Result<bool> doAllRanks(std::string_view occasion, bool own);

  /// The stream of that number, made when it is asked for first.
  Result<cudaStream_t> stream(uint32_t index);
  /// The kernel `name` of the file `file` of runtime/cuda/kernels.
  Result<cudaKernel_t> embeddedKernel(const std::string &file, const std::string &name);
  /// cuBLASLt for this GPU, loaded when it is asked for first.
  Result<LtMatmuls *> matmuls();
  /// cuDNN for a stream, loaded when it is asked for first. Null when it can't be, of which standard error tells once.
  LibraryConvolutions *convolutions(cudaStream_t queue);
  /// The same for attention, without a word: kernels of our own do it too.
  LibraryAttentions *attentions(cudaStream_t queue);

  /// Where a step notes what is wrong with its indices; lives as long as the device.
  Result<IndexFault *> makeFault();

  int numMultiprocessors() const { return multiprocessors; }
  /// 90 for compute capability 9.0.
  int capability() const { return chip; }

  /// Whether steps are being recorded, not run.
  bool isCapturing = false;

private:
  CudaDevice() = default;

  Status awaitStreams();
  Result<Progress> lookForRuns();

  int ordinal = 0;
  int chip = 0;
  int multiprocessors = 1;
  std::vector<cudaStream_t> streams;
  RunQueue queue;
  cudaStream_t copies = nullptr; ///< of uploads and downloads
  std::optional<Module> kernels; ///< of the executable
  std::map<std::string, Module> embedded;
  std::unique_ptr<LtMatmuls> lt;
  std::map<cudaStream_t, std::unique_ptr<LibraryConvolutions>> convolutionsOf;
  std::map<cudaStream_t, std::unique_ptr<LibraryAttentions>> attentionsOf;
  std::unique_ptr<DeviceCommunicator> communicator; ///< null: there are no other ranks
  std::vector<Memory> faults;                       ///< blocks of several
  size_t numFaults = 0;
};

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_CUDA_DEVICE_H
