// Programs of parts: y = x + n * (a b), summed up in a carried variable; x turned by places, in two streams.
#ifndef SHEAF_TEST_RUNTIME_PARTS_PROGRAM_H
#define SHEAF_TEST_RUNTIME_PARTS_PROGRAM_H

#include "test/runtime/executable_builder.h"

namespace sheaf::rt::test {

/// Programs 0 "sum", of the parts 1 "sum.begin", 2 "sum.trip" `times` times and 3 "sum.end".
///
/// x is [1, 4], a [1, 1], b [1, 4], all f32. The begin copies x to the carried variable 0, which trips add to where it
/// is; the end copies it to the arena, which is 64 bytes, and from there to y.
inline TestExecutable sumInParts(uint32_t times) {
  constexpr abi::Storage arena = abi::Storage::arena, input = abi::Storage::input,
                         output = abi::Storage::output, variable = abi::Storage::variable;
  TestSignature x{"x", ElementType::f32, {1, 4}}, a{"a", ElementType::f32, {1, 1}},
      b{"b", ElementType::f32, {1, 4}}, y{"y", ElementType::f32, {1, 4}};
  TestBuffer sum{ElementType::f32, {1, 4}, variable, 0};
  TestExecutable file;
  file.variables = {{"sum.carried", ElementType::f32, {1, 4}}};
  file.variables[0].role = abi::VariableRole::carried;
  TestProgram whole, begin, trip, end;
  whole.name = "sum";
  whole.inputs = {x, a, b};
  whole.outputs = {y};
  whole.arenaBytes = {64};
  whole.parts = {{1}, {2, times}, {3}};
  begin.name = "sum.begin";
  begin.inputs = {x};
  begin.buffers = {{ElementType::f32, {1, 4}, input, 0}, sum};
  begin.instructions = {{"copy", {0}, {1}}};
  trip.name = "sum.trip";
  trip.inputs = {b, a}; // In another order than the whole has them.
  trip.buffers = {{ElementType::f32, {1, 1}, input, 1}, {ElementType::f32, {1, 4}, input, 0}, sum};
  trip.instructions = {
      {"contract",
       {0, 1, 2},
       {2},
       {ints("lhs_contract", {1}), ints("rhs_contract", {0}), ints("has_addend", {1})}}};
  end.name = "sum.end";
  end.outputs = {y};
  end.arenaBytes = {64};
  end.buffers = {sum, {ElementType::f32, {1, 4}, arena, 0}, {ElementType::f32, {1, 4}, output, 0}};
  end.instructions = {{"copy", {0}, {1}}, {"copy", {1}, {2}}};
  file.programs = {whole, begin, trip, end};
  return file;
}

inline constexpr uint32_t numCells = 9;

/// Parts that turn x, which a carried variable holds, by one place in each of `times` trips; y is what it is then.
///
/// The second stream begins each part but the first by reading what the first stream of the part before has left, and
/// ends the trips by reading what the first stream of the part behind will overwrite. No event of the parts' own puts
/// that in order.
inline TestExecutable turnInParts(uint32_t times) {
  constexpr abi::Storage arena = abi::Storage::arena, input = abi::Storage::input,
                         output = abi::Storage::output, variable = abi::Storage::variable;
  auto cells = [](abi::Storage storage, uint64_t offset = 0, int64_t count = numCells) {
    return TestBuffer{ElementType::f32, {count}, storage, 0, offset};
  };
  TestProgram whole, begin, trip, end;
  whole.inputs = {{"x", ElementType::f32, {numCells}}};
  whole.outputs = {{"y", ElementType::f32, {numCells}}};
  whole.arenaBytes = {192};
  whole.parts = {{1}, {2, times}, {3}};
  begin.name = "turn.begin";
  begin.inputs = whole.inputs;
  begin.buffers = {cells(input), cells(variable)};
  begin.instructions = {{"copy", {0}, {1}}};
  trip.name = "turn.trip";
  trip.arenaBytes = {192};
  trip.numStreams = 2;
  trip.numEvents = 2;
  trip.buffers = {cells(variable),
                  cells(variable, 4, numCells - 1),
                  cells(variable, 0, 1),
                  cells(arena),
                  cells(arena, 0, numCells - 1),
                  cells(arena, 4 * (numCells - 1), 1),
                  cells(arena, 64),
                  cells(arena, 128)};
  trip.instructions = {{"copy", {0}, {6}, {}, 0, {}, {0}},
                       {"copy", {1}, {4}, {}, 1},
                       {"copy", {2}, {5}, {}, 1, {}, {1}},
                       {"copy", {3}, {0}, {}, 0, {1}},
                       {"copy", {6}, {7}, {}, 1, {0}}};
  end.name = "turn.end";
  end.outputs = whole.outputs;
  end.arenaBytes = {192};
  end.numStreams = 2;
  end.numEvents = 1;
  end.buffers = {cells(variable), cells(arena, 64), cells(arena), cells(output)};
  end.instructions = {
      {"copy", {0}, {1}}, {"copy", {0}, {2}, {}, 1, {}, {0}}, {"copy", {2}, {3}, {}, 0, {0}}};
  TestExecutable file;
  file.variables = {{"turn.carried", ElementType::f32, {numCells}}};
  file.variables[0].role = abi::VariableRole::carried;
  file.programs = {whole, begin, trip, end};
  return file;
}

} // namespace sheaf::rt::test

#endif // SHEAF_TEST_RUNTIME_PARTS_PROGRAM_H
