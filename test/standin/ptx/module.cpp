// Loads a PTX text: places its variables, decodes its kernels as they are asked for.
#include "test/standin/ptx/module.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "test/standin/ptx/decoder.h"

namespace sheaf::standin::ptx {

namespace {

/// What a lane gets beyond what its calls need where functions call themselves.
constexpr uint32_t recursionBytes = 1024;

/// Decodes one kernel and the functions that it calls.
class KernelBuilder {
public:
  /// `symbols` has the variables in global memory.
  KernelBuilder(const Syntax &syntax, Symbols symbols)
      : syntax(syntax), symbols(std::move(symbols)) {}

  /// The code of `entry` is the first.
  std::vector<std::unique_ptr<Code>> build(Function &entry) {
    collect(entry);
    placeShared();
    return decodeAll();
  }

  static Kernel describe(const Code &code, uint32_t sharedBytes) {
    Kernel kernel;
    kernel.name = code.name;
    kernel.code = &code;
    for (const Place &parameter : code.parameters)
      kernel.parameters.push_back({parameter.offset, parameter.bytes});
    kernel.parameterBytes = code.parameterBytes;
    kernel.sharedBytes = sharedBytes;
    if (code.maxThreads)
      kernel.maxThreads = std::min(code.maxThreads, 1024u);
    return kernel;
  }

  uint32_t sharedBytes = 0;

private:
  /// Parses `function` and all that it names, once each.
  void collect(Function &entry) {
    functions.push_back(&entry);
    for (size_t i = 0; i < functions.size(); ++i) {
      parseBody(*functions[i]);
      for (const Statement &statement : functions[i]->body)
        for (const Operand &operand : statement.operands)
          noteNames(operand);
    }
  }

  void noteNames(const Operand &operand) {
    for (const Operand &part : operand.parts)
      noteNames(part);
    if (operand.kind != Operand::Symbol || !names.insert(operand.name).second)
      return;
    for (const std::unique_ptr<Function> &function : syntax.functions)
      if (function->isDefined && !function->isEntry && function->name == operand.name)
        functions.push_back(function.get());
  }

  void placeShared() {
    for (const Variable &variable : syntax.variables)
      if (variable.space == Space::Shared && names.contains(variable.name))
        place(variable.name, variable);
    for (const Function *function : functions)
      for (const Variable &variable : function->variables)
        if (variable.space == Space::Shared)
          place(function->name + "/" + variable.name, variable);
    // Memory whose size the launch says comes behind all other.
    sharedBytes = (sharedBytes + 15) / 16 * 16;
    for (const Variable &variable : syntax.variables)
      if (variable.space == Space::Shared && variable.bytes == 0)
        symbols.addresses[variable.name] = {Space::Shared, sharedBytes};
  }

  void place(const std::string &name, const Variable &variable) {
    const uint64_t at =
        (sharedBytes + variable.alignment - 1) / variable.alignment * variable.alignment;
    symbols.addresses[name] = {Space::Shared, at};
    sharedBytes = static_cast<uint32_t>(at + variable.bytes);
  }

  std::vector<std::unique_ptr<Code>> decodeAll() {
    std::vector<std::unique_ptr<Code>> codes;
    std::vector<std::unique_ptr<Decoder>> decoders;
    // All functions are laid out before any is decoded: calls look at the layout of what they call.
    for (const Function *function : functions) {
      Code &code = *codes.emplace_back(std::make_unique<Code>());
      code.name = function->name;
      code.isEntry = function->isEntry;
      code.maxThreads = function->maxThreads;
      if (!function->isEntry)
        symbols.functions[function->name] = &code;
      decoders.push_back(std::make_unique<Decoder>(*function, symbols, code));
    }
    for (std::unique_ptr<Decoder> &decoder : decoders)
      decoder->run();
    std::set<const Code *> path;
    bool isRecursive = false;
    Code &entry = *codes.front();
    entry.stackBytes = stackOf(entry, path, isRecursive) + (isRecursive ? recursionBytes : 0);
    findGrains(codes);
    return codes;
  }

  /// Writes on the kernel how small its accesses are.
  static void findGrains(const std::vector<std::unique_ptr<Code>> &codes) {
    Code &entry = *codes.front();
    for (const std::unique_ptr<Code> &code : codes)
      for (const Instruction &instruction : code->instructions) {
        const uint32_t bytes = uint32_t(instruction.elements) * instruction.elementBytes;
        if (bytes == 0) // no access
          continue;
        const bool isGeneric = instruction.space == Space::Generic;
        if (isGeneric || instruction.space == Space::Shared)
          entry.sharedGrain = std::min(entry.sharedGrain, bytes);
        if (isGeneric || instruction.space == Space::Global)
          entry.globalGrain = std::min(entry.globalGrain, bytes);
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

  const Syntax &syntax;
  Symbols symbols;
  std::vector<Function *> functions; ///< the kernel first
  std::set<std::string> names;       ///< that they mention
};

} // namespace

Module::~Module() = default;

void Module::placeVariables(const Allocate &allocate) {
  std::set<std::string> names;
  for (const Variable &variable : syntax.variables) {
    if (!names.insert(variable.name).second)
      throw TextError(0, variable.name + " is defined twice");
    if (variable.space == Space::Shared)
      continue;
    if (variable.isExternal)
      throw TextError(0, "the variable " + variable.name + " is declared, but not defined");
    GlobalMemory memory = variables[variable.name].memory =
        allocate(variable.name, std::max<uint64_t>(variable.bytes, 1), variable.alignment);
    variables[variable.name].bytes = variable.bytes;
    if (!variable.initial.empty())
      std::memcpy(memory.host, variable.initial.data(), variable.initial.size());
  }
  for (const Variable &variable : syntax.variables) {
    for (const Relocation &relocation : variable.relocations) {
      auto found = variables.find(relocation.symbol);
      if (found == variables.end())
        throw TextError(0, variable.name + " holds the address of " + relocation.symbol +
                               ", which is no variable in global memory");
      const uint64_t address =
          found->second.memory.address + static_cast<uint64_t>(relocation.addend);
      std::memcpy(variables[variable.name].memory.host + relocation.offset, &address,
                  sizeof address);
    }
  }
}

std::unique_ptr<Module> Module::load(std::string text, const Allocate &allocate,
                                     std::string &error) {
  std::unique_ptr<Module> module(new Module);
  module->text = std::move(text);
  try {
    module->syntax = parse(module->text);
    module->placeVariables(allocate);
  } catch (const TextError &problem) {
    error = problem.what();
    return nullptr;
  }
  return module;
}

const Kernel *Module::kernel(std::string_view name, std::string &error) {
  if (auto known = kernels.find(name); known != kernels.end())
    return &known->second;
  auto entry = std::ranges::find_if(syntax.functions, [&](const auto &function) {
    return function->isEntry && function->isDefined && function->name == name;
  });
  if (entry == syntax.functions.end())
    return nullptr;
  Symbols symbols;
  for (const Variable &variable : syntax.variables)
    if (auto found = variables.find(variable.name); found != variables.end())
      symbols.addresses[variable.name] = {variable.space, found->second.memory.address};
  try {
    KernelBuilder builder(syntax, std::move(symbols));
    std::vector<std::unique_ptr<Code>> built = builder.build(**entry);
    Kernel &kernel = kernels[std::string(name)];
    kernel = KernelBuilder::describe(*built.front(), builder.sharedBytes);
    std::ranges::move(built, std::back_inserter(codes));
    return &kernel;
  } catch (const TextError &problem) {
    error = problem.what();
    return nullptr;
  }
}

std::vector<std::string> Module::kernelNames() const {
  std::vector<std::string> names;
  for (const std::unique_ptr<Function> &function : syntax.functions)
    if (function->isEntry && function->isDefined)
      names.push_back(function->name);
  return names;
}

const Module::Global *Module::variable(std::string_view name) const {
  auto found = variables.find(name);
  return found == variables.end() ? nullptr : &found->second;
}

} // namespace sheaf::standin::ptx
