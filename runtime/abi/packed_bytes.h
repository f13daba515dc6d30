// How many bytes packed weights take, without asking the vendor library.
#ifndef SHEAF_RUNTIME_ABI_PACKED_BYTES_H
#define SHEAF_RUNTIME_ABI_PACKED_BYTES_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sheaf::abi {

/// Bytes to set aside for pack_weights of a contract's rhs of `rows` x `columns` (contracting x free) per batch
/// element. A bound, not the library's size: a layout that does not fit it is not chosen.
inline int64_t packedContractBytes(int64_t batch, int64_t rows, int64_t columns,
                                   int64_t elementBytes) {
  return batch * ((rows + 63) / 64 * 64) * ((columns + 63) / 64 * 64) * elementBytes;
}

/// The same for a conv's filter [o, i per group, window..], whose output channels may be in blocks of 16 to 64.
inline int64_t packedConvBytes(const std::vector<int64_t> &filterDims, int64_t groups,
                               int64_t elementBytes) {
  int64_t outPerGroup = filterDims[0] / groups;
  bool isDepthwise = outPerGroup == 1 && filterDims[1] == 1;
  auto padded = [](int64_t extent) {
    int64_t most = 0;
    for (int64_t block = 16; block <= 64; block += 16)
      most = std::max(most, (extent + block - 1) / block * block);
    return most;
  };
  int64_t channels = isDepthwise ? padded(groups)
                                 : groups * padded(outPerGroup) * ((filterDims[1] + 15) / 16 * 16);
  for (size_t dim = 2; dim < filterDims.size(); ++dim)
    channels *= filterDims[dim];
  return channels * elementBytes;
}

} // namespace sheaf::abi

#endif // SHEAF_RUNTIME_ABI_PACKED_BYTES_H
