// Products of matrices of 16-bit floats by the tensor core of a warp, whose 32 threads hold the matrices together.
//
// Source: PTX ISA 8.7, "mma" ("Matrix Fragments for mma.m16n8k16 with floating point type") and "ldmatrix". With
// `group` the thread's number / 4 and `member` the rest, a thread holds, two neighbours of a row in each register,
// - of the left matrix (16 x 16) rows group and group + 8 in columns 2 member and 8 + 2 member, and those behind,
// - of the right matrix (16 x 8), given by columns, rows 2 member and 8 + 2 member, and those behind, of column group,
// - of the sums (16 x 8) rows group and group + 8 in column 2 member and the one behind.
#ifndef SHEAF_RUNTIME_CUDA_KERNELS_TENSOR_CORE_H
#define SHEAF_RUNTIME_CUDA_KERNELS_TENSOR_CORE_H

#include "runtime/cuda/kernels/device.h"

namespace sheaf::rt::cuda {

/// A thread's part of a left matrix: rows group, group + 8, then both again, 8 columns on.
struct LeftFragment {
  uint32_t pairs[4];
};

/// `first` is in the lower half.
template <typename T> DEVICE uint32_t pairOf(float first, float second) {
  using Pair = T __attribute__((ext_vector_type(2)));
  return __builtin_bit_cast(uint32_t, Pair{static_cast<T>(first), static_cast<T>(second)});
}

#define SHEAF_MULTIPLY_ADD(T, name)                                                                \
  DEVICE void multiplyAdd(T, float(&sum0), float(&sum1), float(&sum2), float(&sum3),               \
                          const LeftFragment &left, uint32_t right0, uint32_t right1) {            \
    asm("mma.sync.aligned.m16n8k16.row.col.f32." name "." name ".f32 "                             \
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                          \
        : "+f"(sum0), "+f"(sum1), "+f"(sum2), "+f"(sum3)                                           \
        : "r"(left.pairs[0]), "r"(left.pairs[1]), "r"(left.pairs[2]), "r"(left.pairs[3]),          \
          "r"(right0), "r"(right1));                                                               \
  }
SHEAF_MULTIPLY_ADD(_Float16, "f16")
SHEAF_MULTIPLY_ADD(__bf16, "bf16")
#undef SHEAF_MULTIPLY_ADD

DEVICE uint32_t sharedAddress(const void *of) {
  return static_cast<uint32_t>(
      reinterpret_cast<uintptr_t>((const __attribute__((address_space(3))) void *)of));
}

/// Reads four matrices of 8 x 8 elements of 16 bits from shared memory. Threads 8 i to 8 i + 7 give the rows of matrix
/// i, each of which begins at 16 bytes; all threads get two neighbours of row `group` of each, at 2 member. `offset`
/// in bytes is a constant once loops are unrolled, so that it takes no register.
INLINED_DEVICE void loadMatrices(uint32_t (&pairs)[4], uint32_t row, int offset) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4+%5];"
               : "=r"(pairs[0]), "=r"(pairs[1]), "=r"(pairs[2]), "=r"(pairs[3])
               : "r"(row), "i"(offset)
               : "memory");
}

/// The same of each matrix's columns: all threads get neighbours of column `group`, in rows 2 member and the one
/// behind.
INLINED_DEVICE void loadTransposed(uint32_t (&pairs)[4], uint32_t row, int offset) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4+%5];"
               : "=r"(pairs[0]), "=r"(pairs[1]), "=r"(pairs[2]), "=r"(pairs[3])
               : "r"(row), "i"(offset)
               : "memory");
}

} // namespace sheaf::rt::cuda

#endif // SHEAF_RUNTIME_CUDA_KERNELS_TENSOR_CORE_H
