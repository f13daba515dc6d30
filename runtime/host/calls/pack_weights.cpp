// The call `pack_weights`: stores constant weights in the layout their consumer is fastest with.
//
// The layout is chosen when this is bound and kept with the variable, where the consumer finds it: "prepare" is bound
// before every other program. Where the library has none to offer, or one that does not fit, weights stay row-major.
#include "runtime/abi/calls.h"
#include "runtime/abi/contract_strides.h"
#include "runtime/core/contract_plan.h"
#include "runtime/host/onednn/convolution.h"
#include "runtime/host/onednn/engine.h"
#include "runtime/host/onednn/matmul.h"
#include "runtime/host/onednn/primitive_step.h"
#include "runtime/host/registry.h"
#include "runtime/host/strided_copy.h"

namespace sheaf::rt::host {
namespace {

using Desc = dnnl::memory::desc;

/// The weights as they lie, and as the consumer wants them.
struct Layouts {
  std::optional<Desc> plain, preferred;
};

/// The consumer's lhs or input, told by parameters.
BufferShape readLhs(Params &params, abi::ElementType weightsType) {
  BufferShape lhs;
  lhs.type =
      static_cast<abi::ElementType>(params.integer("lhs_type", static_cast<int64_t>(weightsType)));
  lhs.dims = params.integers("lhs_dims");
  lhs.strides = params.integers("lhs_strides", abi::rowMajorStrides(lhs.dims));
  return lhs;
}

Status checkLhs(const BufferShape &lhs) {
  if (abi::bytesOf(lhs.type) == 0 || lhs.strides.size() != lhs.rank() || lhs.rank() > maxRank ||
      !byteExtent(lhs))
    return Status::invalid("lhs_type, lhs_dims and lhs_strides make no sense");
  return {};
}

BufferShape rowMajor(abi::ElementType type, std::vector<int64_t> dims) {
  std::vector<int64_t> strides = abi::rowMajorStrides(dims);
  return {type, std::move(dims), std::move(strides)};
}

Result<Layouts> layoutsForContract(CallSite &site, const BufferShape &lhs,
                                   abi::ElementType resultType) {
  const BufferShape &rhs = site.ins[0].shape;
  ContractParams params = ContractParams::read(site.params);
  Result<std::vector<int64_t>> resultDims = ContractPlan::resultDims(params, lhs, rhs);
  if (!resultDims.isOk())
    return resultDims.takeStatus();
  BufferShape result = rowMajor(resultType, std::move(*resultDims));
  if (!byteExtent(result))
    return Status::invalid("lhs_dims give a result that is too large");
  // The packed layout is one of the dense weights.
  BufferShape dense = rowMajor(rhs.type, rhs.dims);
  Result<ContractPlan> plan = ContractPlan::make(params, lhs, dense, result);
  if (!plan.isOk())
    return plan.takeStatus();
  Layouts layouts;
  layouts.preferred = onednn::preferredRhs(*plan);
  if (layouts.preferred)
    layouts.plain = onednn::plainRhs(*plan);
  return layouts;
}

Result<Layouts> layoutsForConv(CallSite &site, const BufferShape &lhs,
                               abi::ElementType resultType) {
  const BufferShape &filter = site.ins[0].shape;
  ConvParams params = ConvParams::read(site.params, /*isTransposed=*/false);
  BufferShape input = params.ordered(lhs);
  if (input.rank() != filter.rank() || input.rank() < 3)
    return Status::invalid("filter ", filter.str(), " must have the rank of input ", input.str());
  params.window.window.assign(filter.dims.begin() + 2, filter.dims.end());
  if (Status status = params.window.checkLists(input.rank() - 2); !status.isOk())
    return status;
  std::vector<int64_t> dims = {input.dims[0]};
  for (size_t dim = 0; dim < input.rank() - 2; ++dim)
    dims.push_back(params.window.resultExtent(dim, input.dims[dim + 2]));
  dims.insert(params.isChannelsLast ? dims.end() : dims.begin() + 1, filter.dims[0]);
  BufferShape result = params.ordered(rowMajor(resultType, std::move(dims)));
  if (!byteExtent(result))
    return Status::invalid("lhs_dims give a result that is too large");
  Result<ConvPlan> plan = ConvPlan::make(
      std::move(params), input, rowMajor(filter.type, filter.dims), result, /*isTransposed=*/false);
  if (!plan.isOk())
    return plan.takeStatus();
  return Layouts{onednn::plainFilter(*plan), onednn::preferredFilter(*plan)};
}

std::unique_ptr<Step> makeReorder(const Desc &from, const Desc &to) {
  dnnl::reorder::primitive_desc primitive(onednn::engine(), from, onednn::engine(), to,
                                          onednn::userScratchpad());
  return std::make_unique<onednn::PrimitiveStep>(
      dnnl::reorder(primitive),
      std::vector<onednn::PrimitiveStep::Binding>{{DNNL_ARG_FROM, from, 0}, {DNNL_ARG_TO, to, 1}},
      primitive.scratchpad_desc());
}

Result<std::unique_ptr<Step>> bind(CallSite &site) {
  const BufferShape &weights = site.ins[0].shape;
  Operand &packed = site.outs[0];
  bool isConv = site.params.choice("consumer", {"contract", "conv"}) == 1;
  auto resultType = static_cast<abi::ElementType>(
      site.params.integer("result_type", static_cast<int64_t>(weights.type)));
  BufferShape lhs = readLhs(site.params, weights.type);
  if (Status status = checkLhs(lhs); !status.isOk())
    return status;
  if (!packed.packed || site.ins[0].packed || abi::bytesOf(resultType) == 0)
    return Status::invalid("it packs a plain buffer into a packed variable");
  if (weights.dims != packed.shape.dims || weights.type != packed.shape.type ||
      !weights.isRowMajor())
    return Status::invalid("weights ", weights.str(),
                           " must be row-major and of the variable's type ", packed.shape.str());
  Result<Layouts> layouts =
      isConv ? layoutsForConv(site, lhs, resultType) : layoutsForContract(site, lhs, resultType);
  if (!layouts.isOk())
    return layouts.takeStatus();
  auto chosen = std::make_shared<onednn::PackedWeights>();
  if (layouts->preferred &&
      layouts->preferred->get_size() <= static_cast<size_t>(packed.packedBytes))
    chosen->desc = layouts->preferred;
  else if (weights.elements() * weights.elementBytes() > packed.packedBytes)
    return Status::invalid("its packed variable of ", packed.packedBytes,
                           " bytes is too small for ", weights.str());
  packed.packed->value = chosen;
  if (chosen->desc)
    return makeReorder(*layouts->plain, *chosen->desc);
  return makeStep([copy = StridedCopy(weights, packed.shape)](void *const *buffers, std::byte *) {
    copy.run(static_cast<const std::byte *>(buffers[0]), static_cast<std::byte *>(buffers[1]));
  });
}

const RegisteredCall
    registered({.name = abi::calls::packWeights, .takesStrides = true, .takesPacked = true}, bind);

} // namespace
} // namespace sheaf::rt::host
