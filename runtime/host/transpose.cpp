// Transposes matrices block by block; each block is turned in registers.
#include "runtime/host/transpose.h"

#include <algorithm>
#include <cstring>

namespace sheaf::rt::host {
namespace {

/// A vector of eight elements; the compiler maps it to what the machine has.
template <typename T> struct Vector8 {
  typedef T Type __attribute__((vector_size(8 * sizeof(T))));
};

/// Turns an 8 x 8 block: three rounds of interleaving pairs of rows whose numbers differ in one bit.
template <typename T> void transposeBlock(const T *in, int64_t inStep, T *out, int64_t outStep) {
  using Vector = typename Vector8<T>::Type;
  Vector rows[8], turned[8];
  for (int i = 0; i < 8; ++i)
    std::memcpy(&rows[i], in + i * inStep, sizeof rows[i]);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 4; ++i) {
      turned[2 * i] = __builtin_shufflevector(rows[i], rows[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
      turned[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    std::copy(turned, turned + 8, rows);
  }
  for (int i = 0; i < 8; ++i)
    std::memcpy(out + i * outStep, &rows[i], sizeof rows[i]);
}

template <typename T>
void transposeScalar(const T *in, int64_t inStep, T *out, int64_t outStep, int64_t rows,
                     int64_t columns) {
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t r = 0; r < rows; ++r)
      out[c * outStep + r] = in[r * inStep + c];
}

template <typename T>
void transposeAll(const T *in, int64_t inStep, T *out, int64_t outStep, int64_t rows,
                  int64_t columns) {
  int64_t evenRows = rows / 8 * 8, evenColumns = columns / 8 * 8;
  // Eight output rows fill their cache lines before the walk moves on.
  for (int64_t c = 0; c < evenColumns; c += 8)
    for (int64_t r = 0; r < evenRows; r += 8)
      transposeBlock(in + r * inStep + c, inStep, out + c * outStep + r, outStep);
  transposeScalar(in + evenRows * inStep, inStep, out + evenRows, outStep, rows - evenRows,
                  evenColumns);
  transposeScalar(in + evenColumns, inStep, out + evenColumns * outStep, outStep, rows,
                  columns - evenColumns);
}

template <typename T>
void transposeBytes(const std::byte *in, int64_t inStep, std::byte *out, int64_t outStep,
                    int64_t rows, int64_t columns) {
  transposeAll(reinterpret_cast<const T *>(in), inStep, reinterpret_cast<T *>(out), outStep, rows,
               columns);
}

} // namespace

void transpose(const std::byte *in, int64_t inStep, std::byte *out, int64_t outStep, int64_t rows,
               int64_t columns, int64_t elementBytes) {
  auto function = elementBytes == 1   ? transposeBytes<uint8_t>
                  : elementBytes == 2 ? transposeBytes<uint16_t>
                  : elementBytes == 4 ? transposeBytes<uint32_t>
                                      : transposeBytes<uint64_t>;
  function(in, inStep, out, outStep, rows, columns);
}

} // namespace sheaf::rt::host
