// All ops of the exec dialect.
#ifndef SHEAF_DIALECTS_EXEC_EXEC_OPS
#define SHEAF_DIALECTS_EXEC_EXEC_OPS

include "dialects/exec/ops/instruction.td"
include "dialects/exec/ops/memory.td"
include "dialects/exec/ops/program.td"
include "dialects/exec/ops/value.td"

#endif
