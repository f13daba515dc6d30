// Builds small executables in memory, for tests of the runtime that need no compiler.
#ifndef SHEAF_TEST_RUNTIME_EXECUTABLE_BUILDER_H
#define SHEAF_TEST_RUNTIME_EXECUTABLE_BUILDER_H

#include "runtime/core/content_hash.h"
#include "runtime/core/executable.h"

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sheaf::rt::test {

using abi::ElementType;

/// A parameter of an instruction.
struct Param {
  enum class Kind { ints, floats, text } kind;
  std::string name;
  std::vector<int64_t> ints;
  std::vector<double> floats;
  std::string text;
};
inline Param ints(std::string name, std::vector<int64_t> values) {
  return {Param::Kind::ints, std::move(name), std::move(values), {}, {}};
}
inline Param floats(std::string name, std::vector<double> values) {
  return {Param::Kind::floats, std::move(name), {}, std::move(values), {}};
}
inline Param text(std::string name, std::string value) {
  return {Param::Kind::text, std::move(name), {}, {}, std::move(value)};
}

/// A part of a mesh axis: its index, pre-size and size.
struct TestAxisPart {
  uint32_t axis;
  int64_t preSize, size;
};
/// Per dim of a value.
using TestCuts = std::vector<std::vector<TestAxisPart>>;

/// A buffer of a program.
struct TestBuffer {
  /// Of an arena: buffers that share bytes are of one block, as if they viewed one value all the time.
  static constexpr uint32_t blockOfItsBytes = UINT32_MAX - 1;
  static constexpr uint32_t noBlock = UINT32_MAX;

  ElementType type;
  std::vector<int64_t> dims;
  abi::Storage storage = abi::Storage::arena;
  uint32_t index = 0;
  uint64_t offset = 0;
  std::vector<int64_t> strides = {};
  uint32_t block = blockOfItsBytes;
};

struct TestInstruction {
  std::string name;
  std::vector<uint32_t> ins, outs = {};
  std::vector<Param> params = {};
  uint32_t stream = 0;
  std::vector<uint32_t> waits = {}, records = {};
  abi::InstructionKind kind = abi::InstructionKind::call;
  int64_t units = 0;
  std::string location = "the user's node";
  uint32_t grid = 0, blockThreads = 0;
};

struct TestSignature {
  std::string name;
  ElementType type;
  std::vector<int64_t> dims;
  uint32_t defaultVariable = UINT32_MAX;
  std::vector<int64_t> globalDims = {}; ///< with the cuts; without: dims
  TestCuts cuts = {};
  std::optional<int64_t> padding = {};
};

/// A program, by its index, and how often it runs.
struct TestPart {
  uint32_t program, times = 1;
};

struct TestProgram {
  std::string name = "forward";
  std::vector<TestSignature> inputs = {}, outputs = {};
  std::vector<TestBuffer> buffers = {};
  std::vector<TestInstruction> instructions = {};
  std::vector<uint64_t> arenaBytes = {0};
  uint32_t numStreams = 1, numEvents = 0;
  int64_t microBatches = 0;
  std::vector<TestPart> parts = {};
};

struct TestVariable {
  std::string name;
  ElementType type;
  std::vector<int64_t> dims;
  uint32_t constant = UINT32_MAX;
  bool isPrepareOnly = false;
  uint64_t packedBytes = 0;
  std::string file = {}; ///< with the range below
  uint64_t offset = 0, bytes = 0, fileBytes = 0;
  std::vector<int64_t> globalDims = {}; ///< with the cuts; without: dims
  TestCuts cuts = {};
  abi::VariableRole role = abi::VariableRole::other;
  std::vector<uint8_t> splat = {};
};

/// The bytes of an executable, aligned to 64.
class AlignedBytes {
public:
  explicit AlignedBytes(std::span<const std::byte> bytes)
      : size(bytes.size()), memory(std::aligned_alloc(64, (size + 64) / 64 * 64), &std::free) {
    std::memcpy(memory.get(), bytes.data(), size);
  }
  std::span<std::byte> bytes() { return {static_cast<std::byte *>(memory.get()), size}; }

private:
  size_t size;
  std::unique_ptr<void, decltype(&std::free)> memory;
};

/// Puts the right hash into an executable that has room for it.
inline void storeHash(std::span<std::byte> bytes) {
  const auto *stored = abi::GetExecutable(bytes.data())->content_hash();
  auto offset =
      static_cast<size_t>(reinterpret_cast<const std::byte *>(stored->data()) - bytes.data());
  ContentHash hash = contentHash(bytes, offset);
  std::copy(hash.begin(), hash.end(), bytes.begin() + static_cast<ptrdiff_t>(offset));
}

struct TestAxis {
  std::string name;
  int64_t size;
};

/// A whole executable.
struct TestExecutable {
  std::vector<TestAxis> mesh;
  std::vector<uint32_t> devices;
  std::vector<TestVariable> variables;
  std::vector<std::vector<uint8_t>> constants;
  std::vector<TestProgram> programs;
  std::vector<uint8_t> kernels;
  std::vector<uint8_t> reference; ///< a whole executable
  uint32_t version = executableVersion;
  std::string target = "host", features;
  std::string ptx = {}; ///< of every chip

  AlignedBytes build() const {
    namespace fb = flatbuffers;
    fb::FlatBufferBuilder b;
    auto type = [&](ElementType element, const std::vector<int64_t> &dims) {
      return abi::CreateTensorTypeDirect(b, element, &dims);
    };
    auto constantOf = [&](const std::vector<uint8_t> &bytes) {
      b.ForceVectorAlignment(bytes.size(), 1, 64);
      return abi::CreateConstant(b, b.CreateVector(bytes));
    };
    std::vector<fb::Offset<abi::Variable>> variableTables;
    for (const TestVariable &v : variables) {
      fb::Offset<abi::FileRange> range;
      if (!v.file.empty())
        range = abi::CreateFileRangeDirect(b, v.file.c_str(), v.offset, v.bytes, v.fileBytes);
      auto cuts = cutTables(b, v.cuts);
      variableTables.push_back(abi::CreateVariableDirect(
          b, v.name.c_str(), type(v.type, v.dims), v.cuts.empty() ? &v.dims : &v.globalDims,
          v.cuts.empty() ? nullptr : &cuts, range, v.constant, v.isPrepareOnly, v.packedBytes,
          v.role, v.splat.empty() ? nullptr : &v.splat));
    }
    std::vector<fb::Offset<abi::Constant>> constantTables;
    for (const std::vector<uint8_t> &bytes : constants)
      constantTables.push_back(constantOf(bytes));
    fb::Offset<abi::Constant> kernelTable;
    if (!kernels.empty())
      kernelTable = constantOf(kernels);
    fb::Offset<abi::Constant> referenceTable;
    if (!reference.empty())
      referenceTable = constantOf(reference);
    std::vector<fb::Offset<abi::DeviceCode>> deviceCode;
    if (!ptx.empty())
      deviceCode.push_back(abi::CreateDeviceCode(b, /*chip=*/80, /*is_ptx=*/true,
                                                 constantOf({ptx.begin(), ptx.end()})));
    std::vector<fb::Offset<abi::Program>> programTables;
    for (const TestProgram &p : programs)
      programTables.push_back(buildProgram(b, p));
    std::vector<fb::Offset<abi::MeshAxis>> axes;
    for (const TestAxis &axis : mesh)
      axes.push_back(abi::CreateMeshAxisDirect(b, axis.name.c_str(), axis.size));
    std::vector<uint8_t> hash(32, 0);
    abi::FinishExecutableBuffer(
        b, abi::CreateExecutableDirect(b, version, target.c_str(), "test-cpu", features.c_str(),
                                       "model.onnx", &axes, &devices, &variableTables,
                                       &constantTables, kernelTable, &programTables, &hash,
                                       referenceTable, deviceCode.empty() ? nullptr : &deviceCode));
    AlignedBytes bytes({reinterpret_cast<const std::byte *>(b.GetBufferPointer()), b.GetSize()});
    storeHash(bytes.bytes());
    return bytes;
  }

private:
  static std::vector<flatbuffers::Offset<abi::DimCut>> cutTables(flatbuffers::FlatBufferBuilder &b,
                                                                 const TestCuts &cuts) {
    std::vector<flatbuffers::Offset<abi::DimCut>> tables;
    for (const std::vector<TestAxisPart> &dim : cuts) {
      std::vector<abi::AxisPart> parts;
      for (const TestAxisPart &part : dim)
        parts.push_back(abi::AxisPart(part.axis, part.preSize, part.size));
      tables.push_back(abi::CreateDimCutDirect(b, &parts));
    }
    return tables;
  }

  /// The bytes that a buffer views; none of one that the reader is to refuse.
  static ByteExtent extentOf(const TestBuffer &t) {
    double elements = 1;
    for (int64_t dim : t.dims)
      elements *= dim < 0 ? 1e30 : static_cast<double>(std::max<int64_t>(dim, 1));
    if (elements > 1e15 || t.type > ElementType::MAX ||
        (!t.strides.empty() && t.strides.size() != t.dims.size()))
      return {};
    BufferShape shape = rowMajorShape(t.type, t.dims);
    if (!t.strides.empty())
      shape.strides = t.strides;
    return byteExtent(shape).value_or(ByteExtent());
  }

  /// The block of each buffer of the program.
  static std::vector<uint32_t> blocksOf(const TestProgram &p) {
    struct Range {
      uint32_t arena;
      int64_t begin, end;
      size_t buffer;
    };
    std::vector<uint32_t> blocks;
    std::vector<Range> ranges;
    for (const TestBuffer &t : p.buffers) {
      if (t.storage == abi::Storage::arena && t.block == TestBuffer::blockOfItsBytes) {
        ByteExtent extent = extentOf(t);
        auto offset = static_cast<int64_t>(t.offset);
        ranges.push_back({t.index, offset + extent.begin, offset + extent.end, blocks.size()});
      }
      blocks.push_back(t.storage == abi::Storage::arena ? t.block : TestBuffer::noBlock);
    }
    std::ranges::sort(ranges, {}, [](const Range &r) { return std::pair(r.arena, r.begin); });
    uint32_t number = 1 << 20; // Tests give small ones.
    for (size_t i = 0; i < ranges.size(); ++i) {
      const Range *before = i > 0 ? &ranges[i - 1] : nullptr;
      number += !before || before->arena != ranges[i].arena || before->end <= ranges[i].begin;
      if (before && before->arena == ranges[i].arena)
        ranges[i].end = std::max(ranges[i].end, before->end);
      blocks[ranges[i].buffer] = number;
    }
    return blocks;
  }

  static flatbuffers::Offset<abi::Program> buildProgram(flatbuffers::FlatBufferBuilder &b,
                                                        const TestProgram &p) {
    namespace fb = flatbuffers;
    auto type = [&](ElementType element, const std::vector<int64_t> &dims) {
      return abi::CreateTensorTypeDirect(b, element, &dims);
    };
    auto signatures = [&](const std::vector<TestSignature> &list) {
      std::vector<fb::Offset<abi::Signature>> tables;
      for (const TestSignature &s : list) {
        auto cuts = cutTables(b, s.cuts);
        tables.push_back(abi::CreateSignatureDirect(
            b, s.name.c_str(), type(s.type, s.dims), s.cuts.empty() ? &s.dims : &s.globalDims,
            s.cuts.empty() ? nullptr : &cuts, s.defaultVariable, s.padding.has_value(),
            s.padding.value_or(0)));
      }
      return tables;
    };
    std::vector<fb::Offset<abi::Signature>> inputs = signatures(p.inputs);
    std::vector<fb::Offset<abi::Signature>> outputs = signatures(p.outputs);
    std::vector<fb::Offset<abi::Buffer>> buffers;
    std::vector<uint32_t> blocks = blocksOf(p);
    for (size_t i = 0; i < p.buffers.size(); ++i) {
      const TestBuffer &t = p.buffers[i];
      buffers.push_back(abi::CreateBufferDirect(b, type(t.type, t.dims), t.storage, t.index,
                                                t.offset, t.strides.empty() ? nullptr : &t.strides,
                                                blocks[i]));
    }
    std::vector<fb::Offset<abi::Instruction>> instructions;
    for (const TestInstruction &i : p.instructions) {
      std::vector<fb::Offset<abi::Param>> params;
      for (const Param &q : i.params)
        params.push_back(abi::CreateParamDirect(
            b, q.name.c_str(), q.kind == Param::Kind::ints ? &q.ints : nullptr,
            q.kind == Param::Kind::floats ? &q.floats : nullptr,
            q.kind == Param::Kind::text ? q.text.c_str() : nullptr));
      instructions.push_back(abi::CreateInstructionDirect(
          b, i.kind, i.name.c_str(), &i.ins, &i.outs, &params, i.units, 1, 4, i.stream, &i.waits,
          &i.records, i.location.c_str(), i.grid, i.blockThreads));
    }
    std::vector<abi::Part> parts;
    for (const TestPart &part : p.parts)
      parts.push_back(abi::Part(part.program, part.times));
    return abi::CreateProgramDirect(b, p.name.c_str(), &inputs, &outputs, &buffers, &instructions,
                                    &p.arenaBytes, p.numStreams, p.numEvents, /*planned_bytes=*/0,
                                    nullptr, p.microBatches, parts.empty() ? nullptr : &parts);
  }
};

} // namespace sheaf::rt::test

#endif // SHEAF_TEST_RUNTIME_EXECUTABLE_BUILDER_H
