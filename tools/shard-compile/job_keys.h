// Where a job file has the flags.
#ifndef SHEAF_TOOLS_SHARD_COMPILE_JOB_KEYS_H
#define SHEAF_TOOLS_SHARD_COMPILE_JOB_KEYS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"
#include <string>

namespace sheaf::compile {

/// The keys of a job. A path is that of a key from the top, as "train.optimizer.lr".
class JobKeys {
public:
  /// Of the long flags in `category`; each has a key.
  explicit JobKeys(const llvm::cl::OptionCategory &category);

  /// The flag whose value stands at `path`; null if none does. One that stands where a section does is given by what
  /// is in there.
  llvm::cl::Option *flagAt(llvm::StringRef path) const;
  /// Whether other keys are in the mapping at `path`.
  bool isSection(llvm::StringRef path) const;
  /// "kind, lr, ..."
  std::string keysOf(llvm::StringRef section) const;
  /// The key that is likely meant by `key` in `section`: its name, or its path if it is not in there.
  std::string nearest(llvm::StringRef section, llvm::StringRef key) const;

private:
  llvm::StringMap<llvm::cl::Option *> flags; ///< by path
};

/// The path of `key` in `section`, which is empty for the top.
std::string pathOf(llvm::StringRef section, llvm::StringRef key);

} // namespace sheaf::compile

#endif
