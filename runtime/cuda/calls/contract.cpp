// The call `contract`: batches of matrix products with bias, addend and activation.
#include "runtime/abi/calls.h"
#include "runtime/abi/narrow_product.h"
#include "runtime/abi/planned_memory.h"
#include "runtime/cuda/contract_problem.h"
#include "runtime/cuda/elementwise.h"
#include "runtime/cuda/product_types.h"
#include "runtime/cuda/widened_factors.h"

namespace sheaf::rt::cuda {
namespace {

/// Where the operands are among the instruction's buffers.
struct Places {
  std::optional<size_t> lhsScale, rhsScale, bias, addend;
  size_t result = 2;
  /// Alpha and the factor of the addend, as f32, where they are on the GPU: behind the buffers of the instruction.
  std::optional<size_t> factors;
};

/// The scales are one f32 each.
Status findScales(const CallSite &site, const ContractParams &params, Places &places,
                  size_t &next) {
  for (auto [isThere, place] : {std::pair(params.hasLhsScale, &places.lhsScale),
                                std::pair(params.hasRhsScale, &places.rhsScale)}) {
    if (!isThere)
      continue;
    const BufferShape &scale = site.ins[next].shape;
    *place = next++;
    if (scale.type != abi::ElementType::f32 || scale.elements() != 1)
      return Status::invalid("scale ", scale.str(), " must be one element of f32");
  }
  return {};
}

/// Scales, bias and addend have the type and the extents the call says.
Result<Places> findPlaces(const CallSite &site, const ContractParams &params,
                          const ContractPlan &plan) {
  Places places;
  const BufferShape &result = site.outs[0].shape;
  size_t next = 2;
  if (Status status = findScales(site, params, places, next); !status.isOk())
    return status;
  if (params.hasBias) {
    const BufferShape &bias = site.ins[next].shape;
    places.bias = next++;
    if (bias.type != result.type || bias.elements() != plan.n || !bias.isRowMajor())
      return Status::invalid("bias ", bias.str(), " must be ", abi::nameOf(result.type), "[",
                             plan.n, "], row-major");
  }
  if (params.hasAddend) {
    const BufferShape &addend = site.ins[next].shape;
    places.addend = next++;
    if (addend.type != result.type || addend.dims != result.dims ||
        !(addend.strides == result.strides || (addend.isRowMajor() && result.isRowMajor())))
      return Status::invalid("addend ", addend.str(),
                             " must have the type, dims and strides of result ", result.str());
  }
  places.result = next;
  return places;
}

const void *bufferAt(void *const *buffers, std::optional<size_t> place) {
  return place ? buffers[*place] : nullptr;
}

//===--- By cuBLASLt -----------------------------------------------------------===//

/// The epilogue for a bias and an activation, and the activation that is left to do after it.
std::pair<cublasLtEpilogue_t, Activation> epilogueFor(bool hasBias, Activation activation) {
  switch (activation) {
  case Activation::relu:
    return {hasBias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU, Activation::none};
  case Activation::geluTanh:
    return {hasBias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU, Activation::none};
  default:
    return {hasBias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT, activation};
  }
}

/// Bytes that the first element of a buffer is known to be aligned to.
uint32_t alignmentOf(const Operand &operand) {
  constexpr uint64_t known = abi::blockAlignment; // of every base
  uint64_t offset = static_cast<uint64_t>(operand.offset) | known;
  return static_cast<uint32_t>(offset & (~offset + 1));
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
                 const ContractPlan &plan, const Places &places, cudaStream_t queue)
      : matmul(std::move(matmul)), isSwapped(problem.isSwapped),
        offsets(outerOffsets(problem, plan)), alpha(plan.alpha), places(places), queue(queue) {}

  /// `after` is done to the result: an activation that the library does not have.
  void setActivation(const Elementwise &kernel, const Strided<1> &space, ActivationKind kind) {
    after = [kernel, space, kind](void *result) { return kernel(space, kind, result); };
  }

  Status run(void *const *buffers, std::byte *scratch) override {
    for (const auto &[lhsAt, rhsAt, resultAt] : offsets) {
      const auto *lhs = static_cast<const std::byte *>(buffers[0]) + lhsAt;
      const auto *rhs = static_cast<const std::byte *>(buffers[1]) + rhsAt;
      auto *result = static_cast<std::byte *>(buffers[places.result]) + resultAt;
      const auto *addend = static_cast<const std::byte *>(bufferAt(buffers, places.addend));
      LtOperands operands{isSwapped ? rhs : lhs, isSwapped ? lhs : rhs,
                          addend ? addend + resultAt : result, result,
                          bufferAt(buffers, places.bias)};
      operands.aScale = bufferAt(buffers, isSwapped ? places.rhsScale : places.lhsScale);
      operands.bScale = bufferAt(buffers, isSwapped ? places.lhsScale : places.rhsScale);
      operands.factors = static_cast<const float *>(bufferAt(buffers, places.factors));
      if (Status status = matmul->run(operands, alpha, addend ? 1 : 0, scratch, queue);
          !status.isOk())
        return status;
    }
    return after ? after(buffers[places.result]) : Status();
  }

  size_t scratchBytes() const override { return matmul->workspaceBytes(); }

private:
  std::unique_ptr<LtMatmul> matmul;
  bool isSwapped;
  std::vector<std::array<int64_t, 3>> offsets;
  double alpha;
  Places places;
  cudaStream_t queue;
  std::function<Status(void *)> after;
};

/// Null when cuBLASLt has no way to compute it. `alignments`: as in contractProblem.
BoundStep bindLibrary(CudaCallSite &site, const ContractPlan &plan, const Places &places,
                      const std::array<uint32_t, 3> &alignments, bool allowsTf32) {
  std::optional<ContractProblem> problem = contractProblem(plan, alignments, allowsTf32);
  // Its bias runs along the rows of what it writes: of the transposed result.
  if (!problem || (plan.hasBias && !problem->isSwapped))
    return std::unique_ptr<Step>();
  auto [epilogue, left] = epilogueFor(plan.hasBias, plan.activation);
  if (left != Activation::none && plan.resultType == abi::ElementType::f64)
    return std::unique_ptr<Step>();
  problem->product.epilogue = epilogue;
  problem->product.hasDeviceFactors = places.factors.has_value();
  Result<LtMatmuls *> library = site.device.matmuls();
  if (!library.isOk())
    return library.takeStatus();
  Result<std::unique_ptr<LtMatmul>> matmul = (*library)->bind(problem->product);
  if (!matmul.isOk())
    return matmul.takeStatus();
  if (!*matmul)
    return std::unique_ptr<Step>();
  auto step =
      std::make_unique<LtContractStep>(std::move(*matmul), *problem, plan, places, site.queue);
  if (left != Activation::none) {
    const BufferShape &result = site.outs[0].shape;
    Strided<1> space = toParameter(stridedSpace<1>({&result}));
    auto kernel = Elementwise::find(
        site, "contract", std::string("activate_") + abi::nameOf(result.type), space.count);
    if (!kernel.isOk())
      return kernel.takeStatus();
    step->setActivation(*kernel, space, static_cast<ActivationKind>(left));
  }
  return std::unique_ptr<Step>(std::move(step));
}

//===--- By our own kernel -----------------------------------------------------===//

ContractParameters parametersOf(const ContractPlan &plan) {
  StridedSpace<3> batch;
  for (const ContractPlan::BatchDim &dim : plan.batch)
    batch.dims.push_back({dim.extent, {dim.lhsStride, dim.rhsStride, dim.resultStride}});
  return {.batch = toParameter(std::move(batch)),
          .m = plan.m,
          .n = plan.n,
          .k = plan.k,
          .lhsStrideM = plan.lhsStrideM,
          .lhsStrideK = plan.lhsStrideK,
          .rhsStrideK = plan.rhsStrideK,
          .rhsStrideN = plan.rhsStrideN,
          .resultStrideM = plan.resultStrideM,
          .resultStrideN = plan.resultStrideN,
          .alpha = plan.alpha,
          .activation = static_cast<ActivationKind>(plan.activation)};
}

BoundStep bindKernel(CudaCallSite &site, const ContractPlan &plan, const Places &places) {
  ProductTypes types{plan.resultType, plan.lhsType, plan.rhsType};
  int64_t count = site.outs[0].shape.elements();
  Result<Elementwise> kernel =
      Elementwise::find(site, "contract", types.kernelName("contract"), count);
  if (!kernel.isOk())
    return kernel.takeStatus();
  if (types.isFloat())
    return makeStep([kernel = *kernel, parameters = parametersOf(plan),
                     places](void *const *buffers, std::byte *) {
      return kernel(parameters, buffers[0], buffers[1], bufferAt(buffers, places.bias),
                    bufferAt(buffers, places.addend), bufferAt(buffers, places.factors),
                    buffers[places.result]);
    });
  return makeStep([kernel = *kernel, parameters = parametersOf(plan), places,
                   lhs = integerType(plan.lhsType), rhs = integerType(plan.rhsType),
                   result = integerType(plan.resultType)](void *const *buffers, std::byte *) {
    return kernel(parameters, lhs, rhs, result, buffers[0], buffers[1],
                  bufferAt(buffers, places.bias), bufferAt(buffers, places.addend),
                  buffers[places.result]);
  });
}

//===--- Of 8-bit floats -------------------------------------------------------===//

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

BoundStep bindWidened(CudaCallSite &site, const ContractParams &params, const Places &places) {
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
  Places wide = places;
  wide.lhsScale = wide.rhsScale = std::nullopt;
  wide.factors = numBuffers;
  constexpr uint32_t ofBlock = abi::blockAlignment;
  BoundStep product = bindLibrary(site, *plan, wide, {ofBlock, ofBlock, alignmentOf(site.outs[0])},
                                  /*allowsTf32=*/false);
  if (product.isOk() && !*product)
    product = bindKernel(site, *plan, wide);
  if (!product.isOk())
    return product;
  return std::unique_ptr<Step>(
      std::make_unique<WidenedContractStep>(std::move(*factors), std::move(*product), numBuffers));
}

//===-------------------------------------------------------------------------===//

BoundStep bind(CudaCallSite &site) {
  ContractParams params = ContractParams::read(site.params);
  if (site.ins.size() !=
      2u + params.hasLhsScale + params.hasRhsScale + params.hasBias + params.hasAddend)
    return Status::invalid("it has ", site.ins.size(), " ins; has_lhs_scale is ",
                           params.hasLhsScale, ", has_rhs_scale ", params.hasRhsScale,
                           ", has_bias ", params.hasBias, " and has_addend ", params.hasAddend);
  if (params.isPacked)
    return Status::invalid("weights_packed: a GPU packs no weights");
  bool isInPlace = params.hasAddend && site.isInPlace(site.ins.size() - 1, 0);
  for (size_t i = 0; i < site.ins.size(); ++i)
    if (site.isInPlace(i, 0) && !(isInPlace && i + 1 == site.ins.size()))
      return Status::invalid("the result is the memory of in ", i, ", which it still reads");
  Result<ContractPlan> plan =
      ContractPlan::make(params, site.ins[0].shape, site.ins[1].shape, site.outs[0].shape);
  if (!plan.isOk())
    return plan.takeStatus();
  ProductTypes types{plan->resultType, plan->lhsType, plan->rhsType};
  bool isNarrow = abi::multipliesNarrow(types.lhs, types.rhs, types.result);
  if (Status status = isNarrow ? Status() : types.check(plan->activation); !status.isOk())
    return status;
  if (!isNarrow && (params.hasLhsScale || params.hasRhsScale))
    return Status::invalid("its operands are not of 8-bit floats, which alone have scales");
  if (!types.isFloat() && plan->alpha != 1)
    return Status::invalid("integers have no alpha");
  Result<Places> places = findPlaces(site, params, *plan);
  if (!places.isOk())
    return places.takeStatus();
  if (site.outs[0].shape.elements() == 0)
    return makeStep([](void *const *, std::byte *) {});
  // A bias that the library does not add to a product of 8-bit floats, it adds to one of wider types.
  bool isWidened = isNarrow && params.hasBias && !abi::addsNarrowBias(types.result);
  BoundStep step = std::unique_ptr<Step>();
  if (!isWidened)
    step =
        bindLibrary(site, *plan, *places,
                    {alignmentOf(site.ins[0]), alignmentOf(site.ins[1]), alignmentOf(site.outs[0])},
                    params.allowsTf32);
  if (!step.isOk() || *step)
    return step;
  return isNarrow ? bindWidened(site, params, *places) : bindKernel(site, *plan, *places);
}

const RegisteredCall<bind> registered({.name = abi::calls::contract,
                                       .minIns = 2,
                                       .maxIns = 6,
                                       .takesStrides = true,
                                       .checksInPlace = true});

} // namespace
} // namespace sheaf::rt::cuda
