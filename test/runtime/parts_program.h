// A program of parts: y = x + n * (a b), summed up in a carried variable.
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

} // namespace sheaf::rt::test

#endif // SHEAF_TEST_RUNTIME_PARTS_PROGRAM_H
