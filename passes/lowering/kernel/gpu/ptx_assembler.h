// Turns PTX into machine code of chips, where NVIDIA's assembler is at hand.
#ifndef SHEAF_PASSES_LOWERING_KERNEL_GPU_PTX_ASSEMBLER_H
#define SHEAF_PASSES_LOWERING_KERNEL_GPU_PTX_ASSEMBLER_H

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"
#include <memory>

namespace sheaf::lowering {

class PtxAssembler {
public:
  /// libnvJitLink of this machine, else the program `ptxas`; null where there is neither. They are
  /// looked for in the usual places of libraries and programs, and in CUDA_HOME.
  static std::unique_ptr<PtxAssembler> find();

  virtual ~PtxAssembler() = default;

  /// The cubin of `ptx` for one compute capability. Errors: the assembler's words, at `location`.
  virtual mlir::FailureOr<llvm::SmallVector<char, 0>> assemble(llvm::StringRef ptx, unsigned chip,
                                                               mlir::Location location) = 0;
};

} // namespace sheaf::lowering

#endif
