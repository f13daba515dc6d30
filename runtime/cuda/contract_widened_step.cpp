// Multiplies 8-bit floats as floats of 16 bits.
#include "runtime/abi/planned_memory.h"
#include "runtime/cuda/contract_step.h"
#include "runtime/cuda/widened_factors.h"

namespace sheaf::rt::cuda {
namespace {

/// Widens the operands, then does the `product` of those.
class WidenedContractStep final : public Step {
public:
  WidenedContractStep(WidenedFactors factors, std::unique_ptr<Step> product, size_t numBuffers)
      : factors(std::move(factors)), product(std::move(product)), buffers(numBuffers + 1) {}

  Status run(void *const *given, std::byte *scratch) override {
    std::byte *block = scratch + blockOffset();
    if (Status status = factors.fill(given, block); !status.isOk())
      return status;
    std::copy_n(given, buffers.size() - 1, buffers.begin());
    for (size_t i = 0; i < 2; ++i)
      buffers[i] = factors.factorAt(i, block);
    buffers.back() = factors.scalesAt(block);
    return product->run(buffers.data(), scratch);
  }

  size_t scratchBytes() const override { return blockOffset() + factors.bytes(); }

private:
  /// Behind what the product takes: the library wants its workspace aligned as whole scratch memory is.
  size_t blockOffset() const {
    return static_cast<size_t>(abi::blockBytes(static_cast<int64_t>(product->scratchBytes())));
  }

  WidenedFactors factors;
  std::unique_ptr<Step> product;
  std::vector<void *> buffers; ///< of the product, its factors last
};

} // namespace

BoundStep bindWidenedContract(CudaCallSite &site, const ContractParams &params,
                              const ContractPlaces &places) {
  const BufferShape &result = site.outs[0].shape;
  Result<WidenedFactors> factors =
      WidenedFactors::make(site, result.type,
                           {places.lhsScale, places.rhsScale, params.alpha,
                            /*beta=*/places.addend ? 1.0 : 0.0});
  if (!factors.isOk())
    return factors.takeStatus();
  Result<ContractPlan> plan =
      ContractPlan::make(params, factors->shape(0), factors->shape(1), result);
  if (!plan.isOk())
    return plan.takeStatus();
  size_t numBuffers = site.ins.size() + site.outs.size();
  ContractPlaces wide = places;
  wide.lhsScale = wide.rhsScale = std::nullopt;
  wide.factors = numBuffers;
  BoundStep product = bindLibraryContract(site, params, *plan, wide);
  if (product.isOk() && !*product)
    product = bindContractKernel(site, params, *plan, wide);
  if (!product.isOk())
    return product;
  return std::unique_ptr<Step>(
      std::make_unique<WidenedContractStep>(std::move(*factors), std::move(*product), numBuffers));
}

} // namespace sheaf::rt::cuda
