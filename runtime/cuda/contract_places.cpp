// Finds the buffers of a `contract`, which executables that nobody vouches for may get wrong.
#include "runtime/cuda/contract_places.h"

#include "runtime/abi/narrow_product.h"

namespace sheaf::rt::cuda {
namespace {

Status checkScale(const char *role, const BufferShape &scale) {
  if (scale.type == abi::ElementType::f32 && scale.elements() == 1)
    return {};
  return Status::invalid(role, " ", scale.str(), " must be one element of f32");
}

/// A vector of the result's type.
Status checkVector(const char *role, const BufferShape &vector, abi::ElementType type,
                   int64_t extent) {
  if (vector.type == type && vector.elements() == extent && vector.isRowMajor())
    return {};
  return Status::invalid(role, " ", vector.str(), " must be ", abi::nameOf(type), "[", extent,
                         "], row-major");
}

/// A tensor that lies as the result.
Status checkLike(const char *role, const BufferShape &tensor, const BufferShape &result) {
  if (tensor.type == result.type && tensor.dims == result.dims &&
      (tensor.strides == result.strides || (tensor.isRowMajor() && result.isRowMajor())))
    return {};
  return Status::invalid(role, " ", tensor.str(),
                         " must have the type, dims and strides of result ", result.str());
}

/// Rules of calls.h about what serves gradients.
Status checkCombination(const ContractParams &params, const ContractPlan &plan) {
  bool isActivated = params.activation != Activation::none;
  bool isDifferentiated = params.derivative != Activation::none;
  if (!params.lhsBatch.empty())
    return Status::invalid("keeps_preactivation, derivative and sums take no batch dims");
  bool isFloat = plan.resultType == abi::ElementType::f16 ||
                 plan.resultType == abi::ElementType::bf16 ||
                 plan.resultType == abi::ElementType::f32;
  if (!isFloat || plan.lhsType != plan.resultType || plan.rhsType != plan.resultType)
    return Status::invalid(
        "keeps_preactivation, derivative and sums take one type of f16, bf16 and "
        "f32, not ",
        abi::nameOf(plan.lhsType), ", ", abi::nameOf(plan.rhsType), " and ",
        abi::nameOf(plan.resultType));
  if (params.keepsPreactivation && (!isActivated || params.hasAddend))
    return Status::invalid("keeps_preactivation needs an activation and takes no addend");
  if (isDifferentiated &&
      (isActivated || params.hasBias || params.hasAddend || params.keepsPreactivation))
    return Status::invalid("derivative takes no activation, bias or addend");
  if (params.sums == ContractSums::none)
    return {};
  if (isDifferentiated != (params.sums == ContractSums::result))
    return Status::invalid("sums of the result go with derivative, and no others do");
  if (isActivated || params.hasBias)
    return Status::invalid("sums takes no activation or bias");
  return {};
}

} // namespace

Status checkContractSite(const CallSite &site, const ContractParams &params) {
  bool isDifferentiated = params.derivative != Activation::none;
  bool hasSums = params.sums != ContractSums::none;
  if (site.ins.size() != 2u + params.hasLhsScale + params.hasRhsScale + params.hasBias +
                             params.hasAddend + isDifferentiated)
    return Status::invalid("it has ", site.ins.size(), " ins; has_lhs_scale is ",
                           params.hasLhsScale, ", has_rhs_scale ", params.hasRhsScale,
                           ", has_bias ", params.hasBias, ", has_addend ", params.hasAddend,
                           isDifferentiated ? "," : ", no", " derivative");
  if (site.outs.size() != 1u + params.keepsPreactivation + hasSums)
    return Status::invalid("it has ", site.outs.size(), " outs; keeps_preactivation is ",
                           params.keepsPreactivation, hasSums ? "," : ", no", " sums");
  if (params.isPacked)
    return Status::invalid("weights_packed: a GPU packs no weights");
  for (size_t in = 0; in < site.ins.size(); ++in)
    for (size_t out = 0; out < site.outs.size(); ++out)
      if (site.isInPlace(in, out) && !(params.hasAddend && in + 1 == site.ins.size() && out == 0))
        return Status::invalid(out == 0 ? "the result" : "another out", " is the memory of in ", in,
                               ", which it still reads");
  return {};
}

Result<ContractPlaces> ContractPlaces::find(const CallSite &site, const ContractParams &params,
                                            const ContractPlan &plan) {
  if (params.servesGradients())
    if (Status status = checkCombination(params, plan); !status.isOk())
      return status;
  bool isNarrow = abi::multipliesNarrow(plan.lhsType, plan.rhsType, plan.resultType);
  if (!isNarrow && (params.hasLhsScale || params.hasRhsScale))
    return Status::invalid("its operands are not of 8-bit floats, which alone have scales");
  ContractPlaces places;
  const BufferShape &result = site.outs[0].shape;
  Status status;
  size_t next = 2;
  auto take = [&](const char *role, auto &&check, auto... more) {
    const BufferShape &shape =
        next < site.ins.size() ? site.ins[next].shape : site.outs[next - site.ins.size()].shape;
    if (status.isOk())
      status = check(role, shape, more...);
    return next++;
  };
  if (params.hasLhsScale)
    places.lhsScale = take("lhs scale", checkScale);
  if (params.hasRhsScale)
    places.rhsScale = take("rhs scale", checkScale);
  if (params.hasBias)
    places.bias = take("bias", checkVector, result.type, plan.n);
  if (params.hasAddend)
    places.addend = take("addend", checkLike, result);
  if (params.derivative != Activation::none)
    places.preactivation = take("preactivation", checkLike, result);
  places.result = next++;
  if (params.keepsPreactivation)
    places.preactivation = take("preactivation", checkLike, result);
  if (params.sums != ContractSums::none)
    places.sums =
        take("sums", checkVector, result.type, params.sums == ContractSums::lhs ? plan.m : plan.n);
  if (!status.isOk())
    return status;
  return places;
}

} // namespace sheaf::rt::cuda
