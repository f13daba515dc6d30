// Transposes matrices of elements of 1, 2, 4 or 8 bytes.
#ifndef SHEAF_RUNTIME_HOST_TRANSPOSE_H
#define SHEAF_RUNTIME_HOST_TRANSPOSE_H

#include <cstddef>
#include <cstdint>

namespace sheaf::rt::host {

/// out[c * outStep + r] = in[r * inStep + c] for r < rows, c < columns; steps in elements of `elementBytes` bytes.
/// Walks the output in order, several of its rows at a time.
void transpose(const std::byte *in, int64_t inStep, std::byte *out, int64_t outStep, int64_t rows,
               int64_t columns, int64_t elementBytes);

} // namespace sheaf::rt::host

#endif // SHEAF_RUNTIME_HOST_TRANSPOSE_H
