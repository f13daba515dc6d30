// Makes the function's arguments of graph inputs and weights.
#include "importers/onnx/arguments.h"

#include "dialects/graph/graph.h"
#include "importers/onnx/npy.h"
#include "importers/onnx/symbols.h"
#include "importers/onnx/tensor.h"

using namespace llvm;
using namespace mlir;
using ::onnx::TensorProto;

namespace sheaf::onnx {
namespace {

bool isParameter(RankedTensorType type) {
  return isa<FloatType>(type.getElementType()) && type.getNumElements() > 1;
}

/// A constant in the declared type of its input. numpy has no bf16 and no 8-bit floats, so its files
/// hold their bits as unsigned integers.
Expected<DenseElementsAttr> asDeclared(DenseElementsAttr value, RankedTensorType type) {
  Type stored = value.getElementType(), declared = type.getElementType();
  if (stored == declared)
    return value;
  bool areBits = stored.isUnsignedInteger() && isa<FloatType>(declared) &&
                 stored.getIntOrFloatBitWidth() == declared.getIntOrFloatBitWidth();
  if (areBits && !declared.isF16() && !declared.isF32() && !declared.isF64())
    return value.bitcast(declared);
  std::string message;
  raw_string_ostream(message) << "holds " << stored << " elements, the input takes " << declared;
  return createStringError(message);
}

} // namespace

Error Arguments::create(func::FuncOp function, OpBuilder &builder, const ImportOptions &options) {
  MLIRContext *context = builder.getContext();
  const ::onnx::GraphProto &graph = file.proto().graph();
  Block &block = function.getBody().front();

  StringMap<RankedTensorType> fixed;
  StringMap<DenseElementsAttr> constants;
  for (const auto &entry : options.constants) {
    auto value = readNpy(context, entry.second);
    if (!value)
      return createStringError("--constant " + entry.getKey() + ": " + toString(value.takeError()));
    constants[entry.getKey()] = *value;
    fixed[entry.getKey()] = cast<RankedTensorType>(value->getType());
  }
  StringMap<const TensorProto *> defaults;
  StringMap<bool> inputNames;
  for (const auto &input : graph.input())
    inputNames[input.name()] = true;
  for (const TensorProto &tensor : graph.initializer()) {
    if (!inputNames.contains(tensor.name()) || constants.contains(tensor.name()))
      continue;
    auto type = tensorType(context, tensor);
    if (!type)
      return createStringError("initializer \"" + tensor.name() + "\" " +
                               toString(type.takeError()));
    defaults[tensor.name()] = &tensor;
    fixed[tensor.name()] = *type;
  }
  auto types = bindInputs(context, graph, options, fixed);
  if (!types)
    return types.takeError();

  auto add = [&](const std::string &name, StringRef role, RankedTensorType type) {
    Value argument = block.addArgument(type, NameLoc::get(builder.getStringAttr(name)));
    roles.emplace_back(name, role);
    byName[name] = argument;
    return argument;
  };
  auto addStored = [&](const TensorProto &tensor, StringRef role) -> Error {
    auto source = tensorSource(context, file, tensor);
    if (!source)
      return createStringError("initializer \"" + tensor.name() + "\" " +
                               toString(source.takeError()));
    Value argument = add(tensor.name(), role, cast<RankedTensorType>(source->getType()));
    stored[argument] = {&tensor, *source};
    return Error::success();
  };
  bool areDefaultsFixed = file.proto().ir_version() < 4;
  for (auto [input, type] : zip(graph.input(), *types)) {
    auto constant = constants.find(input.name());
    if (constant != constants.end()) {
      auto loc = NameLoc::get(builder.getStringAttr(input.name()));
      auto value = asDeclared(constant->second,
                              type ? type : cast<RankedTensorType>(constant->second.getType()));
      if (!value)
        return createStringError("--constant " + input.name() + ": " + toString(value.takeError()));
      byName[input.name()] = graph::ConstantOp::create(builder, loc, *value);
    } else if (auto found = defaults.find(input.name()); found != defaults.end()) {
      if (!areDefaultsFixed)
        if (Error failure = addStored(*found->second, graph::kInput))
          return failure;
    } else if (type) {
      add(input.name(), graph::kInput, type);
    } else {
      byName[input.name()] = {}; // Not a tensor: an error where it is used.
    }
  }
  for (const TensorProto &tensor : graph.initializer()) {
    if (byName.contains(tensor.name()))
      continue;
    auto type = tensorType(context, tensor);
    if (!type)
      return createStringError("initializer \"" + tensor.name() + "\" " +
                               toString(type.takeError()));
    if (isParameter(*type))
      if (Error failure = addStored(tensor, graph::kParameter))
        return failure;
  }
  return Error::success();
}

std::optional<DenseElementsAttr> Arguments::constantOf(Value value) {
  auto found = stored.find(value);
  if (found == stored.end())
    return std::nullopt;
  auto constant = tensorValue(value.getContext(), file, *found->second.tensor);
  if (!constant) {
    consumeError(constant.takeError()); // Checked when the argument was made.
    return std::nullopt;
  }
  auto dense = dyn_cast<DenseElementsAttr>(*constant);
  if (!dense)
    return std::nullopt;
  frozen.insert(value);
  return dense;
}

void Arguments::finish(func::FuncOp function, OpBuilder &builder) {
  Block &block = function.getBody().front();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&block);
  BitVector unused(block.getNumArguments());
  for (BlockArgument argument : block.getArguments()) {
    auto found = stored.find(argument);
    if (found == stored.end())
      continue;
    bool isInput = roles[argument.getArgNumber()].second == graph::kInput;
    if (isInput && frozen.contains(argument) && !argument.use_empty())
      argument.replaceAllUsesWith(
          graph::ConstantOp::create(builder, argument.getLoc(), found->second.source));
    if (argument.use_empty() && (!isInput || frozen.contains(argument)))
      unused.set(argument.getArgNumber());
  }
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  for (BlockArgument argument : block.getArguments()) {
    if (unused[argument.getArgNumber()])
      continue;
    const auto &[name, role] = roles[argument.getArgNumber()];
    NamedAttrList list;
    list.append(role, builder.getStringAttr(name));
    if (auto found = stored.find(argument); found != stored.end())
      list.append(graph::kSource, found->second.source);
    types.push_back(argument.getType());
    attributes.push_back(list.getDictionary(builder.getContext()));
  }
  block.eraseArguments(unused);
  function.setFunctionType(
      builder.getFunctionType(types, block.getTerminator()->getOperandTypes()));
  function.setAllArgAttrs(attributes);
}

} // namespace sheaf::onnx
