// Which strided operands the call `contract` takes: one pure rule, asked by the compiler and enforced by the runtime.
#ifndef SHEAF_RUNTIME_ABI_CONTRACT_STRIDES_H
#define SHEAF_RUNTIME_ABI_CONTRACT_STRIDES_H

#include <cstdint>
#include <optional>
#include <vector>

namespace sheaf::abi {

/// The extents and the strides (in elements) of a buffer.
struct StridedShape {
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;
};

/// Some dims of a buffer seen as one.
struct CollapsedDim {
  int64_t size = 1;
  int64_t stride = 1;
};

/// Row-major strides of `dims`. Those that do not fit in 64 bits wrap around, so that dims from a file may be checked
/// together with their strides.
inline std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;)
    __builtin_mul_overflow(strides[i], dims[i] > 0 ? dims[i] : int64_t(1), &strides[i - 1]);
  return strides;
}

/// Sees the dims `group` of `shape`, outermost first, as one dim; none when no single stride walks them.
/// Dims of extent 1 do not matter. A group without a larger dim has size 1 (or 0) and stride 1.
inline std::optional<CollapsedDim> collapse(const StridedShape &shape,
                                            const std::vector<int64_t> &group) {
  CollapsedDim result;
  bool isFirst = true;
  for (size_t i = group.size(); i-- > 0;) {
    int64_t size = shape.dims[group[i]], stride = shape.strides[group[i]];
    if (size == 0)
      return CollapsedDim{0, 1};
    if (size == 1)
      continue;
    if (isFirst)
      result.stride = stride;
    else if (stride != result.stride * result.size)
      return std::nullopt;
    isFirst = false;
    result.size *= size;
  }
  return result;
}

/// The dims of a rank-`rank` buffer in neither list, in order.
inline std::vector<int64_t> freeDims(size_t rank, const std::vector<int64_t> &batch,
                                     const std::vector<int64_t> &contract) {
  std::vector<bool> isTaken(rank, false);
  for (int64_t dim : batch)
    isTaken[dim] = true;
  for (int64_t dim : contract)
    isTaken[dim] = true;
  std::vector<int64_t> rest;
  for (size_t dim = 0; dim < rank; ++dim)
    if (!isTaken[dim])
      rest.push_back(static_cast<int64_t>(dim));
  return rest;
}

/// True when two dims form a matrix the library walks: one has stride 1, the other's rows do not overlap.
inline bool isMatrix(const CollapsedDim &rows, const CollapsedDim &columns) {
  auto isRowMajor = [](const CollapsedDim &outer, const CollapsedDim &inner) {
    return (inner.stride == 1 || inner.size <= 1) &&
           (outer.stride >= inner.size || outer.size <= 1);
  };
  return isRowMajor(rows, columns) || isRowMajor(columns, rows);
}

/// True when `contract` takes an operand of this shape: its free dims collapse to one stride, its contracting dims
/// too, and the two form a matrix. Batch dims may have any stride but a negative one. The result is asked with lhs free
/// dims as `freeOrLhs` and rhs free dims as `contractOrRhs`.
inline bool canContract(const StridedShape &operand, const std::vector<int64_t> &freeOrLhs,
                        const std::vector<int64_t> &contractOrRhs) {
  for (size_t dim = 0; dim < operand.dims.size(); ++dim)
    if (operand.dims[dim] > 1 && operand.strides[dim] < 0)
      return false;
  std::optional<CollapsedDim> rows = collapse(operand, freeOrLhs);
  std::optional<CollapsedDim> columns = collapse(operand, contractOrRhs);
  return rows && columns && isMatrix(*rows, *columns);
}

} // namespace sheaf::abi

#endif // SHEAF_RUNTIME_ABI_CONTRACT_STRIDES_H
