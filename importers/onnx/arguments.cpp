// Makes the function's arguments of graph inputs and weights.
#include "importers/onnx/arguments.h"

#include "dialects/graph/graph.h"
#include "importers/onnx/element_type.h"
#include "importers/onnx/npy.h"
#include "importers/onnx/symbols.h"
#include "importers/onnx/tensor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"

using namespace llvm;
using namespace mlir;
using ::onnx::TensorProto;

namespace sheaf::onnx {
namespace {

/// Which initializers are parameters.
class ParameterRule {
public:
  static Expected<ParameterRule> create(const ImportOptions &options) {
    ParameterRule rule;
    for (const std::string &text : options.parameters) {
      Expected<GlobPattern> glob = GlobPattern::create(text);
      if (!glob)
        return createStringError("--parameter " + text + ": " + toString(glob.takeError()));
      rule.globs.push_back({text, std::move(*glob)});
    }
    return rule;
  }

  bool isParameter(RankedTensorType type, StringRef name) {
    if (!isa<FloatType>(type.getElementType()) || type.getNumElements() == 0)
      return false;
    if (type.getNumElements() > 1)
      return true;
    others.push_back(("\"" + name + "\"").str());
    bool isMatched = false;
    for (Glob &glob : globs)
      if (glob.pattern.match(name))
        isMatched = glob.hasMatched = true;
    return isMatched;
  }

  /// Fails for a glob that has matched nothing.
  Error check() const {
    for (const Glob &glob : globs)
      if (!glob.hasMatched)
        return createStringError("--parameter " + glob.text +
                                 ": matches no float initializer of one element; there are " +
                                 (others.empty() ? "none" : join(others, ", ")));
    return Error::success();
  }

private:
  struct Glob {
    StringRef text;
    GlobPattern pattern;
    bool hasMatched = false;
  };

  std::vector<Glob> globs;
  SmallVector<std::string> others; ///< of one element
};

/// A constant in the declared type of its input. numpy has no bf16 and nothing below a byte, so its
/// files hold floats of these types by their bits as unsigned integers, and integers by their value.
Expected<DenseElementsAttr> asDeclared(DenseElementsAttr value, Type declared) {
  Type stored = value.getElementType();
  if (stored == declared)
    return value;
  unsigned storedBits = stored.getIntOrFloatBitWidth(), bits = declared.getIntOrFloatBitWidth();
  auto bitsType = IntegerType::get(value.getContext(), bits);
  bool areBits = stored.isUnsignedInteger() && isa<FloatType>(declared) && !declared.isF16() &&
                 !declared.isF32() && !declared.isF64() && storedBits == std::max(bits, 8u);
  bool areSmallInts = isa<IntegerType>(declared) && bits > 1 && bits < 8 && storedBits == 8 &&
                      stored.isUnsignedInteger() == declared.isUnsignedInteger();
  if (areBits || areSmallInts) {
    bool isSigned = !stored.isUnsignedInteger(), fits = true;
    auto narrowed = value.mapValues(areBits ? bitsType : declared, [&](const APInt &element) {
      fits &= isSigned ? element.isSignedIntN(bits) : element.isIntN(bits);
      return element.trunc(bits);
    });
    if (fits)
      return areBits ? narrowed.bitcast(declared) : narrowed;
  }
  std::string message;
  raw_string_ostream(message) << "holds " << stored << " elements"
                              << (areBits || areSmallInts ? " out of range" : "")
                              << ", the input takes " << declared;
  return createStringError(message);
}

/// The values that options fix, each in the declared type of its input.
Expected<StringMap<DenseElementsAttr>>
readConstants(MLIRContext *context, const ::onnx::GraphProto &graph, const ImportOptions &options) {
  StringMap<DenseElementsAttr> constants;
  for (const auto &entry : options.constants) {
    auto failed = [&](Error failure) {
      return createStringError("--constant " + entry.getKey() + ": " +
                               toString(std::move(failure)));
    };
    auto value = readNpy(context, entry.second);
    if (!value)
      return failed(value.takeError());
    auto input =
        find_if(graph.input(), [&](const auto &input) { return input.name() == entry.getKey(); });
    Type declared = input == graph.input().end()
                        ? Type()
                        : elementType(context, input->type().tensor_type().elem_type());
    auto typed = asDeclared(*value, declared ? declared : value->getElementType());
    if (!typed)
      return failed(typed.takeError());
    constants[entry.getKey()] = *typed;
  }
  return constants;
}

} // namespace

Error Arguments::create(func::FuncOp function, OpBuilder &builder, const ImportOptions &options) {
  MLIRContext *context = builder.getContext();
  const ::onnx::GraphProto &graph = file.proto().graph();
  Block &block = function.getBody().front();

  auto constants = readConstants(context, graph, options);
  if (!constants)
    return constants.takeError();
  StringMap<RankedTensorType> fixed;
  for (const auto &entry : *constants)
    fixed[entry.getKey()] = cast<RankedTensorType>(entry.second.getType());
  StringMap<const TensorProto *> defaults;
  StringMap<bool> inputNames;
  for (const auto &input : graph.input())
    inputNames[input.name()] = true;
  for (const TensorProto &tensor : graph.initializer()) {
    if (!inputNames.contains(tensor.name()) || constants->contains(tensor.name()))
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
    if (auto constant = constants->find(input.name()); constant != constants->end()) {
      auto loc = NameLoc::get(builder.getStringAttr(input.name()));
      byName[input.name()] = graph::ConstantOp::create(builder, loc, constant->second);
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
  Expected<ParameterRule> rule = ParameterRule::create(options);
  if (!rule)
    return rule.takeError();
  for (const TensorProto &tensor : graph.initializer()) {
    if (byName.contains(tensor.name()))
      continue;
    auto type = tensorType(context, tensor);
    if (!type)
      return createStringError("initializer \"" + tensor.name() + "\" " +
                               toString(type.takeError()));
    if (rule->isParameter(*type, tensor.name()))
      if (Error failure = addStored(tensor, graph::kParameter))
        return failure;
  }
  return rule->check();
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
