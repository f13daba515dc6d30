// Finds lines and columns in the text of a job.
#include "tools/shard-compile/job_text.h"

using namespace llvm;

namespace sheaf::compile {

JobText::JobText(StringRef path, MemoryBufferRef text)
    : path(path), stream(text, sources, /*ShowColors=*/false) {
  sources.setDiagHandler(keepFirst, this);
}

yaml::Node *JobText::root() {
  auto document = stream.begin();
  return document == stream.end() ? nullptr : document->getRoot();
}

void JobText::keepFirst(const SMDiagnostic &diagnostic, void *context) {
  auto &text = *static_cast<JobText *>(context);
  if (text.syntaxError.empty() && diagnostic.getKind() == SourceMgr::DK_Error)
    text.syntaxError = (text.path + ":" + Twine(std::max(diagnostic.getLineNo(), 1)) + ":" +
                        Twine(diagnostic.getColumnNo() + 1) + ": " + diagnostic.getMessage())
                           .str();
}

unsigned JobText::lineOf(const yaml::Node *node) const {
  return sources.getLineAndColumn(node->getSourceRange().Start).first;
}

std::string JobText::placeOf(const yaml::Node *node) const {
  auto [line, column] = sources.getLineAndColumn(node->getSourceRange().Start);
  return (path + ":" + Twine(line) + ":" + Twine(column)).str();
}

LogicalResult JobText::refuse(const yaml::Node *node, const Twine &what) {
  if (refused.empty())
    refused = (placeOf(node) + ": " + what).str();
  return failure();
}

LogicalResult JobText::refuseForm(const yaml::Node *node, StringRef key, const Twine &form) {
  if (isa<yaml::AliasNode>(node))
    return refuse(node, key + " has a YAML alias; put what begins with * in quotes");
  return refuse(node, key + " takes " + form);
}

} // namespace sheaf::compile
