// Reads inputs from .npy files, or makes random ones.
#include "runtime/launch/inputs.h"

#include "runtime/host/convert.h"
#include "runtime/io/npy.h"

#include <cstring>
#include <random>

namespace sheaf::rt::launch {
namespace {

std::string listNames(const std::vector<SignatureInfo> &signatures) {
  std::string text;
  for (const SignatureInfo &signature : signatures)
    text += (text.empty() ? "\"" : ", \"") + std::string(signature.name) + "\" " +
            signature.shape.str();
  return text.empty() ? "none" : text;
}

Status readInput(const SignatureInfo &input, const std::filesystem::path &file, std::byte *data) {
  Result<io::NpyArray> array = io::NpyArray::open(file);
  if (!array.isOk())
    return array.takeStatus();
  if (!array->holds(input.shape.type))
    return Status::invalid(file.string(), " has dtype \"", array->descr(), "\" but ",
                           abi::nameOf(input.shape.type), " is wanted, which is \"",
                           io::npyDescr(input.shape.type), "\" in .npy files");
  if (array->dims() != input.shape.dims)
    return Status::invalid(file.string(), " has shape ", dimsText(array->dims()), " but ",
                           dimsText(input.shape.dims), " is wanted");
  if (input.bytes > 0)
    std::memcpy(data, array->data().data(), static_cast<size_t>(input.bytes));
  return {};
}

/// The argument of each input, or null.
Result<std::vector<const InputArgument *>>
matchArguments(const ProgramInfo &program, const std::vector<InputArgument> &arguments) {
  std::vector<const InputArgument *> matched(program.inputs.size(), nullptr);
  for (const InputArgument &argument : arguments) {
    bool isKnown = false;
    for (size_t i = 0; i < program.inputs.size(); ++i) {
      if (program.inputs[i].name != argument.name)
        continue;
      if (matched[i])
        return Status::invalid("input \"", argument.name, "\" is given twice");
      matched[i] = &argument;
      isKnown = true;
    }
    if (!isKnown)
      return Status::invalid("there is no input \"", argument.name,
                             "\"; the inputs are: ", listNames(program.inputs));
  }
  return matched;
}

} // namespace

Result<InputArgument> InputArgument::parse(std::string_view text) {
  size_t last = text.rfind('=');
  if (last == std::string_view::npos || last == 0)
    return Status::invalid("--input ", text, ": it must be name=file.npy");
  size_t split = last;
  for (size_t at = last; at != std::string_view::npos && at > 0; at = text.rfind('=', at - 1)) {
    std::error_code error;
    if (std::filesystem::exists(std::filesystem::path(text.substr(at + 1)), error)) {
      split = at;
      break;
    }
  }
  return InputArgument{std::string(text.substr(0, split)), text.substr(split + 1)};
}

void fillRandom(const BufferShape &shape, uint64_t seed, std::byte *data) {
  std::mt19937_64 generator(seed);
  bool isFloat = abi::isFloat(shape.type);
  for (int64_t i = 0, count = shape.elements(); i < count; ++i) {
    // 24 bits: the same value in f32 and f64.
    double uniform = static_cast<double>(generator() >> 40) / (1 << 24);
    auto number = isFloat ? host::ExactNumber::fromDouble(2 * uniform - 1)
                          : host::ExactNumber::fromUnsigned(uniform >= 0.5);
    host::writeElement(shape.type, number, isFloat, data + i * shape.elementBytes(), {});
  }
}

Result<std::vector<Memory>> gatherInputs(const ProgramInfo &program, const Variables &state,
                                         const std::vector<InputArgument> &arguments,
                                         std::optional<uint64_t> seed, MemoryAccount *account) {
  Result<std::vector<const InputArgument *>> matched = matchArguments(program, arguments);
  if (!matched.isOk())
    return matched.takeStatus();
  std::vector<SignatureInfo> missing;
  for (size_t i = 0; i < program.inputs.size(); ++i)
    if (!(*matched)[i] && !program.inputs[i].defaultVariable && !seed)
      missing.push_back(program.inputs[i]);
  if (!missing.empty())
    return Status::invalid("these inputs have no value: ", listNames(missing),
                           "; give --input name=file.npy for each, or --random-inputs");
  std::vector<Memory> memories;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const SignatureInfo &input = program.inputs[i];
    Result<Memory> memory = allocateHostMemory(static_cast<size_t>(input.bytes), account);
    if (!memory.isOk())
      return memory.takeStatus().annotated("input \"", input.name, "\"");
    if (const InputArgument *argument = (*matched)[i]) {
      if (Status status = readInput(input, argument->file, memory->data()); !status.isOk())
        return std::move(status).annotated("input \"", input.name, "\"");
    } else if (input.defaultVariable) {
      if (input.bytes > 0)
        std::memcpy(memory->data(), state.data(*input.defaultVariable),
                    static_cast<size_t>(input.bytes));
    } else {
      fillRandom(input.shape, *seed + i, memory->data());
    }
    memories.push_back(std::move(*memory));
  }
  return memories;
}

} // namespace sheaf::rt::launch
