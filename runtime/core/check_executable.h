// The checks an executable passes before anything in it is used; each decodes what it checks.
#ifndef SHEAF_RUNTIME_CORE_CHECK_EXECUTABLE_H
#define SHEAF_RUNTIME_CORE_CHECK_EXECUTABLE_H

#include "runtime/core/executable.h"

namespace sheaf::rt {

/// Whether the numbers of `list` lie at multiples of their size, which the verifier of FlatBuffers does not ask for
/// those of 8 bytes. Of a null or empty list too.
template <typename T> bool isAligned(const flatbuffers::Vector<T> *list) {
  return !list || list->size() == 0 || reinterpret_cast<uintptr_t>(list->Data()) % sizeof(T) == 0;
}

/// A row-major shape. Errors: a negative extent, too many dims or bytes.
Result<BufferShape> checkedShape(abi::ElementType type, std::vector<int64_t> dims);

/// Decodes a type into a row-major shape. Errors: an unknown element type, and what checkedShape refuses.
Result<BufferShape> decodeType(const abi::TensorType &type);

using DimCutTables = flatbuffers::Vector<flatbuffers::Offset<abi::DimCut>>;

/// How a value is cut whose type on one rank is `local`: along distinct parts of axes of `mesh`, into blocks that are
/// that type's dims. `cuts` may be null, as may `globalDims` when nothing is cut.
Result<Sharding> checkSharding(const flatbuffers::Vector<int64_t> *globalDims,
                               const DimCutTables *cuts, const BufferShape &local,
                               const Mesh &mesh);

/// Variables: distinct names, one origin each, sizes that agree with it.
Result<std::vector<VariableInfo>> checkVariables(const abi::Executable &executable,
                                                 const Mesh &mesh);

/// One program: its signature, buffers and instructions. `variables` gives the sizes of variables.
Result<ProgramInfo> checkProgram(const abi::Program &program, const Mesh &mesh,
                                 const std::vector<VariableInfo> &variables);

/// Decodes the parts of all programs: they exist, have no parts, fit the arena of the whole, and take and give by name
/// what it takes and gives.
Status checkParts(std::vector<ProgramInfo> &programs);

/// Carried variables: only parts use them, and none before a part that runs earlier, or itself, has written them.
/// `checkParts` has passed.
Status checkCarried(const std::vector<ProgramInfo> &programs,
                    const std::vector<VariableInfo> &variables);

/// The streams and events of `program`: every event is set once, before (in list order) anything waits for it. So
/// streams that run their instructions in list order can't wait for each other in a circle.
Status checkOrder(const ProgramInfo &program);

/// What instructions of different streams do to the same bytes: where one of them writes, events put them in order.
/// `checkOrder` has passed.
Status checkRaces(const ProgramInfo &program);

/// The blocks of arenas: none holds a value while another one that shares bytes with it does. A value is in use from
/// the first instruction of the list that touches it to the last. Streams are the matter of `checkRaces`.
Status checkMemoryPlan(const ProgramInfo &program);

/// Instruction `index`: its buffers exist, may be written, and overlap only where they are the same bytes.
Status checkInstruction(const ProgramInfo &program, size_t index);

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_CHECK_EXECUTABLE_H
