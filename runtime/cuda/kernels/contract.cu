// Contractions of any strides and types, one thread per element: for those that cuBLASLt has no way to compute. And what
// is left to do after a product where the library can't do it as it stores: activations, a derivative, sums of rows.
#include "runtime/cuda/kernels/activation.h"
#include "runtime/cuda/kernels/integer.h"
#include "runtime/cuda/kernels/row_sum_parameters.h"
#include "runtime/cuda/kernels/strided.h"

using namespace sheaf::rt::cuda;

namespace {

/// The offsets, in elements, of one element of the result and of the row and column that it comes from.
struct Place {
  int64_t lhs, rhs, result, n;
};

DEVICE Place placeOf(const ContractParameters &p, int64_t i) {
  int64_t n = i % p.n, row = i / p.n, m = row % p.m;
  Offsets<3> offsets = offsetsOf(p.batch, row / p.m);
  return {offsets.at[0] + m * p.lhsStrideM, offsets.at[1] + n * p.rhsStrideN,
          offsets.at[2] + m * p.resultStrideM + n * p.resultStrideN, n};
}

/// `Wide` is what the sum is kept in. `alpha`: what takes the place of that of the parameters, if not null.
template <typename Wide, typename In, typename Out>
DEVICE void contract(const ContractParameters &p, const In *lhs, const In *rhs, const Out *bias,
                     const Out *addend, const float *alpha, Out *result) {
  forEach(p.batch.count * p.m * p.n, [&](int64_t i) {
    Place place = placeOf(p, i);
    Wide sum = 0;
    for (int64_t k = 0; k < p.k; ++k)
      sum += static_cast<Wide>(lhs[place.lhs + k * p.lhsStrideK]) *
             static_cast<Wide>(rhs[place.rhs + k * p.rhsStrideK]);
    sum *= alpha ? static_cast<Wide>(*alpha) : static_cast<Wide>(p.alpha);
    if (bias)
      sum += static_cast<Wide>(bias[place.n]);
    if (addend)
      sum += static_cast<Wide>(addend[place.result]);
    result[place.result] = static_cast<Out>(activate(p.activation, sum));
  });
}

/// `from` and `to` may be the same.
template <typename T>
DEVICE void activateAll(const Strided<2> &space, ActivationKind kind, const char *from, char *to) {
  forEach(space.count, [&](int64_t i) {
    Offsets<2> offsets = offsetsOf(space, i);
    auto value = static_cast<float>(*reinterpret_cast<const T *>(from + offsets.at[0]));
    *reinterpret_cast<T *>(to + offsets.at[1]) = static_cast<T>(activate(kind, value));
  });
}

/// Gradients times the derivative of gelu_tanh at `preactivation`.
template <typename T>
DEVICE void differentiateAll(const Strided<2> &space, const char *preactivation, char *gradient) {
  forEach(space.count, [&](int64_t i) {
    Offsets<2> offsets = offsetsOf(space, i);
    auto x = static_cast<float>(*reinterpret_cast<const T *>(preactivation + offsets.at[0]));
    auto *element = reinterpret_cast<T *>(gradient + offsets.at[1]);
    *element = static_cast<T>(static_cast<float>(*element) * geluTanhDerivative(x));
  });
}

/// Of parts of the sums of a block's columns.
constexpr int rowSumRows = 256 / rowSumColumns;
static __attribute__((shared)) float rowSumParts[rowSumRows][rowSumColumns];

/// Blocks of rowSumRows * rowSumColumns threads: neighbours take neighbouring columns, and each every rowSumRows-th row.
/// Always in one order, so the same bits each time.
template <typename T> DEVICE void sumRows(const RowSumParameters &p, const T *matrix, T *sums) {
  int thread = static_cast<int>(__nvvm_read_ptx_sreg_tid_x());
  int column = thread % rowSumColumns, first = thread / rowSumColumns;
  int64_t step = static_cast<int64_t>(__nvvm_read_ptx_sreg_nctaid_x()) * rowSumColumns;
  int64_t begin = static_cast<int64_t>(__nvvm_read_ptx_sreg_ctaid_x()) * rowSumColumns;
  for (; begin < p.columns; begin += step) {
    float sum = 0;
    if (begin + column < p.columns)
      for (int64_t row = first; row < p.rows; row += rowSumRows)
        sum += static_cast<float>(matrix[row * p.rowStride + (begin + column) * p.columnStride]);
    rowSumParts[first][column] = sum;
    __syncthreads();
    if (first == 0 && begin + column < p.columns) {
      for (int part = 1; part < rowSumRows; ++part)
        sum += rowSumParts[part][column];
      sums[begin + column] = static_cast<T>(sum);
    }
    __syncthreads(); // The parts have been read.
  }
}

} // namespace

KERNEL void contract_f64_f64(ContractParameters p, const double *lhs, const double *rhs,
                             const double *bias, const double *addend, const float *alpha,
                             double *result) {
  contract<double>(p, lhs, rhs, bias, addend, alpha, result);
}
KERNEL void contract_f32_f32(ContractParameters p, const float *lhs, const float *rhs,
                             const float *bias, const float *addend, const float *alpha,
                             float *result) {
  contract<float>(p, lhs, rhs, bias, addend, alpha, result);
}
KERNEL void contract_f16_f16(ContractParameters p, const _Float16 *lhs, const _Float16 *rhs,
                             const _Float16 *bias, const _Float16 *addend, const float *alpha,
                             _Float16 *result) {
  contract<float>(p, lhs, rhs, bias, addend, alpha, result);
}
KERNEL void contract_f16_f32(ContractParameters p, const _Float16 *lhs, const _Float16 *rhs,
                             const float *bias, const float *addend, const float *alpha,
                             float *result) {
  contract<float>(p, lhs, rhs, bias, addend, alpha, result);
}
KERNEL void contract_bf16_bf16(ContractParameters p, const __bf16 *lhs, const __bf16 *rhs,
                               const __bf16 *bias, const __bf16 *addend, const float *alpha,
                               __bf16 *result) {
  contract<float>(p, lhs, rhs, bias, addend, alpha, result);
}
KERNEL void contract_bf16_f32(ContractParameters p, const __bf16 *lhs, const __bf16 *rhs,
                              const float *bias, const float *addend, const float *alpha,
                              float *result) {
  contract<float>(p, lhs, rhs, bias, addend, alpha, result);
}

/// Sums wrap, so those of 64 bits have the right low bits.
KERNEL void contract_integers(ContractParameters p, IntegerType lhsType, IntegerType rhsType,
                              IntegerType resultType, const char *lhs, const char *rhs,
                              const char *bias, const char *addend, char *result) {
  forEach(p.batch.count * p.m * p.n, [&](int64_t i) {
    Place place = placeOf(p, i);
    uint64_t sum = 0;
    for (int64_t k = 0; k < p.k; ++k)
      sum += readInteger(lhsType, lhs, place.lhs + k * p.lhsStrideK) *
             readInteger(rhsType, rhs, place.rhs + k * p.rhsStrideK);
    if (bias)
      sum += readInteger(resultType, bias, place.n);
    if (addend)
      sum += readInteger(resultType, addend, place.result);
    writeInteger(resultType, result, place.result, sum);
  });
}

/// What a product of 8-bit floats is multiplied by once they are widened; then the factor of its addend.
KERNEL void multiply_scales(const float *lhs, const float *rhs, float alpha, float beta,
                            float *factors) {
  forEach(1, [&](int64_t) {
    factors[0] = alpha * (lhs ? *lhs : 1.0F) * (rhs ? *rhs : 1.0F);
    factors[1] = beta;
  });
}

KERNEL void activate_f32(Strided<2> space, ActivationKind kind, const char *from, char *to) {
  activateAll<float>(space, kind, from, to);
}
KERNEL void activate_f16(Strided<2> space, ActivationKind kind, const char *from, char *to) {
  activateAll<_Float16>(space, kind, from, to);
}
KERNEL void activate_bf16(Strided<2> space, ActivationKind kind, const char *from, char *to) {
  activateAll<__bf16>(space, kind, from, to);
}

KERNEL void differentiate_f32(Strided<2> space, const char *preactivation, char *gradient) {
  differentiateAll<float>(space, preactivation, gradient);
}
KERNEL void differentiate_f16(Strided<2> space, const char *preactivation, char *gradient) {
  differentiateAll<_Float16>(space, preactivation, gradient);
}
KERNEL void differentiate_bf16(Strided<2> space, const char *preactivation, char *gradient) {
  differentiateAll<__bf16>(space, preactivation, gradient);
}

KERNEL void sum_rows_f32(RowSumParameters p, const float *matrix, float *sums) {
  sumRows(p, matrix, sums);
}
KERNEL void sum_rows_f16(RowSumParameters p, const _Float16 *matrix, _Float16 *sums) {
  sumRows(p, matrix, sums);
}
KERNEL void sum_rows_bf16(RowSumParameters p, const __bf16 *matrix, __bf16 *sums) {
  sumRows(p, matrix, sums);
}
