// A job as a file: the command line of shard-compile in YAML.
#ifndef SHEAF_TOOLS_SHARD_COMPILE_JOB_FILE_H
#define SHEAF_TOOLS_SHARD_COMPILE_JOB_FILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include <optional>
#include <string>

namespace sheaf::compile {

/// Whether the path of a model is that of a job: .yaml or .yml.
bool isJobFile(llvm::StringRef path);

/// Gives the flags in `category` the values in the file at `path`, except those that the command line gave, and
/// returns the path of the model. `JobKeys` says which keys there are. A value is what the flag takes; of a switch
/// true or false; of flags that repeat or take commas a list; of those that take NAME=VALUE a mapping. A loss is a
/// mapping of its kind and names, rules are files and mappings of globs to the axes of each dim. Paths are relative to
/// the file.
///
/// None after an error, which has been printed with file, line and column: no YAML, more than one document, keys that
/// are unknown or come twice, values of another form, mappings and lists of nothing.
std::optional<std::string> applyJobFile(llvm::StringRef path,
                                        const llvm::cl::OptionCategory &category);

} // namespace sheaf::compile

#endif
