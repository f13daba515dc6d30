// Blocked and packed layouts: how many bytes they take, without asking the vendor library.
//
// A blocked layout is written as oneDNN writes its tags: one letter per dim in memory order, a capital for a dim that
// is cut into blocks, then the blocks, outermost first: "nChw16c" is [n, c / 16, h, w, 16 of c], with c rounded up.
// The letters of data are n c d h w, of filters o i d h w, and g in front of them where groups > 1.
#ifndef SHEAF_RUNTIME_ABI_LAYOUTS_H
#define SHEAF_RUNTIME_ABI_LAYOUTS_H

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace sheaf::abi {

/// A parsed layout: for each dim of the tensor its place in memory order and the product of its blocks.
struct BlockedLayout {
  struct Block {
    int64_t dim;
    int64_t size;
  };
  std::vector<int64_t> outerOrder; ///< dims, outermost first
  std::vector<Block> blocks;       ///< outermost first
};

/// Parses `text` for a tensor of `rank` dims; none when it is not a layout of that rank.
/// The logical order of the dims is n c d h w, or g o i d h w.
inline std::optional<BlockedLayout> parseLayout(std::string_view text, size_t rank) {
  std::string_view letters = text.substr(0, text.find_first_of("0123456789"));
  if (letters.size() != rank)
    return std::nullopt;
  auto has = [&](char letter) {
    for (char c : letters)
      if (std::tolower(static_cast<unsigned char>(c)) == letter)
        return true;
    return false;
  };
  std::string_view order = has('o') ? "goidhw" : "ncdhw";
  std::vector<char> logical;
  for (char letter : order)
    if (has(letter))
      logical.push_back(letter);
  if (logical.size() != rank)
    return std::nullopt;
  auto dimOf = [&](char letter) -> int64_t {
    for (size_t dim = 0; dim < rank; ++dim)
      if (logical[dim] == letter)
        return static_cast<int64_t>(dim);
    return -1;
  };
  BlockedLayout layout;
  std::vector<bool> isCut(rank, false), isSeen(rank, false);
  for (char c : letters) {
    int64_t dim = dimOf(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    if (dim < 0 || isSeen[dim])
      return std::nullopt;
    isSeen[dim] = true;
    isCut[dim] = std::isupper(static_cast<unsigned char>(c)) != 0;
    layout.outerOrder.push_back(dim);
  }
  std::vector<bool> isBlocked(rank, false);
  for (size_t at = letters.size(); at < text.size();) {
    int64_t size = 0;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) && size <= 64)
      size = size * 10 + (text[at++] - '0');
    int64_t dim = at < text.size() ? dimOf(text[at++]) : -1;
    if (size < 2 || size > 64 || dim < 0 || !isCut[dim] || layout.blocks.size() == 4)
      return std::nullopt;
    layout.blocks.push_back({dim, size});
    isBlocked[dim] = true;
  }
  if (isCut != isBlocked)
    return std::nullopt;
  return layout;
}

/// `dims` with every blocked dim rounded up to a multiple of its blocks: the number of elements in memory.
/// None on overflow.
inline std::optional<int64_t> paddedElements(const BlockedLayout &layout,
                                             const std::vector<int64_t> &dims) {
  std::vector<int64_t> block(dims.size(), 1);
  for (const BlockedLayout::Block &b : layout.blocks)
    if (__builtin_mul_overflow(block[b.dim], b.size, &block[b.dim]))
      return std::nullopt;
  int64_t count = 1;
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    int64_t rounded;
    if (__builtin_add_overflow(dims[dim], block[dim] - 1, &rounded))
      return std::nullopt;
    rounded = rounded / block[dim] * block[dim];
    if (__builtin_mul_overflow(count, rounded, &count))
      return std::nullopt;
  }
  return count;
}

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

#endif // SHEAF_RUNTIME_ABI_LAYOUTS_H
