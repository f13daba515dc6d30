// The program ptxas as an assembler.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_GPU_PTXAS_PROGRAM_H
#define SHEAF_PASSES_LOWERING_KERNEL_GPU_PTXAS_PROGRAM_H

#include "passes/lowering/kernel/gpu/ptx_assembler.h"

namespace sheaf::lowering {

/// Null where the program is not found.
std::unique_ptr<PtxAssembler> findPtxasProgram();

} // namespace sheaf::lowering

#endif
