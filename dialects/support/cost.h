// What an op costs on one device.
#ifndef SHEAF_DIALECTS_SUPPORT_COST_H
#define SHEAF_DIALECTS_SUPPORT_COST_H

#include <cstdint>

namespace sheaf {

/// Work of one op. A multiply-add counts two flops; bytes are of the stored element types.
struct Cost {
  int64_t flops = 0;
  int64_t bytesRead = 0;
  int64_t bytesWritten = 0;
};

} // namespace sheaf

#endif
