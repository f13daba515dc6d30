// Chooses and runs the way to copy between two strided buffers.
#include "runtime/host/strided_copy.h"

#include "runtime/host/parallel.h"
#include "runtime/host/transpose.h"

#include <cstring>

namespace sheaf::rt::host {

StridedCopy::StridedCopy(const BufferShape &in, const BufferShape &out)
    : elementBytes(in.elementBytes()), outer(stridedSpace<2>({&in, &out})) {
  if (outer.count() == 0)
    return;
  outer.sortBySteps(1); // Write in the order of memory.
  outer.merge();
  if (!outer.dims.empty()) {
    inner = outer.dims.back();
    outer.dims.pop_back();
  } else {
    inner = {1, {elementBytes, elementBytes}};
  }
  kind = Kind::elements;
  if (inner.steps[1] != elementBytes)
    return;
  if (inner.steps[0] == elementBytes) {
    kind = Kind::runs;
    return;
  }
  for (size_t dim = 0; dim < outer.dims.size(); ++dim) {
    if (outer.dims[dim].steps[0] != elementBytes || inner.steps[0] % elementBytes != 0 ||
        outer.dims[dim].steps[1] % elementBytes != 0)
      continue;
    kind = Kind::transpose;
    second = outer.dims[dim];
    outer.dims.erase(outer.dims.begin() + static_cast<ptrdiff_t>(dim));
    return;
  }
}

void StridedCopy::run(const std::byte *in, std::byte *out) const {
  switch (kind) {
  case Kind::nothing:
    return;
  case Kind::runs:
    return runContiguous(in, out);
  case Kind::transpose:
    return runTranspose(in, out);
  case Kind::elements:
    switch (elementBytes) {
    case 1:
      return runElements<uint8_t>(in, out);
    case 2:
      return runElements<uint16_t>(in, out);
    case 4:
      return runElements<uint32_t>(in, out);
    default:
      return runElements<uint64_t>(in, out);
    }
  }
}

void StridedCopy::runContiguous(const std::byte *in, std::byte *out) const {
  int64_t runBytes = inner.extent * elementBytes;
  if (outer.dims.empty()) {
    parallelFor(0, runBytes, int64_t(64) << 10, [&](int64_t begin, int64_t end) {
      std::memcpy(out + begin, in + begin, static_cast<size_t>(end - begin));
    });
    return;
  }
  parallelFor(0, outer.count(), grainFor(2 * runBytes), [&](int64_t begin, int64_t end) {
    StridedCursor<2> cursor(outer, begin);
    for (int64_t i = begin; i < end; ++i, cursor.next())
      std::memcpy(out + cursor.offset(1), in + cursor.offset(0), static_cast<size_t>(runBytes));
  });
}

void StridedCopy::runTranspose(const std::byte *in, std::byte *out) const {
  // Cut along `second`, whose indices are rows of the output, so that threads share few cache lines.
  constexpr int64_t sliceRows = 16;
  int64_t slices = (second.extent + sliceRows - 1) / sliceRows;
  int64_t sliceBytes = 2 * sliceRows * inner.extent * elementBytes;
  parallelFor(0, outer.count() * slices, grainFor(sliceBytes), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      StridedCursor<2> cursor(outer, i / slices);
      int64_t row = i % slices * sliceRows;
      transpose(in + cursor.offset(0) + row * elementBytes, inner.steps[0] / elementBytes,
                out + cursor.offset(1) + row * second.steps[1], second.steps[1] / elementBytes,
                inner.extent, std::min(sliceRows, second.extent - row), elementBytes);
    }
  });
}

template <typename T> void StridedCopy::runElements(const std::byte *in, std::byte *out) const {
  parallelFor(0, outer.count(), grainFor(2 * inner.extent * elementBytes),
              [&](int64_t begin, int64_t end) {
                StridedCursor<2> cursor(outer, begin);
                for (int64_t i = begin; i < end; ++i, cursor.next()) {
                  const std::byte *from = in + cursor.offset(0);
                  std::byte *to = out + cursor.offset(1);
                  if (inner.steps[0] == 0 && inner.steps[1] == elementBytes) {
                    std::fill_n(reinterpret_cast<T *>(to), inner.extent,
                                *reinterpret_cast<const T *>(from));
                    continue;
                  }
                  for (int64_t j = 0; j < inner.extent; ++j)
                    *reinterpret_cast<T *>(to + j * inner.steps[1]) =
                        *reinterpret_cast<const T *>(from + j * inner.steps[0]);
                }
              });
}

} // namespace sheaf::rt::host
