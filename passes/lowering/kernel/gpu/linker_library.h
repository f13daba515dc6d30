// libnvJitLink as an assembler.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_GPU_LINKER_LIBRARY_H
#define SHEAF_PASSES_LOWERING_KERNEL_GPU_LINKER_LIBRARY_H

#include "passes/lowering/kernel/gpu/ptx_assembler.h"

namespace sheaf::lowering {

/// Null where the library is not found.
std::unique_ptr<PtxAssembler> findLinkerLibrary();

} // namespace sheaf::lowering

#endif
