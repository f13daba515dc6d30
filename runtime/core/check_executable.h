// The checks an executable passes before anything in it is used; each decodes what it checks.
#ifndef SHEAF_RUNTIME_CORE_CHECK_EXECUTABLE_H
#define SHEAF_RUNTIME_CORE_CHECK_EXECUTABLE_H

#include "runtime/core/executable.h"

namespace sheaf::rt {

/// Whether the numbers of `list` lie at multiples of their size, which the verifier of FlatBuffers does not ask for
/// those of 8 bytes. So are no numbers.
template <typename T> bool isAligned(const flatbuffers::Vector<T> *list) {
  return !list || list->size() == 0 || reinterpret_cast<uintptr_t>(list->Data()) % sizeof(T) == 0;
}

/// Decodes a type into a row-major shape. Errors: an unknown element type, a negative extent, too many elements.
Result<BufferShape> decodeType(const abi::TensorType &type);

/// Variables: distinct names, one origin each, sizes that agree with it.
Result<std::vector<VariableInfo>> checkVariables(const abi::Executable &executable);

/// One program: its signature, buffers and instructions. `variables` gives the sizes of variables.
Result<ProgramInfo> checkProgram(const abi::Program &program,
                                 const std::vector<VariableInfo> &variables);

/// The streams and events of `program`: every event is set once, before (in list order) anything waits for it. So
/// streams that run their instructions in list order can't wait for each other in a circle.
Status checkOrder(const ProgramInfo &program);

/// What instructions of different streams do to the same bytes: where one of them writes, events put them in order.
/// `checkOrder` has passed.
Status checkRaces(const ProgramInfo &program);

/// Instruction `index`: its buffers exist, may be written, and overlap only where they are the same bytes.
Status checkInstruction(const ProgramInfo &program, size_t index);

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_CHECK_EXECUTABLE_H
