// Refuses products of 8-bit floats that the library has no kernel for.
#include "test/standin/cublaslt/narrow.h"

#include <cmath>
#include <limits>

namespace sheaf::standin::cublaslt {

bool isNarrow(cudaDataType_t type) { return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2; }

double valueOf(cudaDataType_t type, uint8_t bits) {
  const int mantissaBits = type == CUDA_R_8F_E4M3 ? 3 : 2, bias = type == CUDA_R_8F_E4M3 ? 7 : 15;
  const int mantissa = bits & ((1 << mantissaBits) - 1);
  const int exponent = (bits & 0x7f) >> mantissaBits;
  const double sign = bits & 0x80 ? -1 : 1;
  if (type == CUDA_R_8F_E4M3 ? (bits & 0x7f) == 0x7f : exponent == 31 && mantissa != 0)
    return std::numeric_limits<double>::quiet_NaN();
  if (type == CUDA_R_8F_E5M2 && exponent == 31)
    return sign * std::numeric_limits<double>::infinity();
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - bias - mantissaBits);
  return sign * std::ldexp(mantissa + (1 << mantissaBits), exponent - bias - mantissaBits);
}

namespace {

struct Types {
  cudaDataType_t a, b, d, bias;
};

/// Of the library's table, without results of 8 bits. C has the type of D.
constexpr Types known[] = {
    {CUDA_R_8F_E4M3, CUDA_R_8F_E4M3, CUDA_R_16BF, CUDA_R_16BF},
    {CUDA_R_8F_E4M3, CUDA_R_8F_E4M3, CUDA_R_16F, CUDA_R_16F},
    {CUDA_R_8F_E4M3, CUDA_R_8F_E4M3, CUDA_R_32F, CUDA_R_16BF},
    {CUDA_R_8F_E4M3, CUDA_R_8F_E5M2, CUDA_R_16BF, CUDA_R_16BF},
    {CUDA_R_8F_E4M3, CUDA_R_8F_E5M2, CUDA_R_16F, CUDA_R_16F},
    {CUDA_R_8F_E4M3, CUDA_R_8F_E5M2, CUDA_R_32F, CUDA_R_16BF},
    {CUDA_R_8F_E5M2, CUDA_R_8F_E4M3, CUDA_R_16BF, CUDA_R_16BF},
    {CUDA_R_8F_E5M2, CUDA_R_8F_E4M3, CUDA_R_16F, CUDA_R_16F},
    {CUDA_R_8F_E5M2, CUDA_R_8F_E4M3, CUDA_R_32F, CUDA_R_16BF},
};

bool hasKernel(const Product &product) {
  const MatmulDescriptor &descriptor = product.descriptor;
  const auto biasType = descriptor.biasType < 0 ? product.dLayout.type
                                                : static_cast<cudaDataType_t>(descriptor.biasType);
  const bool hasBias = descriptor.epilogue & CUBLASLT_EPILOGUE_BIAS;
  return std::ranges::any_of(known, [&](const Types &types) {
    return types.a == product.aLayout.type && types.b == product.bLayout.type &&
           types.d == product.dLayout.type && types.d == product.cLayout.type &&
           (!hasBias || types.bias == biasType);
  });
}

/// Whether the GPU multiplies the matrices as they lie: all but those for data centers since Blackwell want the
/// contracted extent innermost in both.
bool takesLayouts(const Product &product, int capability) {
  if (capability >= 100 && capability < 120)
    return true;
  return product.descriptor.transposeA == CUBLAS_OP_T &&
         product.descriptor.transposeB == CUBLAS_OP_N;
}

/// Of "Tensor Core Usage": what lies together, and what is between neighbours, is of whole 16 bytes.
bool isAligned(const Product &product) {
  const MatrixLayout &a = product.aLayout, &b = product.bLayout, &d = product.dLayout;
  auto isWhole = [](const MatrixLayout &layout) {
    const uint64_t bytes = bytesOf(layout.type);
    return !layout.isRowMajor && layout.rows * bytes % 16 == 0 &&
           static_cast<uint64_t>(layout.leading) * bytes % 16 == 0;
  };
  // Of the two extents of a, both: that of d, too, is counted in bytes of a.
  return isWhole(a) && isWhole(b) && isWhole(product.cLayout) && isWhole(d) && d.rows % 16 == 0;
}

} // namespace

cublasStatus_t checkNarrow(const Product &product, int capability) {
  if (capability < 89 || !hasKernel(product) || !takesLayouts(product, capability) ||
      !isAligned(product) || product.descriptor.computeType != CUBLAS_COMPUTE_32F ||
      product.descriptor.scaleType != CUDA_R_32F)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return CUBLAS_STATUS_SUCCESS;
}

} // namespace sheaf::standin::cublaslt
