// The text of a job, and what is wrong with it.
#ifndef SHEAF_TOOLS_SHARD_COMPILE_JOB_TEXT_H
#define SHEAF_TOOLS_SHARD_COMPILE_JOB_TEXT_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"
#include <string>

namespace sheaf::compile {

/// One YAML document, whose nodes may be walked once, in order.
class JobText {
public:
  JobText(llvm::StringRef path, llvm::MemoryBufferRef text);

  llvm::StringRef getPath() const { return path; }
  /// Null if there is none.
  llvm::yaml::Node *root();

  unsigned lineOf(const llvm::yaml::Node *node) const;
  /// "job.yaml:3:1"
  std::string placeOf(const llvm::yaml::Node *node) const;

  /// Notes that `node` is wrong; what comes first counts. Fails.
  llvm::LogicalResult refuse(const llvm::yaml::Node *node, const llvm::Twine &what);
  /// The same of a value of `key` that is not of its form.
  llvm::LogicalResult refuseForm(const llvm::yaml::Node *node, llvm::StringRef key,
                                 const llvm::Twine &form);
  /// What was refused, unless the text is no YAML, which makes the rest uninteresting; empty if nothing was.
  std::string mistake() const { return syntaxError.empty() ? refused : syntaxError; }

private:
  static void keepFirst(const llvm::SMDiagnostic &diagnostic, void *context);

  llvm::StringRef path;
  llvm::SourceMgr sources;
  llvm::yaml::Stream stream;
  std::string syntaxError, refused;
};

} // namespace sheaf::compile

#endif
