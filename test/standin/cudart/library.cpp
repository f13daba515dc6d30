// libcudart: libraries of kernels, and launches.
#include <cstring>
#include <memory>

#include "test/standin/cudart/fault.h"
#include "test/standin/cudart/state.h"
#include "test/standin/device/shadow.h"
#include "test/standin/ptx/launch.h"
#include "test/standin/ptx/module.h"

namespace sheaf::standin::cudart {

namespace {

struct Library;

struct KernelHandle {
  Library *library;
  std::string name;
  uint32_t maxDynamicShared = 48 * 1024;
};

/// A PTX text, loaded once per device that uses it.
struct Library {
  std::string text;
  std::mutex mutex;
  std::map<int, std::shared_ptr<ptx::Module>> modules;
  std::map<std::string, std::unique_ptr<KernelHandle>> kernels;

  /// Loads the text for a device; returns what is wrong with it, or nothing.
  std::string loadFor(int device) {
    std::lock_guard lock(mutex);
    std::string error;
    moduleFor(device, error);
    return error;
  }

  struct LoadedKernel {
    std::shared_ptr<ptx::Module> module;
    const ptx::Kernel *kernel = nullptr;
    std::string error; ///< of a kernel that is there, but wrong
  };
  LoadedKernel kernelFor(int device, const std::string &name) {
    std::lock_guard lock(mutex);
    LoadedKernel loaded;
    loaded.module = moduleFor(device, loaded.error);
    if (loaded.module)
      loaded.kernel = loaded.module->kernel(name, loaded.error);
    return loaded;
  }

private:
  std::shared_ptr<ptx::Module> moduleFor(int device, std::string &error) {
    std::shared_ptr<ptx::Module> &module = modules[device];
    if (!module)
      module = ptx::Module::load(
          text,
          [device](const std::string &, uint64_t bytes, uint64_t) {
            auto allocation = Engine::get().addresses().allocate(device, bytes);
            std::memset(allocation->host, 0, bytes);
            allocation->shadow->write(allocation->begin, allocation->end(), {0, 1}, {});
            return ptx::GlobalMemory{allocation->begin, allocation->host};
          },
          error);
    return module;
  }
};

/// Global memory as a kernel sees it; each access is noted.
class DeviceMemory : public ptx::Memory {
public:
  explicit DeviceMemory(Execution &execution) : execution(execution) {}

  ptx::Region find(uint64_t address) override {
    auto allocation = Engine::get().addresses().find(address);
    if (!allocation)
      return {};
    if (allocation->isFreed) {
      freed = allocation->describe(address);
      return {};
    }
    return {allocation->begin, allocation->end(), allocation->host};
  }

  const char *touch(uint64_t address, uint64_t bytes, ptx::Access access) override {
    if (access != ptx::Access::Write)
      execution.log().read(address, bytes);
    if (access != ptx::Access::Read)
      execution.log().write(address, bytes);
    return nullptr;
  }

  std::string freed; ///< what an access to freed memory met

private:
  Execution &execution;
};

/// A launch with a copy of its parameters.
struct BoundLaunch {
  std::shared_ptr<ptx::Module> module;
  ptx::Launch launch;
  std::vector<std::byte> parameters;
  mutable uint64_t numRuns = 0; ///< of a graph, which runs it again and again

  void run(Execution &execution) const {
    DeviceMemory memory(execution);
    ptx::Launch bound = launch;
    bound.parameters = parameters;
    const uint64_t seed = Engine::get().seed();
    bound.seed = seed ? Engine::get().draw() | 1 : 0;
    bound.findsRaces = numRuns++ % 16 == 0;
    ptx::LaunchResult result = ptx::run(bound, memory);
    if (result.trap)
      throw OperationError("ends in " + result.trap->text() +
                           (memory.freed.empty() ? "" : " (" + memory.freed + " was freed)"));
  }
};

cudaError_t launchKernel(KernelHandle *handle, dim3 grid, dim3 block, void **arguments,
                         size_t sharedBytes, Stream *stream) {
  if (!handle || !stream)
    return stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
  auto bound = std::make_shared<BoundLaunch>();
  const Library::LoadedKernel loaded = handle->library->kernelFor(stream->device, handle->name);
  if (!loaded.kernel)
    return cudaErrorInvalidPtx;
  bound->module = loaded.module;
  const ptx::Kernel &kernel = *loaded.kernel;
  const uint64_t threads = uint64_t(block.x) * block.y * block.z;
  if (threads == 0 || threads > kernel.maxThreads || grid.x == 0 || grid.y == 0 || grid.z == 0 ||
      grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535)
    return cudaErrorInvalidConfiguration;
  if (sharedBytes > handle->maxDynamicShared ||
      sharedBytes + kernel.sharedBytes > ptx::maxSharedBytes)
    return cudaErrorInvalidValue;
  bound->launch.kernel = &kernel;
  bound->launch.grid = {grid.x, grid.y, grid.z};
  bound->launch.block = {block.x, block.y, block.z};
  bound->launch.dynamicSharedBytes = static_cast<uint32_t>(sharedBytes);
  // Generated kernels, which have that name, clamp places.
  bound->launch.mayReadInVain = handle->name.starts_with("cluster_");
  bound->parameters.resize(kernel.parameterBytes);
  for (size_t i = 0; i < kernel.parameters.size(); ++i)
    std::memcpy(bound->parameters.data() + kernel.parameters[i].offset, arguments[i],
                kernel.parameters[i].bytes);
  return submit(*stream, Operation("kernel " + handle->name,
                                   [bound](Execution &execution) { bound->run(execution); }));
}

} // namespace

} // namespace sheaf::standin::cudart

using namespace sheaf::standin;
using namespace sheaf::standin::cudart;

cudaError_t cudaLibraryLoadData(cudaLibrary_t *handle, const void *code, cudaJitOption *, void **,
                                unsigned, cudaLibraryOption *, void **, unsigned) {
  return call([&] {
    // What is no text is a cubin, for a chip that is not here.
    if (std::memcmp(code, "\177ELF", 4) == 0)
      return cudaErrorNoKernelImageForDevice;
    auto library = std::make_unique<Library>();
    library->text = static_cast<const char *>(code);
    if (std::string error = library->loadFor(currentDevice()); !error.empty()) {
      std::fprintf(stderr, "standin: %s\n", error.c_str());
      return cudaErrorInvalidPtx;
    }
    *handle = reinterpret_cast<cudaLibrary_t>(library.release());
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t handle) {
  return call([&] {
    if (breaksCapture())
      return cudaErrorStreamCaptureUnsupported;
    delete reinterpret_cast<Library *>(handle);
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *handle, cudaLibrary_t libraryHandle,
                                 const char *name) {
  return call([&] {
    auto *library = reinterpret_cast<Library *>(libraryHandle);
    const Library::LoadedKernel loaded = library->kernelFor(currentDevice(), name);
    if (!loaded.error.empty()) {
      std::fprintf(stderr, "standin: %s\n", loaded.error.c_str());
      return cudaErrorInvalidPtx;
    }
    if (!loaded.kernel)
      return cudaErrorSymbolNotFound;
    std::lock_guard lock(library->mutex);
    std::unique_ptr<KernelHandle> &kernel = library->kernels[name];
    if (!kernel)
      kernel = std::make_unique<KernelHandle>(KernelHandle{library, name});
    *handle = reinterpret_cast<cudaKernel_t>(kernel.get());
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void *function, cudaFuncAttribute attribute, int value) {
  return call([&] {
    auto *kernel = static_cast<KernelHandle *>(const_cast<void *>(function));
    if (!kernel || attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        value > 227 * 1024)
      return cudaErrorInvalidValue;
    kernel->maxDynamicShared = static_cast<uint32_t>(value);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset,
                                 size_t *bytes) {
  return call([&] {
    auto *handle = static_cast<KernelHandle *>(const_cast<void *>(function));
    if (!handle || !offset)
      return cudaErrorInvalidValue;
    const Library::LoadedKernel loaded = handle->library->kernelFor(currentDevice(), handle->name);
    if (!loaded.kernel)
      return cudaErrorInvalidPtx;
    if (index >= loaded.kernel->parameters.size())
      return cudaErrorInvalidValue;
    *offset = loaded.kernel->parameters[index].offset;
    if (bytes)
      *bytes = loaded.kernel->parameters[index].bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t sharedBytes, cudaStream_t stream) {
  return call([&] {
    Stream *queue = toStream(stream);
    if (queue && isPlanted("wrong_stream"))
      queue = &Engine::get().createStream(queue->device, /*isBlocking=*/false);
    return launchKernel(static_cast<KernelHandle *>(const_cast<void *>(function)), grid, block,
                        arguments, sharedBytes, queue);
  });
}
