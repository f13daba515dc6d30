// The call `contract`: batches of matrix products with bias, addend and activation.
#include "runtime/abi/calls.h"
#include "runtime/host/contract_loops.h"
#include "runtime/host/onednn/engine.h"
#include "runtime/host/onednn/oriented_matmul.h"
#include "runtime/host/registry.h"

namespace sheaf::rt::host {
namespace {

/// Bias and addend have the type and the extents the call says.
Status checkExtras(const CallSite &site, const ContractParams &params, const ContractPlan &plan,
                   onednn::ContractBuffers &buffers) {
  const BufferShape &result = site.outs[0].shape;
  size_t next = 2;
  if (params.hasBias) {
    const BufferShape &bias = site.ins[next].shape;
    buffers.bias = next++;
    if (bias.type != result.type || bias.elements() != plan.n || !bias.isRowMajor())
      return Status::invalid("bias ", bias.str(), " must be ", abi::nameOf(result.type), "[",
                             plan.n, "], row-major");
  }
  if (params.hasAddend) {
    const BufferShape &addend = site.ins[next].shape;
    buffers.addend = next;
    buffers.isAddendInPlace = site.isInPlace(next++, 0);
    if (addend.type != result.type || addend.dims != result.dims ||
        !(addend.strides == result.strides || (addend.isRowMajor() && result.isRowMajor())))
      return Status::invalid("addend ", addend.str(),
                             " must have the type, dims and strides of result ", result.str());
  }
  buffers.result = site.ins.size();
  return {};
}

Result<std::unique_ptr<Step>> bind(CallSite &site) {
  ContractParams params = ContractParams::read(site.params);
  if (params.servesGradients())
    return Status::invalid("keeps_preactivation, derivative and sums are for GPUs");
  if (params.hasLhsScale || params.hasRhsScale)
    return Status::invalid("it has scales of 8-bit floats, which GPUs alone multiply");
  if (site.ins.size() != 2u + params.hasBias + params.hasAddend)
    return Status::invalid("it has ", site.ins.size(), " ins; has_bias is ", params.hasBias,
                           " and has_addend ", params.hasAddend);
  for (size_t i = 0; i < site.ins.size(); ++i)
    if ((site.ins[i].packed != nullptr) != (i == 1 && params.isPacked))
      return Status::invalid("in ", i, " must", i == 1 && params.isPacked ? "" : " not",
                             " be a packed variable");
  bool isInPlace = params.hasAddend && site.isInPlace(site.ins.size() - 1, 0);
  for (size_t i = 0; i < site.ins.size(); ++i)
    if (site.isInPlace(i, 0) && !(isInPlace && i + 1 == site.ins.size()))
      return Status::invalid("the result is the memory of in ", i, ", which it still reads");

  const BufferShape &lhs = site.ins[0].shape, &rhs = site.ins[1].shape;
  Result<ContractPlan> plan = ContractPlan::make(params, lhs, rhs, site.outs[0].shape);
  if (!plan.isOk())
    return plan.takeStatus();
  onednn::ContractBuffers buffers;
  if (Status status = checkExtras(site, params, *plan, buffers); !status.isOk())
    return status;
  if (site.outs[0].shape.elements() == 0)
    return makeStep([](void *const *, std::byte *) {});
  const onednn::PackedWeights *packed = onednn::packedWeights(site.ins[1]);
  if (params.isPacked && !packed)
    return Status::invalid("its packed variable has not been packed before it");
  bool hasLayout = packed && packed->desc;
  if (hasLayout && packed->desc->dims() != onednn::plainRhs(*plan).dims())
    return Status::invalid("its packed variable was packed for another contract");
  if (auto step = onednn::makeOrientedMatmul(*plan, buffers, hasLayout ? &*packed->desc : nullptr))
    return step;
  return makeContractLoops(*plan);
}

const RegisteredCall registered({.name = abi::calls::contract,
                                 .minIns = 2,
                                 .maxIns = 4,
                                 .takesStrides = true,
                                 .takesPacked = true,
                                 .checksInPlace = true},
                                bind);

} // namespace
} // namespace sheaf::rt::host
