// An executable file, read and checked.
#ifndef SHEAF_RUNTIME_CORE_EXECUTABLE_H
#define SHEAF_RUNTIME_CORE_EXECUTABLE_H

#include "runtime/core/buffer_shape.h"
#include "runtime/core/mapped_file.h"
#include "runtime/core/sharding.h"
#include "runtime/core/status.h"

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sheaf::rt {

/// The version of the schema that this runtime reads.
inline constexpr uint32_t executableVersion = 4;

/// A value that outlives a run.
struct VariableInfo {
  const abi::Variable *table = nullptr;
  BufferShape shape; ///< of one rank, row-major
  Sharding sharding;
  int64_t bytes = 0; ///< of one rank's memory: packed_bytes, else that of the type
  bool isPacked = false;
  bool isWritten = false; ///< by some program

  std::string_view name() const { return table->name()->string_view(); }
  /// Whether a checkpoint holds it.
  bool isSaved() const {
    return (table->role() == abi::VariableRole::parameter ||
            table->role() == abi::VariableRole::state) &&
           !table->is_prepare_only();
  }
  /// Whether it holds what a part of a program leaves for other parts.
  bool isCarried() const { return table->role() == abi::VariableRole::carried; }
  /// Of the whole value, row-major.
  BufferShape globalShape() const { return rowMajorShape(shape.type, sharding.globalDims); }
};

/// A view of memory within a program.
struct BufferInfo {
  BufferShape shape;
  abi::Storage storage = abi::Storage::arena;
  uint32_t index = 0;
  int64_t offset = 0; ///< bytes
};

/// An input or output of a program.
struct SignatureInfo {
  std::string_view name;
  BufferShape shape; ///< of one rank, row-major
  Sharding sharding;
  int64_t bytes = 0;                            ///< of one rank
  std::optional<uint32_t> defaultVariable = {}; ///< of an input: its value when none is fed
  std::optional<int64_t> padding = {};          ///< of an input: see Signature.padding

  /// Of the whole value, row-major.
  BufferShape globalShape() const { return rowMajorShape(shape.type, sharding.globalDims); }
};

struct ProgramInfo;

/// A program that another runs as a part.
struct PartInfo {
  const ProgramInfo *program; ///< of the same executable
  int64_t times;              ///< in a row
};

/// A program whose every index, extent and event has been checked.
struct ProgramInfo {
  const abi::Program *table = nullptr;
  std::string_view name;
  std::vector<SignatureInfo> inputs;
  std::vector<SignatureInfo> outputs;
  std::vector<BufferInfo> buffers;
  std::vector<PartInfo> parts; ///< what it runs, in order; empty: instructions of its own
  bool isPart = false;         ///< only other programs run it

  /// Of its own.
  size_t numInstructions() const {
    return table->instructions() ? table->instructions()->size() : 0;
  }
  const abi::Instruction &instruction(size_t index) const {
    return *table->instructions()->Get(index);
  }
  /// Of a run: those of parts as often as they run.
  size_t instructionsPerRun() const;
  int64_t arenaBytes(abi::Space space) const;
  /// See Program.micro_batches; 0 for programs that are not fed samples.
  int64_t microBatches() const { return table->micro_batches(); }
  /// The planned memory, as the compiler predicted it: for reports, nothing relies on it.
  int64_t plannedBytes() const { return static_cast<int64_t>(table->planned_bytes()); }
};

/// The mapped file and what was decoded of it. Everything a reader of it can index with has been checked, whatever
/// the bytes. Its kernels are machine code all the same: who runs an executable trusts its author.
class Executable {
public:
  /// Maps and checks the file at `path`.
  static Result<Executable> open(const std::filesystem::path &path);

  /// Checks `bytes`, aligned to 64, which must outlive the result; files it refers to are relative to `folder`.
  static Result<Executable> fromBytes(std::span<const std::byte> bytes,
                                      std::filesystem::path folder);

  const abi::Executable &table() const { return *root; }
  const std::filesystem::path &folder() const { return baseFolder; }
  std::span<const std::byte> hash() const;
  int64_t fileBytes() const { return static_cast<int64_t>(content.size()); }

  const Mesh &mesh() const { return rankMesh; }
  const std::vector<VariableInfo> &variables() const { return variableInfos; }
  const std::vector<ProgramInfo> &programs() const { return programInfos; }
  /// Null when there is none of that name.
  const ProgramInfo *findProgram(std::string_view name) const;
  /// One that users run: not "prepare", no part of another. Errors: there is none of that name (lists those there are).
  Result<const ProgramInfo *> program(std::string_view name) const;

private:
  Executable() = default;

  std::optional<MappedFile> file;
  std::span<const std::byte> content;
  std::filesystem::path baseFolder;
  const abi::Executable *root = nullptr;
  Mesh rankMesh;
  std::vector<VariableInfo> variableInfos;
  std::vector<ProgramInfo> programInfos;
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_EXECUTABLE_H
