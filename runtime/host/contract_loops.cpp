// Multiplies matrices block by block: operands are widened into small dense panels, products summed from them.
#include "runtime/host/contract_loops.h"

#include "runtime/host/parallel.h"
#include "runtime/host/product_types.h"
#include "runtime/host/registry.h"

#include <algorithm>

namespace sheaf::rt::host {
namespace {

constexpr int64_t blockM = 32, blockN = 64, blockK = 128;

/// Widens `count` elements that lie `stride` apart.
template <typename S>
using Load = void (*)(const void *base, int64_t at, int64_t stride, int64_t count, S *to);

template <typename T, typename S>
void load(const void *base, int64_t at, int64_t stride, int64_t count, S *to) {
  const T *from = static_cast<const T *>(base) + at;
  for (int64_t i = 0; i < count; ++i)
    to[i] = static_cast<S>(from[i * stride]);
}

/// The contract over elements of result type R, with sums of type S.
template <typename R, typename S> class Loops {
public:
  Loops(const ContractPlan &plan, Load<S> loadLhs, Load<S> loadRhs)
      : plan(plan), loadLhs(loadLhs), loadRhs(loadRhs), numBatch(plan.batchCount()),
        numM((plan.m + blockM - 1) / blockM), numN((plan.n + blockN - 1) / blockN) {}

  void run(void *const *buffers) const {
    int64_t blockFlops = 2 * std::min(plan.m, blockM) * std::min(plan.n, blockN) * plan.k;
    int64_t grain = std::max<int64_t>(1, 100'000 / std::max<int64_t>(blockFlops, 1));
    parallelFor(0, numBatch * numM * numN, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        runBlock(buffers, i / (numM * numN), i / numN % numM * blockM, i % numN * blockN);
    });
  }

private:
  struct Origin {
    int64_t lhs = 0, rhs = 0, result = 0;
  };

  Origin originOf(int64_t batchIndex) const {
    Origin origin;
    for (size_t i = plan.batch.size(); i-- > 0;) {
      const ContractPlan::BatchDim &dim = plan.batch[i];
      int64_t position = batchIndex % dim.extent;
      batchIndex /= dim.extent;
      origin.lhs += position * dim.lhsStride;
      origin.rhs += position * dim.rhsStride;
      origin.result += position * dim.resultStride;
    }
    return origin;
  }

  void runBlock(void *const *buffers, int64_t batchIndex, int64_t m0, int64_t n0) const {
    Origin origin = originOf(batchIndex);
    int64_t rows = std::min(blockM, plan.m - m0), columns = std::min(blockN, plan.n - n0);
    S sums[blockM][blockN] = {};
    S lhs[blockM][blockK];
    S rhs[blockK][blockN] = {};
    for (int64_t k0 = 0; k0 < plan.k; k0 += blockK) {
      int64_t depth = std::min(blockK, plan.k - k0);
      for (int64_t i = 0; i < rows; ++i)
        loadLhs(buffers[0], origin.lhs + (m0 + i) * plan.lhsStrideM + k0 * plan.lhsStrideK,
                plan.lhsStrideK, depth, lhs[i]);
      for (int64_t k = 0; k < depth; ++k)
        loadRhs(buffers[1], origin.rhs + (k0 + k) * plan.rhsStrideK + n0 * plan.rhsStrideN,
                plan.rhsStrideN, columns, rhs[k]);
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t k = 0; k < depth; ++k)
          for (int64_t j = 0; j < blockN; ++j)
            sums[i][j] += lhs[i][k] * rhs[k][j];
    }
    for (int64_t i = 0; i < rows; ++i)
      store(buffers, origin.result + (m0 + i) * plan.resultStrideM + n0 * plan.resultStrideN, n0,
            sums[i], columns);
  }

  void store(void *const *buffers, int64_t at, int64_t n0, const S *sums, int64_t columns) const {
    size_t next = 2;
    const R *bias = plan.hasBias ? static_cast<const R *>(buffers[next++]) + n0 : nullptr;
    const R *addend = plan.hasAddend ? static_cast<const R *>(buffers[next++]) + at : nullptr;
    R *result = static_cast<R *>(buffers[next]) + at;
    for (int64_t j = 0; j < columns; ++j) {
      S value = sums[j];
      if constexpr (!std::is_integral_v<R>)
        value *= static_cast<S>(plan.alpha);
      if (bias)
        value += static_cast<S>(bias[j]);
      if (addend)
        value += static_cast<S>(addend[j * plan.resultStrideN]);
      if constexpr (!std::is_integral_v<R>)
        value = activate(plan.activation, value);
      result[j * plan.resultStrideN] = static_cast<R>(value);
    }
  }

  ContractPlan plan;
  Load<S> loadLhs, loadRhs;
  int64_t numBatch, numM, numN;
};

template <typename R>
BoundStep makeLoops(const ContractPlan &plan, Load<ProductSum<R>> loadLhs,
                    Load<ProductSum<R>> loadRhs) {
  return makeStep([loops = Loops<R, ProductSum<R>>(plan, loadLhs, loadRhs)](
                      void *const *buffers, std::byte *) { loops.run(buffers); });
}

} // namespace

Result<std::unique_ptr<Step>> makeContractLoops(const ContractPlan &plan) {
  if (!abi::isFloat(plan.resultType) && (plan.alpha != 1 || plan.activation != Activation::none))
    return Status::invalid("integers take neither alpha nor an activation");
  return visitProduct({plan.resultType, plan.lhsType, plan.rhsType},
                      [&](auto result, auto lhs, auto rhs) {
                        using R = typename decltype(result)::Type;
                        using Sum = ProductSum<R>;
                        return makeLoops<R>(plan, load<typename decltype(lhs)::Type, Sum>,
                                            load<typename decltype(rhs)::Type, Sum>);
                      });
}

} // namespace sheaf::rt::host
