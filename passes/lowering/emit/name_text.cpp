// Escapes names that are not UTF-8.
#include "passes/lowering/emit/name_text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

/// Bytes of the character that `text` begins with; 0 when it begins with none.
static size_t characterBytes(StringRef text) {
  auto *begin = reinterpret_cast<const UTF8 *>(text.data());
  unsigned size = getNumBytesForUTF8(*begin);
  return size <= text.size() && isLegalUTF8Sequence(begin, begin + size) ? size : 0;
}

std::string sheaf::lowering::nameText(StringRef name) {
  if (json::isUTF8(name))
    return name.str();
  std::string text;
  while (!name.empty()) {
    size_t size = characterBytes(name);
    if (size == 0)
      text += "\\x" + toHex(name.take_front(1));
    else if (name.front() == '\\')
      text += "\\\\";
    else
      text += name.take_front(size);
    name = name.drop_front(std::max<size_t>(size, 1));
  }
  return text;
}
