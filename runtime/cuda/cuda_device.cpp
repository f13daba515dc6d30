// Implements a GPU as a device: memory, streams, device code.
#include "runtime/cuda/cuda_device.h"

#include "runtime/cuda/collective_memory.h"
#include "runtime/cuda/device_blocks.h"
#include "runtime/cuda/embedded_image.h"
#include "runtime/cuda/kernel_step.h"
#include "runtime/cuda/nccl_communicator.h"
#include "runtime/cuda/registry.h"
#include "runtime/cuda/stream_runner.h"

#include <cstdio>
#include <cstring>
#include <mutex>

namespace sheaf::rt::cuda {
namespace {

Result<cudaStream_t> makeStream() {
  cudaStream_t stream = nullptr;
  cudaError_t error = cudart().cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (Status status = statusOf(error, "cudaStreamCreateWithFlags"); !status.isOk())
    return status;
  return stream;
}

Result<int> attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  cudaError_t error = cudart().cudaDeviceGetAttribute(&value, which, ordinal);
  if (Status status = statusOf(error, "cudaDeviceGetAttribute"); !status.isOk())
    return status;
  return value;
}

std::span<const std::byte> bytesOf(const abi::DeviceCode &code) {
  const auto *bytes = code.image()->bytes();
  return {reinterpret_cast<const std::byte *>(bytes->data()), bytes->size()};
}

/// Whether `chip` can run `code`.
bool isFor(const abi::DeviceCode &code, uint32_t chip) {
  return code.chip() <= chip && (code.is_ptx() || code.chip() / 10 == chip / 10);
}

/// The best image for `chip`: a cubin before PTX, and of those the latest. Null when there is none.
const abi::DeviceCode *chooseImage(const abi::Executable &executable, uint32_t chip) {
  const abi::DeviceCode *best = nullptr;
  for (const abi::DeviceCode *code : *executable.device_code()) {
    if (!isFor(*code, chip))
      continue;
    bool isBetter = !best || (best->is_ptx() && !code->is_ptx()) ||
                    (best->is_ptx() == code->is_ptx() && best->chip() < code->chip());
    if (isBetter)
      best = code;
  }
  return best;
}

} // namespace

Result<std::unique_ptr<CudaDevice>> CudaDevice::open(int ordinal) {
  std::unique_ptr<CudaDevice> device(new CudaDevice());
  device->ordinal = ordinal;
  if (Status status = statusOf(cudart().cudaSetDevice(ordinal), "cudaSetDevice"); !status.isOk())
    return status;
  Result<int> major = attribute(cudaDevAttrComputeCapabilityMajor, ordinal),
              minor = attribute(cudaDevAttrComputeCapabilityMinor, ordinal),
              multiprocessors = attribute(cudaDevAttrMultiProcessorCount, ordinal);
  for (Result<int> *result : {&major, &minor, &multiprocessors})
    if (!result->isOk())
      return result->takeStatus();
  device->chip = 10 * *major + *minor;
  device->multiprocessors = *multiprocessors;
  Result<cudaStream_t> copies = makeStream();
  if (!copies.isOk())
    return copies.takeStatus();
  device->copies = *copies;
  return device;
}

CudaDevice::~CudaDevice() {
  convolutionsOf.clear(); // Before the streams that they use.
  attentionsOf.clear();
  for (cudaStream_t stream : streams)
    cudart().cudaStreamDestroy(stream);
  if (copies)
    cudart().cudaStreamDestroy(copies);
}

Result<Memory> CudaDevice::allocate(abi::Space space, size_t bytes, MemoryAccount *account) {
  auto count = static_cast<size_t>(abi::blockBytes(static_cast<int64_t>(bytes)));
  void *data = nullptr;
  if (space == abi::Space::device) {
    // Alone nobody reaches it.
    void *shared = communicator ? CollectiveMemory::allocate(count) : nullptr;
    if (!shared)
      if (Status status = statusOf(cudart().cudaMalloc(&data, count), "cudaMalloc"); !status.isOk())
        return std::move(status).annotated("a block of ", bytes, " bytes");
    DeviceBlocks::get().add({shared ? shared : data, count});
    auto release = [](void *data, size_t) {
      DeviceBlocks::get().remove(data);
      cudart().cudaFree(data);
    };
    auto releaseShared = [](void *data, size_t) {
      DeviceBlocks::get().remove(data);
      CollectiveMemory::free(data);
    };
    return shared ? Memory(shared, count, releaseShared, account)
                  : Memory(data, count, release, account);
  }
  if (space != abi::Space::host)
    return Status::invalid("a GPU has no memory space ", abi::EnumNameSpace(space));
  if (Status status = statusOf(cudart().cudaMallocHost(&data, count), "cudaMallocHost");
      !status.isOk())
    return std::move(status).annotated("a pinned block of ", bytes, " bytes");
  std::memset(data, 0, count);
  return Memory(data, count, [](void *data, size_t) { cudart().cudaFreeHost(data); }, account);
}

Status CudaDevice::upload(const std::byte *from, std::byte *to, size_t bytes) {
  if (bytes == 0)
    return {};
  cudaError_t error = cudart().cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, copies);
  if (Status status = statusOf(error, "cudaMemcpyAsync"); !status.isOk())
    return status;
  return statusOf(cudart().cudaStreamSynchronize(copies), "cudaStreamSynchronize");
}

Status CudaDevice::download(const std::byte *from, std::byte *to, size_t bytes) {
  if (bytes == 0)
    return {};
  cudaError_t error = cudart().cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, copies);
  if (Status status = statusOf(error, "cudaMemcpyAsync"); !status.isOk())
    return status;
  return statusOf(cudart().cudaStreamSynchronize(copies), "cudaStreamSynchronize");
}

/// Those that end while others go on.
Result<Progress> CudaDevice::lookForRuns() {
  Result<bool> hasEnded = queue.advance();
  if (!hasEnded.isOk())
    return hasEnded.takeStatus();
  return *hasEnded ? Progress::some : Progress::none;
}

Status CudaDevice::awaitStreams() {
  if (!communicator) {
    for (cudaStream_t stream : streams)
      if (Status status = statusOf(cudart().cudaStreamSynchronize(stream), "cudaStreamSynchronize");
          !status.isOk())
        return status;
    return {};
  }
  size_t numEmpty = 0;
  return communicator->await([&]() -> Result<Progress> {
    for (; numEmpty < streams.size(); ++numEmpty) {
      cudaError_t state = cudart().cudaStreamQuery(streams[numEmpty]);
      if (state == cudaErrorNotReady)
        break;
      if (Status status = statusOf(state, "cudaStreamQuery"); !status.isOk())
        return status;
    }
    if (numEmpty == streams.size())
      return Progress::done;
    cudart().cudaGetLastError(); // "Not ready" is no failure that a later call should report.
    return lookForRuns();
  });
}

Status CudaDevice::drain() {
  if (Status status = awaitStreams(); !status.isOk())
    return status;
  queue.clear();
  if (communicator)
    communicator->rest();
  return {};
}

Status CudaDevice::makeRoom() {
  if (!queue.isFull())
    return {};
  if (!communicator)
    return queue.awaitOldest();
  return communicator->await([this] {
    Result<Progress> progress = lookForRuns();
    return progress.isOk() && *progress == Progress::some ? Progress::done : std::move(progress);
  });
}

Result<bool> CudaDevice::doAllRanks(std::string_view occasion, bool own) {
  return communicator ? communicator->doAll(occasion, own) : own;
}

Status CudaDevice::loadKernels(const abi::Executable &executable) {
  if (!executable.device_code() || executable.device_code()->size() == 0)
    return {};
  const abi::DeviceCode *code = chooseImage(executable, static_cast<uint32_t>(chip));
  if (!code) {
    std::string chips;
    for (const abi::DeviceCode *image : *executable.device_code())
      chips += (chips.empty() ? "sm_" : ", sm_") + std::to_string(image->chip());
    return Status::invalid("this GPU is sm_", chip, " but the executable has code for ", chips,
                           "; compile it again for this GPU");
  }
  Result<Module> module = Module::load(bytesOf(*code));
  if (!module.isOk())
    return module.takeStatus();
  kernels = std::move(*module);
  return {};
}

Result<std::unique_ptr<Step>> CudaDevice::bindCall(CallSite &site) {
  Result<cudaStream_t> own = stream(site.stream);
  if (!own.isOk())
    return own.takeStatus();
  CudaCallSite cudaSite{std::move(site), *this, *own};
  return calls().bind(cudaSite);
}

Result<std::unique_ptr<Step>> CudaDevice::bindKernel(const KernelSite &site) {
  if (!kernels)
    return Status::invalid("the executable has no device code");
  Result<cudaStream_t> own = stream(site.stream);
  if (!own.isOk())
    return own.takeStatus();
  Result<cudaKernel_t> kernel = kernels->find(site.name);
  if (!kernel.isOk())
    return kernel.takeStatus();
  return makeKernelStep(*kernel, site, *own);
}

void CudaDevice::enterStream(uint32_t) { cudart().cudaSetDevice(ordinal); }

Result<std::unique_ptr<Runner>> CudaDevice::makeRunner(Schedule schedule) {
  return StreamRunner::create(*this, std::move(schedule));
}

Communicator *CudaDevice::connect(Communicator *processes) {
  communicator = processes ? makeNcclCommunicator(*this, *processes) : nullptr;
  return communicator.get();
}

Result<cudaStream_t> CudaDevice::stream(uint32_t index) {
  while (streams.size() <= index) {
    Result<cudaStream_t> made = makeStream();
    if (!made.isOk())
      return made.takeStatus();
    streams.push_back(*made);
  }
  return streams[index];
}

Result<cudaKernel_t> CudaDevice::embeddedKernel(const std::string &file, const std::string &name) {
  auto found = embedded.find(file);
  if (found == embedded.end()) {
    Result<Module> module = Module::load(EmbeddedImage::find(file));
    if (!module.isOk())
      return module.takeStatus().annotated("kernels/", file, ".cu");
    found = embedded.emplace(file, std::move(*module)).first;
  }
  return found->second.find(name);
}

Result<IndexFault *> CudaDevice::makeFault() {
  constexpr size_t faultsPerBlock = 128; // Pinning memory takes long.
  size_t place = numFaults % faultsPerBlock;
  if (place == 0) {
    Result<Memory> block =
        allocate(abi::Space::host, faultsPerBlock * sizeof(IndexFault), /*account=*/nullptr);
    if (!block.isOk())
      return block.takeStatus();
    faults.push_back(std::move(*block));
  }
  ++numFaults;
  return reinterpret_cast<IndexFault *>(faults.back().data()) + place;
}

Result<LtMatmuls *> CudaDevice::matmuls() {
  if (!lt) {
    Result<std::unique_ptr<LtMatmuls>> made = LtMatmuls::create();
    if (!made.isOk())
      return made.takeStatus();
    lt = std::move(*made);
  }
  return lt.get();
}

LibraryConvolutions *CudaDevice::convolutions(cudaStream_t queue) {
  auto [entry, isNew] = convolutionsOf.try_emplace(queue);
  if (!isNew)
    return entry->second.get();
  Result<std::unique_ptr<LibraryConvolutions>> made = LibraryConvolutions::create(queue);
  if (made.isOk()) {
    entry->second = std::move(*made);
  } else {
    static std::once_flag isTold; // Ranks that are threads come at the same time.
    std::call_once(isTold, [&] {
      std::string reason(made.takeStatus().text());
      std::fprintf(stderr, "warning: convolutions run in plain kernels, which are slow: %s\n",
                   reason.c_str());
    });
  }
  return entry->second.get();
}

LibraryAttentions *CudaDevice::attentions(cudaStream_t queue) {
  auto [entry, isNew] = attentionsOf.try_emplace(queue);
  if (isNew)
    if (Result<std::unique_ptr<LibraryAttentions>> made = LibraryAttentions::create(queue);
        made.isOk())
      entry->second = std::move(*made);
  return entry->second.get();
}

} // namespace sheaf::rt::cuda
