// Files that appear whole or not at all.
#ifndef SHEAF_PASSES_LOWERING_EMIT_WHOLE_FILE_H
#define SHEAF_PASSES_LOWERING_EMIT_WHOLE_FILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace sheaf::lowering {

/// Writes `bytes` beside `path`, syncs them to the disk and renames. Errors: say what failed; nothing
/// is left behind then, and a file that was at `path` is still as it was.
llvm::Error writeWholeFile(llvm::StringRef path, llvm::ArrayRef<uint8_t> bytes);

} // namespace sheaf::lowering

#endif
