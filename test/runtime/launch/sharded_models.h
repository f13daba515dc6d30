// Executables for several ranks, built without the compiler, and the whole values that they compute.
#ifndef SHEAF_TEST_RUNTIME_LAUNCH_SHARDED_MODELS_H
#define SHEAF_TEST_RUNTIME_LAUNCH_SHARDED_MODELS_H

#include "runtime/abi/calls.h"
#include "runtime/abi/collectives.h"
#include "test/runtime/executable_builder.h"

#include <filesystem>
#include <fstream>
#include <numeric>

namespace sheaf::rt::test {

/// 0, 1, 2, ...
inline std::vector<float> counted(size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

template <typename T> std::vector<uint8_t> toBytes(const std::vector<T> &values) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(values.data());
  return {bytes, bytes + values.size() * sizeof(T)};
}

inline void writeBytes(const std::filesystem::path &path, std::span<const uint8_t> bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

inline void writeExecutable(const std::filesystem::path &path, const TestExecutable &file) {
  AlignedBytes bytes = file.build();
  writeBytes(path, {reinterpret_cast<const uint8_t *>(bytes.bytes().data()), bytes.bytes().size()});
}

/// Mesh data=2 x tensor=2 with its last two places swapped. x and the weight w, of the file w.bin beside the
/// executable, are f32[5, 6], cut by data and tensor into blocks [3, 3]: rows are uneven. Outputs: x and w as they
/// come; rows, w gathered along tensor; total, the sum of all ranks' ones.
inline TestExecutable shardedModel() {
  constexpr abi::Storage input = abi::Storage::input, output = abi::Storage::output,
                         variable = abi::Storage::variable;
  const TestCuts both = {{{0, 1, 2}}, {{1, 1, 2}}}, byRows = {{{0, 1, 2}}, {}};
  const std::vector<int64_t> local = {3, 3}, global = {5, 6};
  TestExecutable file;
  file.mesh = {{"data", 2}, {"tensor", 2}};
  file.devices = {0, 1, 3, 2};
  file.constants = {toBytes(std::vector<float>{1})};
  TestVariable weight{"w", ElementType::f32, local};
  weight.file = "w.bin";
  weight.bytes = weight.fileBytes = 120;
  weight.globalDims = global;
  weight.cuts = both;
  file.variables = {weight, {"one", ElementType::f32, {1}, 0}};
  TestProgram program;
  program.inputs = {{"x", ElementType::f32, local, UINT32_MAX, global, both}};
  program.outputs = {{"x", ElementType::f32, local, UINT32_MAX, global, both},
                     {"w", ElementType::f32, local, UINT32_MAX, global, both},
                     {"rows", ElementType::f32, {3, 6}, UINT32_MAX, global, byRows},
                     {"total", ElementType::f32, {1}}};
  program.buffers = {{ElementType::f32, local, input, 0},    {ElementType::f32, local, output, 0},
                     {ElementType::f32, local, variable, 0}, {ElementType::f32, local, output, 1},
                     {ElementType::f32, {3, 6}, output, 2},  {ElementType::f32, {1}, variable, 1},
                     {ElementType::f32, {1}, output, 3}};
  program.instructions = {
      {abi::calls::copy, {0}, {1}},
      {abi::calls::copy, {2}, {3}},
      {abi::calls::allGather, {2}, {4}, {ints("axes", {1, 1, 2}), ints("dims", {1})}},
      {abi::calls::allReduce, {5}, {6}, {ints("axes", {0, 1, 2, 1, 1, 2}), text("kind", "sum")}}};
  file.programs = {program};
  return file;
}

/// One rank that computes the same; with `hasError` its total is wrong.
inline TestExecutable unshardedModel(bool hasError = false) {
  constexpr abi::Storage input = abi::Storage::input, output = abi::Storage::output,
                         variable = abi::Storage::variable;
  const std::vector<int64_t> dims = {5, 6};
  TestExecutable file;
  file.constants = {toBytes(std::vector<float>{hasError ? 4.5f : 4.0f})};
  TestVariable weight{"w", ElementType::f32, dims};
  weight.file = "w.bin";
  weight.bytes = weight.fileBytes = 120;
  file.variables = {weight, {"four", ElementType::f32, {1}, 0}};
  TestProgram program;
  program.inputs = {{"x", ElementType::f32, dims}};
  program.outputs = {{"x", ElementType::f32, dims},
                     {"w", ElementType::f32, dims},
                     {"rows", ElementType::f32, dims},
                     {"total", ElementType::f32, {1}}};
  program.buffers = {{ElementType::f32, dims, input, 0},    {ElementType::f32, dims, output, 0},
                     {ElementType::f32, dims, variable, 0}, {ElementType::f32, dims, output, 1},
                     {ElementType::f32, dims, output, 2},   {ElementType::f32, {1}, variable, 1},
                     {ElementType::f32, {1}, output, 3}};
  program.instructions = {{abi::calls::copy, {0}, {1}},
                          {abi::calls::copy, {2}, {3}},
                          {abi::calls::copy, {2}, {4}},
                          {abi::calls::copy, {5}, {6}}};
  file.programs = {program};
  return file;
}

/// Three ranks, each of which takes the element of its index from a table of 4 and sums it with the others'. An index
/// out of range fails its rank, for which the others wait.
inline TestExecutable lookupModel() {
  TestExecutable file;
  file.mesh = {{"data", 3}};
  file.constants = {toBytes(counted(4))};
  file.variables = {{"table", ElementType::f32, {4}, 0}};
  TestProgram program;
  program.inputs = {{"index", ElementType::i64, {1}, UINT32_MAX, {3}, {{{0, 1, 3}}}}};
  program.outputs = {{"sum", ElementType::f32, {1}}};
  program.arenaBytes = {64};
  program.buffers = {{ElementType::i64, {1}, abi::Storage::input, 0},
                     {ElementType::f32, {4}, abi::Storage::variable, 0},
                     {ElementType::f32, {1}, abi::Storage::arena, 0},
                     {ElementType::f32, {1}, abi::Storage::output, 0}};
  program.instructions = {
      {abi::calls::gather, {1, 0}, {2}, {ints("dim", {0})}},
      {abi::calls::allReduce, {2}, {3}, {ints("axes", {0, 1, 3}), text("kind", "sum")}}};
  file.programs = {program};
  return file;
}

} // namespace sheaf::rt::test

#endif // SHEAF_TEST_RUNTIME_LAUNCH_SHARDED_MODELS_H
