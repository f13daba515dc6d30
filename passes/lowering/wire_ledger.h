// What the collectives of a program move, by class and mesh axes: the lines that the runtime counts.
#ifndef SHEAF_PASSES_LOWERING_WIRE_LEDGER_H
#define SHEAF_PASSES_LOWERING_WIRE_LEDGER_H

#include "passes/lowering/whole_program.h"
#include "runtime/abi/traffic.h"

namespace sheaf::lowering {

/// The calls of one class of collective over one list of axes.
struct WireLine {
  std::string collective; ///< "all_reduce"
  std::string axes;       ///< "data,tensor"; parts of axes as "data:(1)2"
  int64_t calls = 0;
  abi::Traffic traffic = {}; ///< of all calls
};

/// The lines of one run of `program`, in the order they come up; those of runtime/core/ledger.h for it.
/// Calls in groups of one rank move nothing and are not counted.
std::vector<WireLine> wireLedger(const WholeProgram &program);

/// The mesh of the module; null where it runs on one rank.
exec::MeshOp meshOf(mlir::ModuleOp module);
/// "data=2, tensor=2"
std::string meshText(exec::MeshOp mesh);

} // namespace sheaf::lowering

#endif
