// Feeds bytes to the reader of checkpoint indexes: whatever they are, it reads them or gives an error.
#include "runtime/io/checkpoint/index.h"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto index = sheaf::rt::io::parseIndex({reinterpret_cast<const std::byte *>(data), size});
  if (index.isOk())
    (void)checkBlocks(*index).isOk();
  return 0;
}
