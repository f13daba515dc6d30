// Contractions of any strides and types, one thread per element: for those that cuBLASLt has no way to compute. And the
// activations that it does not have.
#include "runtime/cuda/kernels/activation.h"
#include "runtime/cuda/kernels/integer.h"
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

template <typename T>
DEVICE void activateAll(const Strided<1> &space, ActivationKind kind, char *data) {
  forEach(space.count, [&](int64_t i) {
    auto *element = reinterpret_cast<T *>(data + offsetsOf(space, i).at[0]);
    *element = static_cast<T>(activate(kind, static_cast<float>(*element)));
  });
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

KERNEL void activate_f32(Strided<1> space, ActivationKind kind, char *data) {
  activateAll<float>(space, kind, data);
}
KERNEL void activate_f16(Strided<1> space, ActivationKind kind, char *data) {
  activateAll<_Float16>(space, kind, data);
}
KERNEL void activate_bf16(Strided<1> space, ActivationKind kind, char *data) {
  activateAll<__bf16>(space, kind, data);
}
