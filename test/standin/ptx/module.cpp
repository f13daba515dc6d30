// Loads a PTX text: places its variables, decodes its functions.
#include "test/standin/ptx/module.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "test/standin/ptx/decoder.h"

namespace sheaf::standin::ptx {

/// What a lane gets beyond what its calls need where functions call themselves.
constexpr uint32_t recursionBytes = 1024;

struct Module::Builder {
  Module &module;
  const Allocate &allocate;
  Syntax syntax;
  Symbols symbols;
  uint32_t sharedBytes = 0;

  void build() {
    for (const Variable &variable : syntax.variables)
      place(variable.name, variable);
    for (const std::unique_ptr<Function> &function : syntax.functions)
      for (const Variable &variable : function->variables)
        if (variable.space == Space::Shared)
          place(function->name + "/" + variable.name, variable);
    // Memory whose size the launch says comes behind all other.
    sharedBytes = (sharedBytes + 15) / 16 * 16;
    for (const Variable &variable : syntax.variables)
      if (variable.space == Space::Shared && variable.bytes == 0)
        symbols.addresses[variable.name] = {Space::Shared, sharedBytes};
    for (const Variable &variable : syntax.variables)
      relocate(variable);
    decodeAll();
  }

  void place(const std::string &name, const Variable &variable) {
    if (symbols.addresses.contains(name))
      throw TextError(0, name + " is defined twice");
    if (variable.space == Space::Shared) {
      const uint64_t at =
          (sharedBytes + variable.alignment - 1) / variable.alignment * variable.alignment;
      symbols.addresses[name] = {Space::Shared, at};
      sharedBytes = static_cast<uint32_t>(at + variable.bytes);
      return;
    }
    if (variable.isExternal)
      throw TextError(0, "the variable " + name + " is declared, but not defined");
    GlobalMemory memory = module.variables[name].memory =
        allocate(name, std::max<uint64_t>(variable.bytes, 1), variable.alignment);
    module.variables[name].bytes = variable.bytes;
    if (!variable.initial.empty())
      std::memcpy(memory.host, variable.initial.data(), variable.initial.size());
    symbols.addresses[name] = {variable.space, memory.address};
  }

  void relocate(const Variable &variable) {
    for (const Relocation &relocation : variable.relocations) {
      auto found = symbols.addresses.find(relocation.symbol);
      if (found == symbols.addresses.end())
        throw TextError(0, variable.name + " holds the address of " + relocation.symbol +
                               ", which is no variable");
      const uint64_t address = found->second.value + static_cast<uint64_t>(relocation.addend);
      std::memcpy(module.variables[variable.name].memory.host + relocation.offset, &address,
                  sizeof address);
    }
  }

  void decodeAll() {
    std::vector<std::unique_ptr<Decoder>> decoders;
    // All functions are laid out before any is decoded: calls look at the layout of what they call.
    for (const std::unique_ptr<Function> &function : syntax.functions) {
      if (!function->isDefined)
        continue;
      Code &code = *module.codes.emplace_back(std::make_unique<Code>());
      code.name = function->name;
      code.isEntry = function->isEntry;
      code.maxThreads = function->maxThreads;
      if (!function->isEntry)
        symbols.functions[function->name] = &code;
      decoders.push_back(std::make_unique<Decoder>(*function, symbols, code));
    }
    for (std::unique_ptr<Decoder> &decoder : decoders)
      decoder->run();
    for (std::unique_ptr<Code> &code : module.codes) {
      if (!code->isEntry)
        continue;
      std::set<const Code *> path;
      bool isRecursive = false;
      code->stackBytes = stackOf(*code, path, isRecursive) + (isRecursive ? recursionBytes : 0);
      addKernel(*code);
    }
  }

  static uint32_t stackOf(const Code &code, std::set<const Code *> &path, bool &isRecursive) {
    if (!path.insert(&code).second) {
      isRecursive = true;
      return 0;
    }
    uint32_t deepest = 0;
    for (const Code *callee : code.callees)
      deepest = std::max(deepest, stackOf(*callee, path, isRecursive));
    path.erase(&code);
    return code.localBytes + deepest;
  }

  void addKernel(const Code &code) {
    Kernel &kernel = module.kernels[code.name];
    kernel.name = code.name;
    kernel.code = &code;
    for (const Place &parameter : code.parameters)
      kernel.parameters.push_back({parameter.offset, parameter.bytes});
    kernel.parameterBytes = code.parameterBytes;
    kernel.sharedBytes = sharedBytes;
    if (code.maxThreads)
      kernel.maxThreads = std::min(code.maxThreads, 1024u);
  }
};

Module::~Module() = default;

std::unique_ptr<Module> Module::load(std::string_view text, const Allocate &allocate,
                                     std::string &error) {
  std::unique_ptr<Module> module(new Module);
  try {
    Builder builder{*module, allocate, parse(text), {}};
    builder.build();
  } catch (const TextError &problem) {
    error = problem.what();
    return nullptr;
  }
  return module;
}

const Kernel *Module::kernel(std::string_view name) const {
  auto found = kernels.find(name);
  return found == kernels.end() ? nullptr : &found->second;
}

const Module::Global *Module::variable(std::string_view name) const {
  auto found = variables.find(name);
  return found == variables.end() ? nullptr : &found->second;
}

} // namespace sheaf::standin::ptx
