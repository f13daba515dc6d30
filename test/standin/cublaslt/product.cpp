// Multiplies matrices of any layout in plain loops.
#include "test/standin/cublaslt/narrow.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "test/standin/device/float_type.h"

namespace sheaf::standin::cublaslt {

static bool isTransposed(cublasOperation_t operation) { return operation != CUBLAS_OP_N; }
static bool hasBias(cublasLtEpilogue_t epilogue) { return epilogue & CUBLASLT_EPILOGUE_BIAS; }

bool Product::isNarrow() const {
  return cublaslt::isNarrow(aLayout.type) || cublaslt::isNarrow(bLayout.type);
}

cublasStatus_t Product::check(int capability) const {
  const uint64_t m = dLayout.rows, n = dLayout.columns;
  const uint64_t k = isTransposed(descriptor.transposeA) ? aLayout.rows : aLayout.columns;
  auto hasShape = [](const MatrixLayout &layout, bool transposed, uint64_t rows, uint64_t columns) {
    return (transposed ? layout.columns : layout.rows) == rows &&
           (transposed ? layout.rows : layout.columns) == columns;
  };
  if (!hasShape(aLayout, isTransposed(descriptor.transposeA), m, k) ||
      !hasShape(bLayout, isTransposed(descriptor.transposeB), k, n) ||
      !hasShape(cLayout, false, m, n) || m == 0 || n == 0 || k == 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  for (const MatrixLayout *layout : {&aLayout, &bLayout, &cLayout, &dLayout}) {
    const uint64_t shortest = layout->isRowMajor ? layout->columns : layout->rows;
    if (layout->leading < static_cast<int64_t>(shortest) || layout->batches != dLayout.batches)
      return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (descriptor.pointerMode != CUBLASLT_POINTER_MODE_HOST &&
      descriptor.pointerMode != CUBLASLT_POINTER_MODE_DEVICE)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  constexpr int known = CUBLASLT_EPILOGUE_DEFAULT | CUBLASLT_EPILOGUE_RELU |
                        CUBLASLT_EPILOGUE_BIAS | CUBLASLT_EPILOGUE_GELU;
  if (isNarrow())
    return descriptor.epilogue & ~known ? CUBLAS_STATUS_NOT_SUPPORTED
                                        : checkNarrow(*this, capability);
  // "If set for an unsupported matrix data, scale, and compute type combination": cublasLt.h.
  if (descriptor.aScale || descriptor.bScale)
    return CUBLAS_STATUS_INVALID_VALUE;
  const bool isDouble = descriptor.computeType == CUBLAS_COMPUTE_64F;
  const bool isKnown = isDouble || descriptor.computeType == CUBLAS_COMPUTE_32F ||
                       descriptor.computeType == CUBLAS_COMPUTE_32F_PEDANTIC ||
                       descriptor.computeType == CUBLAS_COMPUTE_32F_FAST_TF32;
  const bool isFull = aLayout.type == CUDA_R_32F || aLayout.type == CUDA_R_64F;
  if (!isKnown || descriptor.scaleType != (isDouble ? CUDA_R_64F : CUDA_R_32F) ||
      aLayout.type != bLayout.type || cLayout.type != dLayout.type || !bytesOf(aLayout.type) ||
      (aLayout.type == CUDA_R_64F) != isDouble || (isFull && dLayout.type != aLayout.type) ||
      (!isFull && dLayout.type != aLayout.type && dLayout.type != CUDA_R_32F))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if ((descriptor.epilogue & ~known) ||
      (descriptor.epilogue != CUBLASLT_EPILOGUE_DEFAULT && isDouble))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return CUBLAS_STATUS_SUCCESS;
}

namespace {

/// Of a type that check() has let through.
FloatType floatType(cudaDataType_t type) {
  return type == CUDA_R_64F    ? FloatType::f64
         : type == CUDA_R_16F  ? FloatType::f16
         : type == CUDA_R_16BF ? FloatType::bf16
                               : FloatType::f32;
}

/// A matrix of one batch: visits its columns (rows, if it is row major), which lie together.
class Matrix {
public:
  Matrix(const MatrixLayout &layout, const void *begin, int32_t batch)
      : layout(layout), bytes(bytesOf(layout.type)),
        begin(static_cast<const std::byte *>(begin) +
              batch * layout.batchStride * static_cast<int64_t>(bytes)) {}

  uint64_t lines() const { return layout.isRowMajor ? layout.rows : layout.columns; }
  uint64_t lineLength() const { return layout.isRowMajor ? layout.columns : layout.rows; }
  const std::byte *lineAt(uint64_t line) const {
    return begin + line * static_cast<uint64_t>(layout.leading) * bytes;
  }

  /// All values, row after row (column after column, if `transposed`).
  template <typename T>
  std::vector<T> read(Execution &execution, bool transposed, bool toTf32 = false) const {
    std::vector<T> values(layout.rows * layout.columns);
    for (uint64_t line = 0; line < lines(); ++line) {
      const std::byte *at = execution.read(lineAt(line), lineLength() * bytes);
      for (uint64_t i = 0; i < lineLength(); ++i) {
        T value = static_cast<T>(loadElement(at + i * bytes));
        if (toTf32)
          value = roundToTf32(static_cast<float>(value));
        values[index(line, i, transposed)] = value;
      }
    }
    return values;
  }

  template <typename T> void write(Execution &execution, const std::vector<T> &values) const {
    for (uint64_t line = 0; line < lines(); ++line) {
      std::byte *at = execution.write(const_cast<std::byte *>(lineAt(line)), lineLength() * bytes);
      for (uint64_t i = 0; i < lineLength(); ++i)
        store(floatType(layout.type), at + i * bytes, values[index(line, i, false)]);
    }
  }

private:
  double loadElement(const std::byte *at) const {
    return isNarrow(layout.type) ? valueOf(layout.type, std::to_integer<uint8_t>(*at))
                                 : load(floatType(layout.type), at);
  }

  uint64_t index(uint64_t line, uint64_t i, bool transposed) const {
    const uint64_t row = layout.isRowMajor ? line : i, column = layout.isRowMajor ? i : line;
    return transposed ? column * layout.rows + row : row * layout.columns + column;
  }

  const MatrixLayout &layout;
  const uint64_t bytes;
  const std::byte *const begin;
};

template <typename T> T activate(cublasLtEpilogue_t epilogue, T x) {
  if (epilogue & CUBLASLT_EPILOGUE_RELU)
    return x > 0 ? x : T(0);
  if (epilogue & CUBLASLT_EPILOGUE_GELU)
    return T(0.5) * x * (1 + std::tanh(T(0.7978845608028654) * (x + T(0.044715) * x * x * x)));
  return x;
}

/// One f32 of the device's memory; 1 where there is none.
double factorAt(Execution &execution, const void *at) {
  float factor = 1;
  if (at)
    std::memcpy(&factor, execution.read(at, sizeof factor), sizeof factor);
  return factor;
}

template <typename T> void runBatch(const Product &product, Execution &execution, int32_t batch) {
  const MatmulDescriptor &descriptor = product.descriptor;
  const MatrixLayout &result = product.dLayout;
  const uint64_t m = result.rows, n = result.columns;
  const bool isTf32 = descriptor.computeType == CUBLAS_COMPUTE_32F_FAST_TF32;
  const std::vector<T> a = Matrix(product.aLayout, product.a, batch)
                               .read<T>(execution, isTransposed(descriptor.transposeA), isTf32);
  const std::vector<T> b = Matrix(product.bLayout, product.b, batch)
                               .read<T>(execution, isTransposed(descriptor.transposeB), isTf32);
  const uint64_t k = a.size() / m;
  std::vector<T> sums(m * n);
  for (uint64_t row = 0; row < m; ++row)
    for (uint64_t inner = 0; inner < k; ++inner) {
      const T left = a[row * k + inner];
      const T *right = &b[inner * n];
      T *sum = &sums[row * n];
      for (uint64_t column = 0; column < n; ++column)
        sum[column] += left * right[column];
    }
  double alpha = product.alpha, beta = product.beta;
  if (descriptor.pointerMode == CUBLASLT_POINTER_MODE_DEVICE) {
    alpha = factorAt(execution, product.deviceFactors[0]);
    beta = factorAt(execution, product.deviceFactors[1]);
  }
  alpha *= factorAt(execution, descriptor.aScale) * factorAt(execution, descriptor.bScale);
  std::vector<T> addend;
  if (beta != 0)
    addend = Matrix(product.cLayout, product.c, batch).read<T>(execution, false);
  const auto biasType =
      descriptor.biasType < 0 ? result.type : static_cast<cudaDataType_t>(descriptor.biasType);
  const std::byte *bias = nullptr;
  if (hasBias(descriptor.epilogue))
    bias = execution.read(static_cast<const std::byte *>(descriptor.bias) +
                              batch * descriptor.biasBatchStride *
                                  static_cast<int64_t>(bytesOf(biasType)),
                          m * bytesOf(biasType));
  for (uint64_t row = 0; row < m; ++row)
    for (uint64_t column = 0; column < n; ++column) {
      T &value = sums[row * n + column];
      value *= static_cast<T>(alpha);
      if (!addend.empty())
        value += static_cast<T>(beta) * addend[row * n + column];
      if (bias)
        value += static_cast<T>(load(floatType(biasType), bias + row * bytesOf(biasType)));
      value = activate(descriptor.epilogue, value);
    }
  Matrix(result, product.d, batch).write(execution, sums);
}

} // namespace

void Product::run(Execution &execution) const {
  // Whoever else uses the workspace at the same time must be found.
  if (workspaceBytes)
    std::memset(execution.write(workspace, workspaceBytes), 0xa5, workspaceBytes);
  for (int32_t batch = 0; batch < dLayout.batches; ++batch) {
    if (descriptor.computeType == CUBLAS_COMPUTE_64F)
      runBatch<double>(*this, execution, batch);
    else
      runBatch<float>(*this, execution, batch);
  }
}

} // namespace sheaf::standin::cublaslt
