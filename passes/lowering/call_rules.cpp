// The strides and element types that calls accept: one line per call, as runtime/abi/calls.h has them.
#include "passes/lowering/call_rules.h"

#include "passes/lowering/emit/element_types.h"
#include "runtime/abi/calls.h"
#include "runtime/abi/collectives.h"
#include "runtime/abi/contract_strides.h"
#include "runtime/abi/narrow_product.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
namespace calls = sheaf::abi::calls;

namespace sheaf::lowering {
namespace {

/// What a buffer must be.
enum class Accepts {
  any,       ///< any strides
  plain,     ///< row-major
  lastDense, ///< any strides but that of the last dim, which is 1
  lhs,       ///< contract_strides.h, in the roles of contract
  rhs,
  product
};

/// What elements must be.
enum class Elements { all, arithmetic, floats, floatsAndBooleans };

struct CallRule {
  StringRef name;
  Elements elements;
  /// Per operand; the last one stands for all further operands.
  SmallVector<Accepts, 3> operands;
  Accepts results;
};

const CallRule rules[] = {
    {calls::contract,
     Elements::arithmetic,
     {Accepts::lhs, Accepts::rhs, Accepts::plain},
     Accepts::product},
    {calls::conv, Elements::arithmetic, {Accepts::plain}, Accepts::plain},
    {calls::convTranspose, Elements::floats, {Accepts::plain}, Accepts::plain},
    {calls::convFilterGradient, Elements::floats, {Accepts::plain}, Accepts::plain},
    {calls::pool, Elements::arithmetic, {Accepts::any}, Accepts::any},
    {calls::poolArgmax, Elements::arithmetic, {Accepts::any}, Accepts::any},
    {calls::copy, Elements::all, {Accepts::any}, Accepts::any},
    {calls::gather, Elements::all, {Accepts::any, Accepts::plain}, Accepts::plain},
    {calls::gatherElements, Elements::all, {Accepts::any}, Accepts::any},
    {calls::gatherNd, Elements::all, {Accepts::plain}, Accepts::plain},
    {calls::scatterElements, Elements::all, {Accepts::plain}, Accepts::plain},
    {calls::scatterNd, Elements::all, {Accepts::plain}, Accepts::plain},
    {calls::sort, Elements::arithmetic, {Accepts::any}, Accepts::any},
    {calls::topk, Elements::arithmetic, {Accepts::any}, Accepts::any},
    {calls::argReduce, Elements::arithmetic, {Accepts::any}, Accepts::any},
    {calls::cumulative, Elements::arithmetic, {Accepts::any}, Accepts::any},
    {calls::resize, Elements::all, {Accepts::any}, Accepts::any},
    {calls::cast, Elements::all, {Accepts::any}, Accepts::any},
    {calls::packWeights, Elements::floats, {Accepts::plain}, Accepts::plain},
    {calls::attention,
     Elements::floats,
     {Accepts::lastDense, Accepts::lastDense, Accepts::lastDense, Accepts::any},
     Accepts::lastDense},
    {calls::attentionGradient,
     Elements::floats,
     {Accepts::lastDense, Accepts::lastDense, Accepts::lastDense, Accepts::lastDense, Accepts::any},
     Accepts::lastDense},
    {calls::random, Elements::floatsAndBooleans, {Accepts::plain}, Accepts::plain},
    {calls::allReduce, Elements::arithmetic, {Accepts::plain}, Accepts::plain},
    {calls::reduceScatter, Elements::arithmetic, {Accepts::plain}, Accepts::plain},
    {calls::allGather, Elements::all, {Accepts::plain}, Accepts::plain},
    {calls::allToAll, Elements::all, {Accepts::plain}, Accepts::plain},
    {calls::permute, Elements::all, {Accepts::plain}, Accepts::plain},
    {calls::window, Elements::all, {Accepts::plain}, Accepts::plain},
    {calls::shardSlice, Elements::all, {Accepts::plain}, Accepts::plain},
    {calls::shardIndex, Elements::all, {}, Accepts::plain},
};

const CallRule *findRule(StringRef name) {
  const CallRule *rule = llvm::find_if(rules, [&](const CallRule &r) { return r.name == name; });
  return rule == std::end(rules) ? nullptr : rule;
}

std::vector<int64_t> intsParam(exec::ApplyOp call, StringRef name) {
  auto ints = dyn_cast_or_null<DenseI64ArrayAttr>(call.getParam(name));
  return ints ? std::vector<int64_t>(ints.asArrayRef()) : std::vector<int64_t>();
}

abi::StridedShape shapeOf(exec::BufferType buffer) {
  SmallVector<int64_t> strides = buffer.getStrides();
  return {std::vector<int64_t>(buffer.getShape()), {strides.begin(), strides.end()}};
}

bool acceptsFactor(exec::ApplyOp call, bool isLhs, exec::BufferType buffer) {
  std::vector<int64_t> batch = intsParam(call, isLhs ? "lhs_batch" : "rhs_batch");
  std::vector<int64_t> contract = intsParam(call, isLhs ? "lhs_contract" : "rhs_contract");
  std::vector<int64_t> free = abi::freeDims(buffer.getRank(), batch, contract);
  abi::StridedShape shape = shapeOf(buffer);
  if (!abi::canContract(shape, free, contract))
    return false;
  // The units for 8-bit floats read along what is contracted.
  std::optional<abi::ElementType> type = abiElementType(buffer.getElementType());
  bool isNarrow = type && abi::isNarrowFactor(*type);
  return !isNarrow || abi::collapse(shape, contract)->stride == 1;
}

bool acceptsProduct(exec::ApplyOp call, exec::BufferType buffer) {
  if (buffer.isPlain())
    return true;
  for (StringRef param : {"has_addend", "derivative", "keeps_preactivation"})
    if (call.getParam(param))
      return false; // Another buffer has the result's strides; both are plain.
  int64_t numBatch = intsParam(call, "lhs_batch").size();
  int64_t numContract = intsParam(call, "lhs_contract").size();
  int64_t lhsRank = cast<RankedTensorType>(call.getIns()[0].getType()).getRank();
  auto sequence = [](int64_t from, int64_t to) {
    auto range = llvm::seq(from, to);
    return std::vector<int64_t>(range.begin(), range.end());
  };
  int64_t endOfLhs = lhsRank - numContract;
  return abi::canContract(shapeOf(buffer), sequence(numBatch, endOfLhs),
                          sequence(endOfLhs, buffer.getRank()));
}

bool accepts(exec::ApplyOp call, Accepts what, exec::BufferType buffer) {
  if (buffer.isPlain() || buffer.isPacked()) // Only what was packed for the call.
    return true;
  switch (what) {
  case Accepts::any:
    return true;
  case Accepts::plain:
    return false;
  case Accepts::lastDense:
    return buffer.getRank() > 0 && buffer.getStrides().back() == 1;
  case Accepts::lhs:
    return acceptsFactor(call, /*isLhs=*/true, buffer);
  case Accepts::rhs:
    return acceptsFactor(call, /*isLhs=*/false, buffer);
  case Accepts::product:
    return acceptsProduct(call, buffer);
  }
  llvm_unreachable("a kind of acceptance without a rule");
}

} // namespace

bool acceptsOperand(exec::ApplyOp call, unsigned index, exec::BufferType buffer) {
  const CallRule *rule = findRule(call.getCallee());
  if (!rule)
    return buffer.isPlain();
  return accepts(call, rule->operands[std::min<size_t>(index, rule->operands.size() - 1)], buffer);
}

bool acceptsResult(exec::ApplyOp call, unsigned index, exec::BufferType buffer) {
  const CallRule *rule = findRule(call.getCallee());
  if (!rule || (call.getCallee() == calls::contract && index > 0))
    return buffer.isPlain();
  return accepts(call, rule->results, buffer);
}

std::optional<unsigned> overwritableOperand(exec::CallOp call, unsigned result) {
  StringRef callee = call.getCallee();
  if (callee == calls::allReduce) // Of several tensors each by itself.
    return result;
  if (result != 0)
    return std::nullopt;
  auto has = [&](StringRef param) { return call.getParams() && call.getParams()->contains(param); };
  if ((callee == calls::contract && has("has_addend")) ||
      (callee == calls::conv && has("has_residual")))
    return call.getIns().size() - 1;
  if (callee == calls::scatterElements || callee == calls::scatterNd || callee == calls::cumulative)
    return 0;
  return std::nullopt;
}

bool acceptsElement(StringRef callee, Type elementType) {
  const CallRule *rule = findRule(callee);
  if (!rule)
    return false;
  bool isFloat = isa<FloatType>(elementType);
  int64_t bits = elementType.getIntOrFloatBitWidth();
  switch (rule->elements) {
  case Elements::all:
    return true;
  case Elements::arithmetic:
    return bits >= (isFloat ? 16 : 8);
  case Elements::floats:
    return isFloat && bits >= 16;
  case Elements::floatsAndBooleans:
    return isFloat ? bits >= 16 : bits == 1;
  }
  llvm_unreachable("a kind of elements without a rule");
}

} // namespace sheaf::lowering
