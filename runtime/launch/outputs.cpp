// Assembles outputs; writes them as .npy files and their index.
#include "runtime/launch/outputs.h"

#include "runtime/core/box_copy.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/npy.h"

#include <nlohmann/json.hpp>

namespace sheaf::rt::launch {

Result<GlobalOutputs> GlobalOutputs::allocate(const ProgramInfo &program, const Mesh &mesh) {
  GlobalOutputs outputs(program, mesh);
  outputs.values.resize(program.outputs.size());
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    if (!program.outputs[i].sharding.isCut())
      continue;
    Result<Memory> memory = allocateHostMemory(outputs.bytes(i));
    if (!memory.isOk())
      return memory.takeStatus().annotated("output \"", program.outputs[i].name, "\"");
    outputs.values[i] = std::move(*memory);
  }
  return outputs;
}

size_t GlobalOutputs::bytes(size_t index) const {
  BufferShape shape = info->outputs[index].globalShape();
  return static_cast<size_t>(shape.elements() * shape.elementBytes());
}

void GlobalOutputs::takeCut(size_t index, int rank, const std::byte *local) {
  const SignatureInfo &output = info->outputs[index];
  std::vector<int64_t> coordinates = mesh->coordinatesOf(rank);
  if (!output.sharding.isCut() || !isFirstHolder(output.sharding, *mesh, coordinates))
    return;
  BoxCopy(output.sharding.globalDims, shardBox(output.sharding, *mesh, coordinates),
          output.shape.elementBytes())
      .toGlobal(local, values[index].data());
}

void GlobalOutputs::take(int rank, std::vector<Memory> &locals) {
  std::vector<int64_t> coordinates = mesh->coordinatesOf(rank);
  for (size_t i = 0; i < locals.size(); ++i) {
    const Sharding &sharding = info->outputs[i].sharding;
    if (sharding.isCut()) {
      takeCut(i, rank, locals[i].data());
    } else if (isFirstHolder(sharding, *mesh, coordinates)) {
      locals[i].discharge();
      values[i] = std::move(locals[i]);
    }
  }
}

Status writeOutputs(const GlobalOutputs &outputs, const std::filesystem::path &folder) {
  const ProgramInfo &program = outputs.program();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return Status::invalid("can't make the folder ", folder.string(), ": ", error.message());
  std::vector<io::PendingFile> files;
  nlohmann::ordered_json index = nlohmann::ordered_json::object();
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const SignatureInfo &output = program.outputs[i];
    // The name of an output may hold anything, so it does not become a file's.
    std::string name = "output_" + std::to_string(i) + ".npy";
    const std::vector<int64_t> &dims = output.sharding.globalDims;
    std::string header = io::makeNpyHeader(output.shape.type, dims);
    Result<io::PendingFile> file = io::PendingFile::write(
        folder / name, {io::bytesOf(header), {outputs.data(i), outputs.bytes(i)}});
    if (!file.isOk())
      return file.takeStatus().annotated("output \"", output.name, "\"");
    files.push_back(std::move(*file));
    index[std::string(output.name)] = {
        {"file", name}, {"dtype", abi::nameOf(output.shape.type)}, {"shape", dims}};
  }
  std::string text = index.dump(2) + "\n";
  Result<io::PendingFile> indexFile =
      io::PendingFile::write(folder / "outputs.json", {io::bytesOf(text)});
  if (!indexFile.isOk())
    return indexFile.takeStatus();
  files.push_back(std::move(*indexFile));
  for (io::PendingFile &file : files)
    if (Status status = file.commit(); !status.isOk())
      return status;
  return {};
}

} // namespace sheaf::rt::launch
