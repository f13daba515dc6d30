// A PTX text made ready to run.
#ifndef SHEAF_TEST_STANDIN_PTX_MODULE_H
#define SHEAF_TEST_STANDIN_PTX_MODULE_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "test/standin/ptx/syntax.h"

namespace sheaf::standin::ptx {

struct Code;

/// A kernel of a module, valid as long as the module.
struct Kernel {
  std::string name;
  const Code *code = nullptr;
  struct Parameter {
    uint32_t offset;
    uint32_t bytes;
  };
  std::vector<Parameter> parameters;
  uint32_t parameterBytes = 0;
  uint32_t sharedBytes = 0; ///< static
  uint32_t maxThreads = 1024;
};

/// Global memory of a module variable: the kernel's address of it, and where it lies in this process.
struct GlobalMemory {
  uint64_t address = 0;
  std::byte *host = nullptr;
};

class Module {
public:
  /// Provides zeroed global memory for the variable `name`.
  using Allocate =
      std::function<GlobalMemory(const std::string &name, uint64_t bytes, uint64_t alignment)>;

  /// Parses `text` but for the bodies of functions, and places its variables. Null with a message in
  /// `error`, which names the line, if the text is wrong.
  static std::unique_ptr<Module> load(std::string text, const Allocate &allocate,
                                      std::string &error);
  ~Module();

  /// Decodes the kernel when it is first asked for, with all that it calls: programs use few of the many
  /// kernels that a text may have. Null if there is none (`error` stays empty) or, with a message that
  /// names the line, if it is wrong or holds an instruction that is not supported.
  const Kernel *kernel(std::string_view name, std::string &error);
  std::vector<std::string> kernelNames() const;

  struct Global {
    GlobalMemory memory;
    uint64_t bytes;
  };
  /// Null if there is no global variable `name`.
  const Global *variable(std::string_view name) const;

private:
  Module() = default;
  void placeVariables(const Allocate &allocate);

  std::string text;
  Syntax syntax;
  std::vector<std::unique_ptr<Code>> codes;
  std::map<std::string, Kernel, std::less<>> kernels; ///< that are decoded
  std::map<std::string, Global, std::less<>> variables;
};

} // namespace sheaf::standin::ptx

#endif
