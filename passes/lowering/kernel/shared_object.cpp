// Links objects in this process, with lld.
#include "passes/lowering/kernel/object_code.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <dlfcn.h>
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace mlir;
using sheaf::lowering::Bytes;

/// The file of the library that gives this process `function`. The program itself is passed over:
/// sanitizers put functions of the same name there.
static StringRef libraryOf(const char *function) {
  Dl_info info;
  void *address = dlsym(RTLD_NEXT, function);
  return address && dladdr(address, &info) ? info.dli_fname : "";
}

/// Runs the linker. It has global state: one at a time.
static LogicalResult runLinker(ArrayRef<std::string> arguments, std::string &messages) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  SmallVector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  llvm::raw_string_ostream stream(messages);
  lld::Result result = lld::lldMain(pointers, stream, stream, {{lld::Gnu, &lld::elf::link}});
  return success(result.retCode == 0);
}

FailureOr<Bytes> sheaf::lowering::linkSharedObject(ArrayRef<Bytes> objects, Location location) {
  SmallString<128> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("sheaf-kernels", folder))
    return emitError(location) << "can't make a temporary folder to link kernels in: "
                               << error.message() << "; set TMPDIR to one that is writable";
  llvm::scope_exit removal([&] { llvm::sys::fs::remove_directories(folder); });
  auto pathOf = [&](const Twine &name) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  };

  std::string output = pathOf("kernels.so");
  // Undefined symbols are errors: a stray call of a compiler's runtime library must not wait for
  // the run to fail.
  SmallVector<std::string> arguments{"ld.lld",      "-shared",         "-z",
                                     "defs",        "-Bsymbolic",      "--gc-sections",
                                     "-s",          "--as-needed",     "--hash-style=gnu",
                                     "--threads=1", "--build-id=none", "-o",
                                     output};
  for (auto [index, object] : llvm::enumerate(objects)) {
    arguments.push_back(pathOf("kernel" + Twine(index) + ".o"));
    std::error_code error;
    llvm::raw_fd_ostream stream(arguments.back(), error);
    stream.write(object.data(), object.size());
    stream.close();
    if (error || stream.has_error())
      return emitError(location) << "can't write " << arguments.back()
                                 << " to link kernels: " << stream.error().message();
  }
  for (const char *function : {"pow", "memcpy"})
    arguments.push_back(libraryOf(function).str());

  std::string messages;
  if (failed(runLinker(arguments, messages)))
    return emitError(location) << "can't link kernels: " << messages;
  auto file = llvm::MemoryBuffer::getFile(output, /*IsText=*/false);
  if (!file)
    return emitError(location) << "can't read linked kernels: " << file.getError().message();
  StringRef bytes = (*file)->getBuffer();
  return Bytes(bytes.begin(), bytes.end());
}
