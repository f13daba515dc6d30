// Binds symbolic dims by flags, and evaluates dims that are expressions of others.
#include "importers/onnx/symbols.h"

#include "importers/onnx/element_type.h"
#include "importers/onnx/tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using mlir::MLIRContext;
using mlir::RankedTensorType;
using ::onnx::TensorShapeProto;

namespace sheaf::onnx {
namespace {

/// A recursive-descent parser of `term (+- term)*` with `*`, `/` and parentheses.
class DimExpression {
public:
  DimExpression(StringRef text, const Symbols &symbols) : rest(text), symbols(symbols) {}

  std::optional<int64_t> value() {
    auto result = sum(0);
    return rest.trim().empty() ? result : std::nullopt;
  }

private:
  static constexpr int kMaxDepth = 50;

  bool take(char wanted) {
    rest = rest.ltrim();
    return rest.consume_front(StringRef(&wanted, 1));
  }

  std::optional<int64_t> sum(int depth) {
    auto left = product(depth);
    while (left) {
      bool isPlus = take('+');
      if (!isPlus && !take('-'))
        return left;
      auto right = product(depth);
      int64_t out;
      if (!right || (isPlus ? AddOverflow(*left, *right, out) : SubOverflow(*left, *right, out)))
        return std::nullopt;
      left = out;
    }
    return left;
  }

  std::optional<int64_t> product(int depth) {
    auto left = atom(depth);
    while (left) {
      bool isTimes = take('*');
      if (!isTimes && !take('/'))
        return left;
      rest.consume_front("/"); // a//b
      auto right = atom(depth);
      int64_t out;
      if (!right || (isTimes ? MulOverflow(*left, *right, out) : *right <= 0))
        return std::nullopt;
      left = isTimes ? out : *left / *right;
    }
    return left;
  }

  std::optional<int64_t> atom(int depth) {
    if (depth > kMaxDepth)
      return std::nullopt;
    if (take('(')) {
      auto inner = sum(depth + 1);
      return take(')') ? inner : std::nullopt;
    }
    rest = rest.ltrim();
    StringRef name = rest.take_while([](char c) { return isAlnum(c) || c == '_' || c == '.'; });
    rest = rest.drop_front(name.size());
    int64_t number;
    if (!name.getAsInteger(10, number))
      return number;
    return symbols.lookup(name);
  }

  StringRef rest;
  const Symbols &symbols;
};

StringRef dimName(const TensorShapeProto::Dimension &dim) {
  return dim.dim_param().empty() ? StringRef("?") : StringRef(dim.dim_param());
}

bool isSymbolic(const TensorShapeProto::Dimension &dim) { return !dim.has_dim_value(); }

/// Takes the shape that a flag or a constant gives an input, and binds the symbols in it.
Error useShape(const ::onnx::ValueInfoProto &input, ArrayRef<int64_t> shape, const Twine &source,
               Symbols &symbols) {
  const auto &type = input.type().tensor_type();
  if (!type.has_shape())
    return Error::success();
  if (static_cast<size_t>(type.shape().dim_size()) != shape.size())
    return createStringError("input \"" + input.name() + "\" has " +
                             Twine(type.shape().dim_size()) + " dims but " + source + " gives " +
                             Twine(shape.size()));
  for (auto [index, dim] : enumerate(type.shape().dim())) {
    if (dim.has_dim_value() && dim.dim_value() != shape[index])
      return createStringError("input \"" + input.name() + "\" dim " + Twine(index) + " is " +
                               Twine(dim.dim_value()) + " in the model but " + Twine(shape[index]) +
                               " by " + source);
    if (!dim.dim_param().empty())
      if (Error failure = symbols.bind(dim.dim_param(), shape[index], source))
        return failure;
  }
  return Error::success();
}

/// "bind them: --shape ids=8x? or --dim batch=.."
std::string unboundText(const ::onnx::ValueInfoProto &input) {
  const auto &type = input.type().tensor_type();
  std::string text = "input \"" + input.name() + "\" has ";
  if (!type.has_shape())
    return text + "no shape; give it one: --shape " + input.name() + "=8x128";
  SmallSetVector<StringRef, 4> names;
  std::string shape, flags;
  for (const auto &dim : type.shape().dim()) {
    if (!shape.empty())
      shape += "x";
    shape += isSymbolic(dim) ? "8" : std::to_string(dim.dim_value());
    if (isSymbolic(dim) && names.insert(dimName(dim)) && !dim.dim_param().empty())
      flags += " --dim " + dim.dim_param() + "=8";
  }
  text +=
      "symbolic dims (" + join(names, ", ") + "); bind them: --shape " + input.name() + "=" + shape;
  return flags.empty() ? text : text + " or" + flags;
}

/// Flags must fit an input.
Error checkNames(const ::onnx::GraphProto &graph, const ImportOptions &options) {
  SmallVector<StringRef> inputs, dims;
  for (const auto &input : graph.input()) {
    inputs.push_back(input.name());
    for (const auto &dim : input.type().tensor_type().shape().dim())
      if (!dim.dim_param().empty() && !is_contained(dims, dim.dim_param()))
        dims.push_back(dim.dim_param());
  }
  auto missing = [](StringRef flag, StringRef name, ArrayRef<StringRef> known, StringRef what) {
    return createStringError(flag + ": the model has no " + what + " \"" + name + "\"" +
                             (known.empty() ? std::string() : "; it has " + join(known, ", ")));
  };
  for (const auto &entry : options.shapes)
    if (!is_contained(inputs, entry.getKey()))
      return missing("--shape", entry.getKey(), inputs, "input");
  for (const auto &entry : options.constants)
    if (!is_contained(inputs, entry.getKey()))
      return missing("--constant", entry.getKey(), inputs, "input");
  for (const auto &entry : options.dims)
    if (!is_contained(dims, entry.getKey()) &&
        none_of(dims, [&](StringRef dim) { return dim.contains(entry.getKey()); }))
      return missing("--dim", entry.getKey(), dims, "symbolic dim");
  return Error::success();
}

} // namespace

Error Symbols::bind(StringRef name, int64_t extent, const Twine &source) {
  auto [entry, isNew] = bindings.try_emplace(name, Binding{extent, source.str()});
  if (!isNew && entry->second.extent != extent)
    return createStringError("symbolic dim \"" + name + "\" is " + Twine(entry->second.extent) +
                             " by " + entry->second.source + " but " + Twine(extent) + " by " +
                             source);
  return Error::success();
}

std::optional<int64_t> Symbols::lookup(StringRef name) const {
  auto entry = bindings.find(name);
  return entry == bindings.end() ? std::nullopt : std::optional(entry->second.extent);
}

std::optional<int64_t> Symbols::evaluate(StringRef expression) const {
  if (auto bound = lookup(expression))
    return bound;
  return DimExpression(expression, *this).value();
}

Expected<SmallVector<RankedTensorType>> bindInputs(MLIRContext *context,
                                                   const ::onnx::GraphProto &graph,
                                                   const ImportOptions &options,
                                                   const StringMap<RankedTensorType> &fixed) {
  if (Error failure = checkNames(graph, options))
    return std::move(failure);
  Symbols symbols;
  for (const auto &entry : options.dims)
    if (Error failure = symbols.bind(entry.getKey(), entry.second, "--dim " + entry.getKey()))
      return std::move(failure);
  for (const auto &input : graph.input()) {
    if (auto shape = options.shapes.find(input.name()); shape != options.shapes.end())
      if (Error failure = useShape(input, shape->second, "--shape " + input.name(), symbols))
        return std::move(failure);
    if (auto type = fixed.find(input.name()); type != fixed.end())
      if (Error failure = useShape(input, type->second.getShape(),
                                   "the value of \"" + input.name() + "\"", symbols))
        return std::move(failure);
  }

  SmallVector<RankedTensorType> types;
  std::string problems;
  auto problem = [&](const Twine &text) {
    problems += (problems.empty() ? "" : "\n  ") + text.str();
  };
  for (const auto &input : graph.input()) {
    if (auto type = fixed.find(input.name()); type != fixed.end()) {
      types.push_back(type->second);
      continue;
    }
    const auto &type = input.type().tensor_type();
    auto element =
        input.type().has_tensor_type() ? elementType(context, type.elem_type()) : mlir::Type();
    if (!element) {
      types.push_back({});
      continue;
    }
    SmallVector<int64_t> shape;
    auto given = options.shapes.find(input.name());
    bool isBound = given != options.shapes.end();
    if (isBound) {
      shape = given->second;
    } else if (type.has_shape()) {
      isBound = true;
      for (const auto &dim : type.shape().dim()) {
        auto extent = isSymbolic(dim) ? symbols.evaluate(dim.dim_param())
                                      : std::optional<int64_t>(dim.dim_value());
        isBound &= extent.has_value();
        shape.push_back(extent.value_or(0));
      }
    }
    if (!isBound) {
      problem(unboundText(input));
    } else if (any_of(shape, [](int64_t extent) { return extent < 0; })) {
      problem("input \"" + input.name() + "\" has a negative dim");
    } else if (shape.size() > kMaxRank) {
      problem("input \"" + input.name() + "\" has more than " + Twine(kMaxRank) + " dims");
    } else {
      types.push_back(RankedTensorType::get(shape, element));
      if (!storedBytes(types.back()))
        problem("input \"" + input.name() + "\" has more elements than 64 bits can count");
    }
  }
  if (!problems.empty())
    return createStringError(problems);
  return types;
}

} // namespace sheaf::onnx
