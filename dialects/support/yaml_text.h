// YAML that people write: read and checked before it is parsed, since parsers recurse as deep as they are told.
#ifndef SHEAF_DIALECTS_SUPPORT_YAML_TEXT_H
#define SHEAF_DIALECTS_SUPPORT_YAML_TEXT_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace sheaf {

/// What a file is for, and how it looks: messages say it.
struct YamlForm {
  llvm::StringLiteral what; ///< "rules"
  llvm::StringLiteral form; ///< "rules are a list of {name: REGEX, ...}"
  llvm::StringLiteral
      join; ///< what to do instead of a second document: "put all rules into one list"
};

/// Bytes that such a file may have: more than 10,000 rules.
inline constexpr size_t kMaxYamlBytes = size_t(1) << 20;

/// The text of the file at `path`. Errors: it can't be read, it is a device, which may have no end.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readYaml(llvm::StringRef path, YamlForm form);

/// Errors, with file and line: more bytes, deeper nesting than any form has, a second YAML document. What is no YAML at
/// all is left to the parser.
llvm::Error checkYaml(llvm::StringRef text, llvm::StringRef origin, YamlForm form);

} // namespace sheaf

#endif
