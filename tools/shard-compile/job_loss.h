// The loss of a job: a mapping, where the flag has one text.
#ifndef SHEAF_TOOLS_SHARD_COMPILE_JOB_LOSS_H
#define SHEAF_TOOLS_SHARD_COMPILE_JOB_LOSS_H

#include "tools/shard-compile/job_text.h"
#include "llvm/ADT/MapVector.h"
#include <string>

namespace sheaf::compile {

inline constexpr llvm::StringLiteral kLossSection = "train.loss";

class JobLoss {
public:
  explicit JobLoss(JobText &text) : text(text) {}

  /// The keys that the text of a loss is made of: `kind`, and those of some kind.
  static llvm::ArrayRef<llvm::StringRef> parts();
  static bool hasPart(llvm::StringRef key);

  /// Errors: a value that is no text.
  llvm::LogicalResult addPart(llvm::StringRef key, llvm::yaml::Node *keyNode,
                              llvm::yaml::Node *value);
  /// What the parts say, as the flag takes it. Errors: a kind that is none, parts that it lacks or does not have, at
  /// their keys, or at `node`, the key of the loss.
  llvm::FailureOr<std::string> write(llvm::yaml::Node *node);

private:
  struct Part {
    llvm::yaml::Node *key;
    std::string value;
  };

  JobText &text;
  llvm::MapVector<llvm::StringRef, Part> written;
};

} // namespace sheaf::compile

#endif
