// What tells the two passes of a training step over its stored parameters apart.
#ifndef SHEAF_DIALECTS_DIST_GATHERED_AGAIN_H
#define SHEAF_DIALECTS_DIST_GATHERED_AGAIN_H

#include "llvm/ADT/StringRef.h"

namespace sheaf::dist {

/// On an op that brings a stored parameter (`dist.parameters`) to where it is used, a unit: it does so a second time,
/// for the backward pass.
inline constexpr llvm::StringLiteral kGatheredAgain("dist.gathered_again");

} // namespace sheaf::dist

#endif
