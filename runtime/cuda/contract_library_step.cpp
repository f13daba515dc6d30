// Multiplies by cuBLASLt.
#include "runtime/abi/planned_memory.h"
#include "runtime/cuda/contract_rest.h"
#include "runtime/cuda/contract_step.h"

namespace sheaf::rt::cuda {
namespace {

/// Bytes that the first element of a buffer is known to be aligned to.
uint32_t alignmentOf(const Operand &operand) {
  constexpr uint64_t known = abi::blockAlignment; // of every base
  uint64_t offset = static_cast<uint64_t>(operand.offset) | known;
  return static_cast<uint32_t>(offset & (~offset + 1));
}

/// Likewise of lhs or rhs. Those that are widened are whole blocks.
uint32_t factorAlignment(const CudaCallSite &site, const ContractPlaces &places, size_t index) {
  constexpr uint32_t ofBlock = abi::blockAlignment;
  return places.factors ? ofBlock : alignmentOf(site.ins[index]);
}

/// The dims of the batch that the library does not walk, as offsets in bytes of lhs, rhs and result.
std::vector<std::array<int64_t, 3>> outerOffsets(const ContractProblem &problem,
                                                 const ContractPlan &plan) {
  std::vector<std::array<int64_t, 3>> offsets{{0, 0, 0}};
  for (const ContractPlan::BatchDim &dim : problem.outer) {
    std::vector<std::array<int64_t, 3>> next;
    for (const auto &offset : offsets)
      for (int64_t i = 0; i < dim.extent; ++i)
        next.push_back({offset[0] + i * dim.lhsStride * abi::bytesOf(plan.lhsType),
                        offset[1] + i * dim.rhsStride * abi::bytesOf(plan.rhsType),
                        offset[2] + i * dim.resultStride * abi::bytesOf(plan.resultType)});
    offsets = std::move(next);
  }
  return offsets;
}

class LtContractStep final : public Step {
public:
  LtContractStep(std::unique_ptr<LtMatmul> matmul, const ContractProblem &problem,
                 const ContractPlan &plan, const ContractPlaces &places,
                 const ContractEpilogue &epilogue, RestOfContract rest, cudaStream_t queue)
      : matmul(std::move(matmul)), isSwapped(problem.isSwapped),
        offsets(outerOffsets(problem, plan)), alpha(plan.alpha), places(places), epilogue(epilogue),
        rest(std::move(rest)), queue(queue) {}

  Status run(void *const *buffers, std::byte *scratch) override {
    const void *lhsScale = bufferAt(buffers, places.lhsScale);
    const void *rhsScale = bufferAt(buffers, places.rhsScale);
    for (const auto &[lhsAt, rhsAt, resultAt] : offsets) {
      const auto *lhs = static_cast<const std::byte *>(buffers[0]) + lhsAt;
      const auto *rhs = static_cast<const std::byte *>(buffers[1]) + rhsAt;
      auto *result = static_cast<std::byte *>(buffers[epilogue.product]) + resultAt;
      const auto *addend = static_cast<const std::byte *>(bufferAt(buffers, places.addend));
      LtOperands operands{.a = isSwapped ? rhs : lhs,
                          .b = isSwapped ? lhs : rhs,
                          .c = addend ? addend + resultAt : result,
                          .d = result,
                          .vector = bufferAt(buffers, epilogue.vector),
                          .auxiliary = bufferAt(buffers, epilogue.auxiliary),
                          .aScale = isSwapped ? rhsScale : lhsScale,
                          .bScale = isSwapped ? lhsScale : rhsScale,
                          .factors = static_cast<const float *>(bufferAt(buffers, places.factors))};
      if (Status status = matmul->run(operands, alpha, addend ? 1 : 0, scratch, queue);
          !status.isOk())
        return status;
    }
    return rest ? rest(buffers) : Status();
  }

  size_t scratchBytes() const override { return matmul->workspaceBytes(); }

private:
  std::unique_ptr<LtMatmul> matmul;
  bool isSwapped;
  std::vector<std::array<int64_t, 3>> offsets;
  double alpha;
  ContractPlaces places;
  ContractEpilogue epilogue;
  RestOfContract rest;
  cudaStream_t queue;
};

/// Null when cuBLASLt has no way to compute it with this epilogue.
BoundStep bindEpilogue(CudaCallSite &site, ContractProblem problem, const ContractPlan &plan,
                       const ContractPlaces &places, const ContractEpilogue &epilogue) {
  // Kernels have activations of no more than 32 bits.
  if (epilogue.rest.activation != Activation::none && plan.resultType == abi::ElementType::f64)
    return std::unique_ptr<Step>();
  auto alignmentAt = [&](size_t place) {
    return alignmentOf(place < site.ins.size() ? site.ins[place]
                                               : site.outs[place - site.ins.size()]);
  };
  LtProblem &product = problem.product;
  product.epilogue = epilogue.kind;
  product.hasDeviceFactors = places.factors.has_value();
  if (epilogue.vector)
    product.vectorAlignment = alignmentAt(*epilogue.vector);
  if (epilogue.auxiliary) {
    product.auxiliaryLeading = product.d.leading;
    product.auxiliaryAlignment = alignmentAt(*epilogue.auxiliary);
  }
  Result<LtMatmuls *> library = site.device.matmuls();
  if (!library.isOk())
    return library.takeStatus();
  Result<std::unique_ptr<LtMatmul>> matmul = (*library)->bind(product);
  if (!matmul.isOk())
    return matmul.takeStatus();
  if (!*matmul)
    return std::unique_ptr<Step>();
  Result<RestOfContract> rest = bindRest(site, plan, places, epilogue);
  if (!rest.isOk())
    return rest.takeStatus();
  return std::unique_ptr<Step>(std::make_unique<LtContractStep>(
      std::move(*matmul), problem, plan, places, epilogue, std::move(*rest), site.queue));
}

} // namespace

BoundStep bindLibraryContract(CudaCallSite &site, const ContractParams &params,
                              const ContractPlan &plan, const ContractPlaces &places) {
  const ContractEpilogue least = ContractEpilogue::least(params, places);
  const Operand &written =
      site.outs[least.product - site.ins.size()]; // The preactivation where that comes first.
  uint32_t resultAlignment = std::min(alignmentOf(site.outs[0]), alignmentOf(written));
  std::optional<ContractProblem> problem = contractProblem(
      plan, {factorAlignment(site, places, 0), factorAlignment(site, places, 1), resultAlignment},
      params.allowsTf32);
  // Its bias runs along the rows of what it writes: of the transposed result.
  if (!problem || (params.hasBias && !problem->isSwapped))
    return std::unique_ptr<Step>();
  const ContractEpilogue whole = ContractEpilogue::whole(params, plan, *problem, places);
  BoundStep step = bindEpilogue(site, *problem, plan, places, whole);
  if (!step.isOk() || *step || whole.kind == least.kind)
    return step;
  return bindEpilogue(site, *problem, plan, places, least);
}

} // namespace sheaf::rt::cuda
