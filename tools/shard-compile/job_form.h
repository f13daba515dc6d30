// How a job writes the values of flags.
#ifndef SHEAF_TOOLS_SHARD_COMPILE_JOB_FORM_H
#define SHEAF_TOOLS_SHARD_COMPILE_JOB_FORM_H

#include "llvm/Support/CommandLine.h"
#include <string>

namespace sheaf::compile {

/// Whether the value is true or false.
bool isSwitch(const llvm::cl::Option &flag);
/// Whether there may be several values: a list.
bool isRepeated(const llvm::cl::Option &flag);
/// Whether a value is NAME=VALUE: an entry of a mapping.
bool isAssignment(const llvm::cl::Option &flag);

/// "a list, as in [\"dp\", \"tp\"]"
std::string formOf(const llvm::cl::Option &flag);

} // namespace sheaf::compile

#endif
