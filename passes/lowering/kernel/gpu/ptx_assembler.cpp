// Finds an assembler.
#include "passes/lowering/kernel/gpu/ptx_assembler.h"

#include "passes/lowering/kernel/gpu/linker_library.h"
#include "passes/lowering/kernel/gpu/ptxas_program.h"

using namespace sheaf::lowering;

std::unique_ptr<PtxAssembler> PtxAssembler::find() {
  if (std::unique_ptr<PtxAssembler> library = findLinkerLibrary())
    return library;
  return findPtxasProgram();
}
