// Writes outputs as .npy files and their index.
#include "runtime/launch/outputs.h"

#include "runtime/io/atomic_file.h"
#include "runtime/io/npy.h"

#include <nlohmann/json.hpp>

namespace sheaf::rt::launch {

Status writeOutputs(const ProgramInfo &program, const std::vector<Memory> &outputs,
                    const std::filesystem::path &folder) {
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
    std::string header = io::makeNpyHeader(output.shape.type, output.shape.dims);
    Result<io::PendingFile> file = io::PendingFile::write(
        folder / name,
        {io::bytesOf(header), {outputs[i].data(), static_cast<size_t>(output.bytes)}});
    if (!file.isOk())
      return file.takeStatus().annotated("output \"", output.name, "\"");
    files.push_back(std::move(*file));
    index[std::string(output.name)] = {
        {"file", name}, {"dtype", abi::nameOf(output.shape.type)}, {"shape", output.shape.dims}};
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
