// Executables whose variables are cut in some way, the values of these, and saves of them by all ranks.
#ifndef SHEAF_TEST_RUNTIME_IO_CHECKPOINT_SAVED_PROGRAM_H
#define SHEAF_TEST_RUNTIME_IO_CHECKPOINT_SAVED_PROGRAM_H

#include "runtime/io/checkpoint/box_overlap.h"
#include "runtime/io/checkpoint/checkpoint.h"
#include "runtime/io/checkpoint/save.h"
#include "test/runtime/executable_builder.h"
#include "test/runtime/process_folder.h"

#include <gtest/gtest.h>
#include <random>

namespace sheaf::rt::io {

/// An executable in memory.
class SavedProgram {
public:
  SavedProgram(std::vector<test::TestAxis> mesh, std::vector<test::TestVariable> variables)
      : bytes(make(std::move(mesh), std::move(variables)).build()),
        file(std::move(*Executable::fromBytes(bytes.bytes(), "."))) {}

  const Executable &executable() const { return file; }

private:
  static test::TestExecutable make(std::vector<test::TestAxis> mesh,
                                   std::vector<test::TestVariable> variables) {
    test::TestExecutable description;
    description.mesh = std::move(mesh);
    description.variables = std::move(variables);
    return description;
  }

  test::AlignedBytes bytes;
  Executable file;
};

/// A variable that is saved. `extents` are of the whole value; `cuts` may be empty.
inline test::TestVariable savedVariable(std::string name, test::ElementType type,
                                        std::vector<int64_t> extents, test::TestCuts cuts = {},
                                        abi::VariableRole role = abi::VariableRole::parameter) {
  test::TestVariable variable{std::move(name), type, extents};
  variable.globalDims = std::move(extents);
  for (size_t dim = 0; dim < cuts.size(); ++dim)
    for (const test::TestAxisPart &part : cuts[dim])
      variable.dims[dim] = abi::blockOf(variable.dims[dim], part.size);
  variable.cuts = std::move(cuts);
  variable.role = role;
  variable.splat.resize(static_cast<size_t>(abi::bytesOf(type)));
  return variable;
}

/// Whole values, by name.
using Values = std::map<std::string, std::vector<std::byte>>;

/// Random bytes for each variable.
inline Values randomValues(const Executable &executable, unsigned seed) {
  std::mt19937 random(seed);
  Values values;
  for (const VariableInfo &variable : executable.variables()) {
    BufferShape shape = variable.globalShape();
    auto &bytes = values[std::string(variable.name())];
    bytes.resize(static_cast<size_t>(shape.elements() * shape.elementBytes()));
    for (std::byte &byte : bytes)
      byte = static_cast<std::byte>(random());
  }
  return values;
}

/// Copies of the blocks of `rank`, as the rank holds them in memory with padding.
inline Snapshot snapshotOf(const Executable &executable, int rank, const Values &values) {
  Result<Snapshot> snapshot = Snapshot::create(executable, rank);
  EXPECT_TRUE(snapshot.isOk());
  std::vector<int64_t> coordinates = executable.mesh().coordinatesOf(rank);
  std::vector<std::vector<std::byte>> memory(executable.variables().size());
  snapshot->take([&](size_t index) {
    const VariableInfo &variable = executable.variables()[index];
    ShardBox box = shardBox(variable.sharding, executable.mesh(), coordinates);
    BoxCopy copy(variable.sharding.globalDims, box, variable.shape.elementBytes());
    memory[index].resize(static_cast<size_t>(copy.localBytes()));
    copy.toLocal(values.at(std::string(variable.name())).data(), memory[index].data());
    return Snapshot::HeldValue{memory[index].data(), box};
  });
  return std::move(*snapshot);
}

/// Saves `values` with all ranks, one after the other.
inline Status saveAll(const Executable &executable, const Values &values, const SaveTarget &target,
                      int64_t pieceBytes = 64, const StageListener &onStage = {},
                      const Json &training = Json::object()) {
  if (Status status = beginSave(target, onStage); !status.isOk())
    return status;
  int numRanks = executable.mesh().numRanks();
  for (int rank = 0; rank < numRanks; ++rank)
    if (Status status = writeRankFile(target.partialPath(), snapshotOf(executable, rank, values),
                                      pieceBytes, onStage);
        !status.isOk())
      return status;
  return commitSave(target, numRanks, executable.mesh().axes(), training, onStage);
}

/// Reads what every rank of `executable` holds, and compares it with what it should.
inline void expectReads(const Checkpoint &checkpoint, const Executable &executable,
                        const Values &values) {
  for (int rank = 0; rank < executable.mesh().numRanks(); ++rank) {
    std::vector<int64_t> coordinates = executable.mesh().coordinatesOf(rank);
    for (const VariableInfo &variable : executable.variables()) {
      const StoredVariable *stored = checkpoint.find(variable.name());
      if (!stored) {
        EXPECT_EQ(variable.globalShape().elements(), 0) << variable.name();
        continue;
      }
      ShardBox box = shardBox(variable.sharding, executable.mesh(), coordinates);
      BoxCopy copy(variable.sharding.globalDims, box, variable.shape.elementBytes());
      std::vector<std::byte> wanted(static_cast<size_t>(copy.localBytes()), std::byte(0xab));
      std::vector<std::byte> found = wanted; // Padding stays as it is.
      copy.toLocal(values.at(std::string(variable.name())).data(), wanted.data());
      Status status = checkpoint.read(*stored, box, found.data());
      EXPECT_TRUE(status.isOk()) << status.text();
      EXPECT_EQ(found, wanted) << variable.name() << " of rank " << rank << ": "
                               << variable.sharding.str(executable.mesh());
    }
  }
}

/// A new folder of this process.
inline std::filesystem::path newFolder(const std::string &name) {
  static int count = 0;
  std::filesystem::path path = test::processFolder() / (name + std::to_string(count++));
  std::filesystem::create_directories(path);
  return path;
}

} // namespace sheaf::rt::io

#endif // SHEAF_TEST_RUNTIME_IO_CHECKPOINT_SAVED_PROGRAM_H
