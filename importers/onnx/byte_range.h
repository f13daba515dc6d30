// A range of bytes in a file.
#ifndef SHEAF_IMPORTERS_ONNX_BYTE_RANGE_H
#define SHEAF_IMPORTERS_ONNX_BYTE_RANGE_H

#include <cstdint>
#include <string>

namespace sheaf::onnx {

/// `length` bytes at `offset` of the file `path`.
struct ByteRange {
  std::string path;
  uint64_t offset = 0;
  uint64_t length = 0;
};

} // namespace sheaf::onnx

#endif
