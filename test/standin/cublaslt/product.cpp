// Multiplies matrices of any layout in plain loops.
#include "test/standin/cublaslt/narrow.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "test/standin/device/float_type.h"

namespace sheaf::standin::cublaslt {

static bool isTransposed(cublasOperation_t operation) { return operation != CUBLAS_OP_N; }

/// What the library takes of its epilogues, as far as the runtime uses them. From cublasLt.h: the leading dimension of
/// the auxiliary matrix. Seen on GPUs, with CUDA 13.0: sums are of a that is not transposed, or of b that is. Of
/// batches and of results of another type nothing is known: they are refused, as is f64, which has few of them.
static cublasStatus_t checkEpilogue(const Product &product) {
  const MatmulDescriptor &descriptor = product.descriptor;
  switch (descriptor.epilogue) {
  case CUBLASLT_EPILOGUE_DEFAULT:
    return CUBLAS_STATUS_SUCCESS;
  case CUBLASLT_EPILOGUE_RELU:
  case CUBLASLT_EPILOGUE_BIAS:
  case CUBLASLT_EPILOGUE_RELU_BIAS:
  case CUBLASLT_EPILOGUE_GELU:
  case CUBLASLT_EPILOGUE_GELU_BIAS:
    break;
  case CUBLASLT_EPILOGUE_GELU_AUX:
  case CUBLASLT_EPILOGUE_GELU_AUX_BIAS:
  case CUBLASLT_EPILOGUE_DGELU:
  case CUBLASLT_EPILOGUE_DGELU_BGRAD:
    if (descriptor.auxiliaryLeading % 8 != 0 ||
        descriptor.auxiliaryLeading < static_cast<int64_t>(product.dLayout.rows))
      return CUBLAS_STATUS_INVALID_VALUE;
    break;
  case CUBLASLT_EPILOGUE_BGRADA:
    if (isTransposed(descriptor.transposeA))
      return CUBLAS_STATUS_NOT_SUPPORTED;
    break;
  case CUBLASLT_EPILOGUE_BGRADB:
    if (!isTransposed(descriptor.transposeB))
      return CUBLAS_STATUS_NOT_SUPPORTED;
    break;
  default:
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  const bool isOfGradients = descriptor.hasAuxiliary() || descriptor.sumsOperand();
  return descriptor.computeType == CUBLAS_COMPUTE_64F ||
                 (isOfGradients &&
                  (product.dLayout.batches != 1 || product.aLayout.type != product.dLayout.type))
             ? CUBLAS_STATUS_NOT_SUPPORTED
             : CUBLAS_STATUS_SUCCESS;
}

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
  if (isNarrow()) {
    const cublasStatus_t status = checkNarrow(*this, capability);
    return status == CUBLAS_STATUS_SUCCESS ? checkEpilogue(*this) : status;
  }
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
  return checkEpilogue(*this);
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

template <typename T> constexpr T geluSlope = T(0.7978845608028654);
template <typename T> constexpr T geluCube = T(0.044715);

template <typename T> T geluTanh(T x) {
  return std::tanh(geluSlope<T> * (x + geluCube<T> * x * x * x));
}

template <typename T> T activate(cublasLtEpilogue_t epilogue, T x) {
  if (epilogue & CUBLASLT_EPILOGUE_RELU)
    return x > 0 ? x : T(0);
  if (epilogue & CUBLASLT_EPILOGUE_GELU)
    return T(0.5) * x * (1 + geluTanh(x));
  return x;
}

template <typename T> T geluDerivative(T x) {
  const T tanh = geluTanh(x);
  return T(0.5) * (1 + tanh + x * (1 - tanh * tanh) * geluSlope<T> * (1 + 3 * geluCube<T> * x * x));
}

/// What a product gives beside D, in plain loops, as it goes.
template <typename T> class Gradients {
public:
  Gradients(const Product &product, Execution &execution)
      : product(product), descriptor(product.descriptor), execution(execution) {
    auxiliaryLayout.leading = descriptor.auxiliaryLeading;
    if (descriptor.isDifferentiated())
      inputs = auxiliary().template read<T>(execution, false);
    else if (descriptor.hasAuxiliary())
      inputs.resize(product.dLayout.rows * product.dLayout.columns);
    if (descriptor.sumsResult())
      sums.resize(product.dLayout.rows);
  }

  /// One value of D, before it is activated.
  T finish(uint64_t row, uint64_t column, T value) {
    const uint64_t place = row * product.dLayout.columns + column;
    if (descriptor.isDifferentiated())
      value *= geluDerivative(inputs[place]);
    else if (descriptor.hasAuxiliary())
      inputs[place] = value;
    if (descriptor.sumsResult())
      sums[row] += value;
    return activate(descriptor.epilogue, value);
  }

  /// Sums op(A) [m, k] or op(B) [k, n] up over k; alpha has no part in it.
  void sumOperand(const std::vector<T> &a, const std::vector<T> &b, uint64_t k) {
    const uint64_t m = product.dLayout.rows, n = product.dLayout.columns;
    const bool isA = descriptor.epilogue == CUBLASLT_EPILOGUE_BGRADA;
    sums.assign(isA ? m : n, T(0));
    for (uint64_t i = 0; i < sums.size(); ++i)
      for (uint64_t inner = 0; inner < k; ++inner)
        sums[i] += isA ? a[i * k + inner] : b[inner * n + i];
  }

  void write() {
    if (descriptor.hasAuxiliary() && !descriptor.isDifferentiated())
      auxiliary().write(execution, inputs);
    const uint64_t bytes = bytesOf(product.dLayout.type);
    if (sums.empty())
      return;
    std::byte *at = execution.write(const_cast<void *>(descriptor.bias), sums.size() * bytes);
    for (uint64_t i = 0; i < sums.size(); ++i)
      store(floatType(product.dLayout.type), at + i * bytes, sums[i]);
  }

private:
  Matrix auxiliary() const { return Matrix(auxiliaryLayout, descriptor.auxiliary, 0); }

  const Product &product;
  const MatmulDescriptor &descriptor;
  Execution &execution;
  MatrixLayout auxiliaryLayout = product.dLayout;
  std::vector<T> inputs, sums;
};

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
  if (descriptor.addsBias())
    bias = execution.read(static_cast<const std::byte *>(descriptor.bias) +
                              batch * descriptor.biasBatchStride *
                                  static_cast<int64_t>(bytesOf(biasType)),
                          m * bytesOf(biasType));
  Gradients<T> gradients(product, execution);
  if (descriptor.sumsOperand())
    gradients.sumOperand(a, b, k);
  for (uint64_t row = 0; row < m; ++row)
    for (uint64_t column = 0; column < n; ++column) {
      T &value = sums[row * n + column];
      value *= static_cast<T>(alpha);
      if (!addend.empty())
        value += static_cast<T>(beta) * addend[row * n + column];
      if (bias)
        value += static_cast<T>(load(floatType(biasType), bias + row * bytesOf(biasType)));
      value = gradients.finish(row, column, value);
    }
  gradients.write();
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
