// Loads libnvJitLink when it is wanted, so that compilers need no toolkit.
#include "passes/lowering/kernel/gpu/linker_library.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ScopeExit.h"
#include <dlfcn.h>

using namespace mlir;
using namespace sheaf::lowering;

namespace {

/// The part of nvJitLink.h that is used here. All functions return 0 for success.
struct Functions {
  int (*create)(void **handle, uint32_t numOptions, const char **options);
  int (*destroy)(void **handle);
  int (*addData)(void *handle, int kind, const void *data, size_t bytes, const char *name);
  int (*complete)(void *handle);
  int (*cubinSize)(void *handle, size_t *bytes);
  int (*cubin)(void *handle, void *bytes);
  int (*errorLogSize)(void *handle, size_t *bytes);
  int (*errorLog)(void *handle, char *text);
};
constexpr int inputIsPtx = 2;

class LinkerLibrary : public PtxAssembler {
public:
  explicit LinkerLibrary(Functions functions) : functions(functions) {}

  FailureOr<SmallVector<char, 0>> assemble(StringRef ptx, unsigned chip,
                                           Location location) override {
    std::string arch = "-arch=sm_" + std::to_string(chip);
    const char *options[] = {arch.c_str()};
    void *handle = nullptr;
    if (functions.create(&handle, 1, options) != 0)
      return emitError(location) << "libnvJitLink does not know sm_" << chip
                                 << "; leave it out of --gpu-arch, or install a newer one";
    llvm::scope_exit release([&] { functions.destroy(&handle); });
    std::string text = ptx.str(); // It wants a zero at the end, and to count it.
    size_t bytes = 0;
    if (functions.addData(handle, inputIsPtx, text.c_str(), text.size() + 1, "kernels.ptx") != 0 ||
        functions.complete(handle) != 0 || functions.cubinSize(handle, &bytes) != 0)
      return emitError(location) << "libnvJitLink can't assemble kernels for sm_" << chip << ": "
                                 << errorLog(handle);
    SmallVector<char, 0> cubin(bytes);
    if (functions.cubin(handle, cubin.data()) != 0)
      return emitError(location) << "libnvJitLink gives no code for sm_" << chip << ": "
                                 << errorLog(handle);
    return cubin;
  }

private:
  std::string errorLog(void *handle) const {
    size_t bytes = 0;
    if (functions.errorLogSize(handle, &bytes) != 0 || bytes == 0)
      return "no reason given";
    std::string text(bytes, '\0');
    functions.errorLog(handle, text.data());
    return StringRef(text.c_str()).trim().str();
  }

  Functions functions;
};

} // namespace

std::unique_ptr<PtxAssembler> sheaf::lowering::findLinkerLibrary() {
  void *library = nullptr;
  std::vector<std::string> names;
  if (const char *home = std::getenv("CUDA_HOME"))
    names.push_back(std::string(home) + "/lib64/libnvJitLink.so");
  for (const char *name : {"libnvJitLink.so", "libnvJitLink.so.13", "libnvJitLink.so.12"})
    names.push_back(name);
  for (const std::string &name : names)
    if (!library)
      library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return nullptr;
  Functions functions;
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  if (!find(functions.create, "nvJitLinkCreate") || !find(functions.destroy, "nvJitLinkDestroy") ||
      !find(functions.addData, "nvJitLinkAddData") ||
      !find(functions.complete, "nvJitLinkComplete") ||
      !find(functions.cubinSize, "nvJitLinkGetLinkedCubinSize") ||
      !find(functions.cubin, "nvJitLinkGetLinkedCubin") ||
      !find(functions.errorLogSize, "nvJitLinkGetErrorLogSize") ||
      !find(functions.errorLog, "nvJitLinkGetErrorLog"))
    return nullptr;
  return std::make_unique<LinkerLibrary>(functions);
}
