// Reads inputs from .npy files, or makes random ones.
#include "runtime/launch/inputs.h"

#include "runtime/core/convert.h"
#include "runtime/core/fingerprint.h"
#include "runtime/core/philox.h"

#include <cstring>

namespace sheaf::rt::launch {
namespace {

std::string listNames(const std::vector<SignatureInfo> &signatures) {
  std::string text;
  for (const SignatureInfo &signature : signatures)
    text += (text.empty() ? "\"" : ", \"") + std::string(signature.name) + "\" " +
            signature.globalShape().str();
  return text.empty() ? "none" : text;
}

Result<io::NpyArray> openArray(const SignatureInfo &input, const std::filesystem::path &file) {
  Result<io::NpyArray> array = io::NpyArray::open(file);
  if (!array.isOk())
    return array.takeStatus();
  if (!array->holds(input.shape.type))
    return Status::invalid(file.string(), " has dtype \"", array->descr(), "\" but ",
                           abi::nameOf(input.shape.type), " is wanted, which is \"",
                           io::npyDescr(input.shape.type), "\" in .npy files");
  if (array->dims() != input.sharding.globalDims)
    return Status::invalid(file.string(), " has shape ", dimsText(array->dims()), " but ",
                           dimsText(input.sharding.globalDims), " is wanted");
  return array;
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

void fillRandom(abi::ElementType type, std::span<const int64_t> globalDims, const ShardBox &box,
                uint64_t seed, uint64_t stream, std::byte *data) {
  bool isFloat = abi::isFloat(type);
  constexpr uint64_t inputKeys =
      0x696e70757473; // Not those of a model's random nodes, which are small.
  RandomStream random{inputKeys + stream, seed};
  auto writeAt = [&](uint64_t global, int64_t local) {
    // 24 bits: the same value in f32 and f64.
    double uniform = static_cast<double>(random.words(global / 4)[global % 4] >> 8) * 0x1p-24;
    auto number = isFloat ? ExactNumber::fromDouble(2 * uniform - 1)
                          : ExactNumber::fromUnsigned(uniform >= 0.5);
    writeElement(type, number, isFloat, data + local * abi::bytesOf(type), {});
  };
  // Row by row of the last dim.
  auto visit = [&](auto &self, size_t dim, uint64_t global, int64_t local) -> void {
    if (dim == box.size())
      return writeAt(global, local);
    for (int64_t i = 0; i < box[dim].extent; ++i)
      self(self, dim + 1,
           global * static_cast<uint64_t>(globalDims[dim]) +
               static_cast<uint64_t>(box[dim].begin + i),
           local * box[dim].block + i);
  };
  visit(visit, 0, 0, 0);
}

Result<InputValues> InputValues::open(const ProgramInfo &program,
                                      const std::vector<InputArgument> &arguments,
                                      std::optional<uint64_t> seed) {
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
  InputValues values(program);
  values.seed = seed;
  values.arrays.resize(program.inputs.size());
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    if (!(*matched)[i])
      continue;
    Result<io::NpyArray> array = openArray(program.inputs[i], (*matched)[i]->file);
    if (!array.isOk())
      return array.takeStatus().annotated("input \"", program.inputs[i].name, "\"");
    values.arrays[i].emplace(std::move(*array));
  }
  return values;
}

std::vector<Fact> InputValues::facts() const {
  constexpr size_t maxBytes = size_t(16) << 20; // of each file
  std::vector<Fact> facts;
  for (size_t i = 0; i < arrays.size(); ++i) {
    Fingerprint print;
    if (arrays[i]) // Its shape is the input's; there may be several dtypes for that.
      print.add(arrays[i]->descr()), print.addSample(arrays[i]->data(), maxBytes);
    facts.push_back({"value of input \"" + std::string(program->inputs[i].name) + "\"",
                     std::to_string(print.value())});
  }
  return facts;
}

Status InputValues::write(const Mesh &mesh, int rank, const Variables &state,
                          const std::vector<Memory> &memories) const {
  std::vector<int64_t> coordinates = mesh.coordinatesOf(rank);
  for (size_t i = 0; i < program->inputs.size(); ++i) {
    const SignatureInfo &input = program->inputs[i];
    std::byte *to = memories[i].data();
    ShardBox box = shardBox(input.sharding, mesh, coordinates);
    if (arrays[i])
      BoxCopy(input.sharding.globalDims, box, input.shape.elementBytes())
          .toLocal(arrays[i]->data().data(), to);
    else if (!input.defaultVariable)
      fillRandom(input.shape.type, input.sharding.globalDims, box, *seed, i, to);
    else if (Status status = state.copyTo(*input.defaultVariable, input.bytes, to); !status.isOk())
      return std::move(status).annotated("input \"", input.name, "\"");
  }
  return {};
}

} // namespace sheaf::rt::launch
