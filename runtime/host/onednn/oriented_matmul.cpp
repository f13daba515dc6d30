// Turns products, and operands of products, around.
#include "runtime/host/onednn/oriented_matmul.h"

#include "runtime/host/strided_copy.h"

#include <algorithm>
#include <array>

namespace sheaf::rt::host::onednn {
namespace {

/// result^T = rhs^T lhs^T
ContractPlan transposed(const ContractPlan &plan) {
  ContractPlan turned = plan;
  std::swap(turned.lhsType, turned.rhsType);
  std::swap(turned.m, turned.n);
  turned.lhsStrideM = plan.rhsStrideN;
  turned.lhsStrideK = plan.rhsStrideK;
  turned.rhsStrideK = plan.lhsStrideK;
  turned.rhsStrideN = plan.lhsStrideM;
  std::swap(turned.resultStrideM, turned.resultStrideN);
  for (ContractPlan::BatchDim &dim : turned.batch)
    std::swap(dim.lhsStride, dim.rhsStride);
  return turned;
}

/// Whether the result has columns side by side, and may be seen the other way round. A bias goes along rows.
bool isByColumns(const ContractPlan &plan) {
  return plan.resultStrideM == 1 && plan.resultStrideN != 1 && plan.m > 1 && plan.n > 1 &&
         !plan.hasBias && plan.lhsType == plan.rhsType;
}

/// Whether it pays to turn the lhs: it is read n times, and turned once.
bool isLhsToTurn(const ContractPlan &plan) {
  constexpr int64_t leastRows = 32, leastColumns = 64;
  return plan.lhsStrideM == 1 && plan.lhsStrideK != 1 && plan.m >= leastRows &&
         plan.k >= leastRows && plan.n >= leastColumns;
}

/// Copies the lhs to scratch memory, row by row, before the product.
class TurnedLhs final : public Step {
public:
  TurnedLhs(const BufferShape &stored, const BufferShape &rows, size_t buffer, size_t numBuffers,
            std::unique_ptr<Step> product)
      : copy(stored, rows), buffer(buffer), numBuffers(numBuffers),
        lhsBytes(
            (static_cast<size_t>(rows.elements() * rows.elementBytes()) + memoryAlignment - 1) /
            memoryAlignment * memoryAlignment),
        product(std::move(product)) {}

  Status run(void *const *buffers, std::byte *scratch) override {
    std::array<void *, maxBuffers> own;
    std::copy_n(buffers, numBuffers, own.begin());
    copy.run(static_cast<const std::byte *>(buffers[buffer]), scratch);
    own[buffer] = scratch;
    return product->run(own.data(), scratch + lhsBytes);
  }

  size_t scratchBytes() const override { return lhsBytes + product->scratchBytes(); }

  /// lhs, rhs, bias, addend, result
  static constexpr size_t maxBuffers = 5;

private:
  StridedCopy copy;
  size_t buffer, numBuffers, lhsBytes;
  std::unique_ptr<Step> product;
};

std::unique_ptr<Step> makeTurnedLhs(const ContractPlan &plan, const ContractBuffers &buffers,
                                    const dnnl::memory::desc *packedRhs) {
  ContractPlan inRows = plan;
  BufferShape stored{plan.lhsType, {}, {}};
  for (const ContractPlan::BatchDim &dim : plan.batch)
    if (dim.lhsStride != 0) {
      stored.dims.push_back(dim.extent);
      stored.strides.push_back(dim.lhsStride);
    }
  stored.dims.insert(stored.dims.end(), {plan.m, plan.k});
  stored.strides.insert(stored.strides.end(), {plan.lhsStrideM, plan.lhsStrideK});
  BufferShape rows = rowMajorShape(plan.lhsType, stored.dims);
  inRows.lhsStrideM = plan.k;
  inRows.lhsStrideK = 1;
  size_t next = 0;
  for (ContractPlan::BatchDim &dim : inRows.batch)
    if (dim.lhsStride != 0)
      dim.lhsStride = rows.strides[next++];
  std::unique_ptr<Step> product = makeMatmul(inRows, buffers, packedRhs);
  if (!product)
    return nullptr;
  return std::make_unique<TurnedLhs>(stored, rows, buffers.lhs, buffers.result + 1,
                                     std::move(product));
}

} // namespace

std::unique_ptr<Step> makeOrientedMatmul(const ContractPlan &plan, const ContractBuffers &buffers,
                                         const dnnl::memory::desc *packedRhs) {
  if (isByColumns(plan) && !packedRhs) {
    ContractBuffers turned = buffers;
    std::swap(turned.lhs, turned.rhs);
    return makeOrientedMatmul(transposed(plan), turned, nullptr);
  }
  return isLhsToTurn(plan) ? makeTurnedLhs(plan, buffers, packedRhs)
                           : makeMatmul(plan, buffers, packedRhs);
}

} // namespace sheaf::rt::host::onednn
