// Reads an executable file; nothing of it is used before it has been checked.
#include "runtime/core/executable.h"

#include "runtime/core/check_executable.h"
#include "runtime/core/content_hash.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace sheaf::rt {
namespace {

/// The FlatBuffers frame: identifier, every offset and string within the file.
Status checkFrame(std::span<const std::byte> bytes) {
  constexpr size_t headerBytes = 8;
  const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
  if (bytes.size() < headerBytes || !abi::ExecutableBufferHasIdentifier(data))
    return Status::invalid("this is not an executable of Sheaf (it does not begin with SHEF)");
  if (bytes.size() > FLATBUFFERS_MAX_BUFFER_SIZE)
    return Status::invalid("the file has ", bytes.size(),
                           " bytes; an executable has less than 2 GiB");
  // A table takes 4 bytes at least, so an honest file has fewer than this.
  auto maxTables = static_cast<flatbuffers::uoffset_t>(bytes.size() / 4);
  flatbuffers::Verifier verifier(data, bytes.size(), /*_max_depth=*/64, maxTables);
  if (!abi::VerifyExecutableBuffer(verifier))
    return Status::invalid("the file is damaged: its tables point out of it");
  return {};
}

Status checkHash(std::span<const std::byte> bytes, const abi::Executable &root) {
  const auto *stored = root.content_hash();
  if (!stored || stored->size() != ContentHash().size())
    return Status::invalid("the file has no content hash of 32 bytes");
  const auto *at = reinterpret_cast<const std::byte *>(stored->data());
  ContentHash computed = contentHash(bytes, static_cast<size_t>(at - bytes.data()));
  if (!std::equal(computed.begin(), computed.end(), at))
    return Status::invalid("the file is damaged: its content does not have the hash it names");
  return {};
}

Status checkHeader(const abi::Executable &root) {
  if (root.version() != executableVersion)
    return Status::invalid("the file has format version ", root.version(),
                           "; this runtime reads version ", executableVersion,
                           "; compile the model again");
  return {};
}

/// Marks the variables that some program writes. Buffers have been checked.
void markWritten(const ProgramInfo &program, std::vector<VariableInfo> &variables) {
  for (size_t i = 0; i < program.numInstructions(); ++i)
    if (const auto *outs = program.instruction(i).outs())
      for (uint32_t buffer : *outs)
        if (program.buffers[buffer].storage == abi::Storage::variable)
          variables[program.buffers[buffer].index].isWritten = true;
}

/// Variables without an origin are written by "prepare", or carried from part to part; those that are freed after
/// "prepare" are not used elsewhere.
Status checkVariableUse(const std::vector<ProgramInfo> &programs,
                        const std::vector<VariableInfo> &variables) {
  std::vector<bool> isPrepared(variables.size(), false);
  for (const ProgramInfo &program : programs) {
    if (program.name == "prepare") {
      for (size_t i = 0; i < program.numInstructions(); ++i)
        if (const auto *outs = program.instruction(i).outs())
          for (uint32_t buffer : *outs)
            if (program.buffers[buffer].storage == abi::Storage::variable)
              isPrepared[program.buffers[buffer].index] = true;
      continue;
    }
    for (const BufferInfo &buffer : program.buffers)
      if (buffer.storage == abi::Storage::variable &&
          variables[buffer.index].table->is_prepare_only())
        return Status::invalid("program \"", program.name, "\" uses variable \"",
                               variables[buffer.index].table->name()->string_view(),
                               "\", which is freed after the program \"prepare\"");
  }
  for (size_t i = 0; i < variables.size(); ++i) {
    const abi::Variable &variable = *variables[i].table;
    if (!isPrepared[i] && !variables[i].isCarried() && !variable.source() && !variable.splat() &&
        variable.constant() == UINT32_MAX)
      return Status::invalid(
          "variable \"", variable.name()->string_view(),
          "\" has no value: no source, no constant, and the program \"prepare\" does not write it");
  }
  return {};
}

} // namespace

size_t ProgramInfo::instructionsPerRun() const {
  size_t count = numInstructions();
  for (const PartInfo &part : parts)
    count += static_cast<size_t>(part.times) * part.program->numInstructions();
  return count;
}

int64_t ProgramInfo::arenaBytes(abi::Space space) const {
  const auto *bytes = table->arena_bytes();
  auto index = static_cast<flatbuffers::uoffset_t>(space);
  return bytes && index < bytes->size() ? static_cast<int64_t>(bytes->Get(index)) : 0;
}

Result<Executable> Executable::open(const std::filesystem::path &path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file.isOk())
    return file.takeStatus();
  Result<Executable> executable = fromBytes(file->bytes(), path.parent_path());
  if (!executable.isOk())
    return executable.takeStatus().annotated(path.string());
  executable->file = std::move(*file);
  return executable;
}

Result<Executable> Executable::fromBytes(std::span<const std::byte> bytes,
                                         std::filesystem::path folder) {
  if (Status status = checkFrame(bytes); !status.isOk())
    return status;
  Executable executable;
  executable.content = bytes;
  executable.baseFolder = std::move(folder);
  executable.root = abi::GetExecutable(bytes.data());
  const abi::Executable &root = *executable.root;
  if (Status status = checkHeader(root); !status.isOk())
    return status;
  if (Status status = checkHash(bytes, root); !status.isOk())
    return status;

  Result<Mesh> mesh = Mesh::read(root);
  if (!mesh.isOk())
    return mesh.takeStatus();
  executable.rankMesh = std::move(*mesh);
  Result<std::vector<VariableInfo>> variables = checkVariables(root, executable.rankMesh);
  if (!variables.isOk())
    return variables.takeStatus();
  executable.variableInfos = std::move(*variables);
  std::set<std::string_view> names;
  if (root.programs()) {
    for (const abi::Program *table : *root.programs()) {
      std::string_view name = table->name()->string_view();
      if (!names.insert(name).second)
        return Status::invalid("there are two programs \"", name, "\"");
      Result<ProgramInfo> program =
          checkProgram(*table, executable.rankMesh, executable.variableInfos);
      if (!program.isOk())
        return program.takeStatus().annotated("program \"", name, "\"");
      markWritten(*program, executable.variableInfos);
      executable.programInfos.push_back(std::move(*program));
    }
  }
  if (Status status = checkParts(executable.programInfos); !status.isOk())
    return status;
  if (Status status = checkCarried(executable.programInfos, executable.variableInfos);
      !status.isOk())
    return status;
  if (Status status = checkVariableUse(executable.programInfos, executable.variableInfos);
      !status.isOk())
    return status;
  return executable;
}

std::span<const std::byte> Executable::hash() const {
  return {reinterpret_cast<const std::byte *>(root->content_hash()->data()),
          root->content_hash()->size()};
}

Result<const ProgramInfo *> Executable::program(std::string_view name) const {
  auto isForUsers = [](const ProgramInfo &program) {
    return program.name != "prepare" && !program.isPart;
  };
  if (const ProgramInfo *info = findProgram(name); info && isForUsers(*info))
    return info;
  std::string listed;
  for (const ProgramInfo &program : programInfos)
    if (isForUsers(program))
      listed += (listed.empty() ? "" : ", ") + std::string(program.name);
  return Status::invalid("the executable has no program \"", name, "\"; it has: ", listed);
}

const ProgramInfo *Executable::findProgram(std::string_view name) const {
  for (const ProgramInfo &program : programInfos)
    if (program.name == name)
      return &program;
  return nullptr;
}

} // namespace sheaf::rt
