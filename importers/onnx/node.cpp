// Reads the inputs of a node and keeps its results.
#include "importers/onnx/node.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace mlir;

namespace sheaf::onnx {
namespace {

/// More than this many numbers decide no shape; a splat could claim any count.
constexpr int64_t kMaxShapeNumbers = 1 << 20;

} // namespace

SmallVector<int64_t> intValues(DenseElementsAttr value) {
  bool isUnsigned =
      value.getElementType().isUnsignedInteger() || value.getElementType().isInteger(1);
  SmallVector<int64_t> values;
  for (const APInt &number : value.getValues<APInt>())
    values.push_back(isUnsigned ? static_cast<int64_t>(number.getZExtValue())
                                : number.getSExtValue());
  return values;
}

SmallVector<double> realValues(DenseElementsAttr value) {
  SmallVector<double> values;
  if (!isa<FloatType>(value.getElementType())) {
    for (int64_t number : intValues(value))
      values.push_back(static_cast<double>(number));
    return values;
  }
  for (APFloat number : value.getValues<APFloat>()) {
    bool losesInfo;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    values.push_back(number.convertToDouble());
  }
  return values;
}

Value Node::input(size_t index) {
  if (!has(index))
    fail("input " + Twine(index) + " is missing");
  return optional(index);
}

SmallVector<Value> Node::variadic(size_t first) {
  SmallVector<Value> values;
  for (size_t index = first; index < inputs.size(); ++index)
    values.push_back(input(index));
  if (values.empty())
    fail("needs at least " + Twine(first + 1) + " inputs");
  return values;
}

void Node::expectInputs(size_t least, size_t most) {
  if (inputs.size() < least || inputs.size() > most)
    fail("has " + Twine(inputs.size()) + " inputs, it takes " + Twine(least) +
         (most == least ? Twine("") : " to " + Twine(most)));
}

SmallVector<int64_t> Node::constantInts(size_t index, StringRef what) {
  Value value = input(index);
  if (failed())
    return {};
  if (!isa<IntegerType>(element(value))) {
    fail(what + " (input " + Twine(index) + ") is not of an integer type");
    return {};
  }
  auto constant = constantValue(value);
  if (!constant) {
    fail(what + " (input " + Twine(index) +
         ") is not a constant: the size of the result depends on data");
    return {};
  }
  if (constant->getNumElements() > kMaxShapeNumbers) {
    fail(what + " (input " + Twine(index) + ") has " + Twine(constant->getNumElements()) +
         " numbers");
    return {};
  }
  return intValues(*constant);
}

SmallVector<double> Node::constantFloats(size_t index, StringRef what) {
  Value value = input(index);
  if (failed())
    return {};
  auto constant = constantValue(value);
  if (!constant) {
    fail(what + " (input " + Twine(index) +
         ") is not a constant: the result's size or form depends on data");
    return {};
  }
  if (constant->getNumElements() > kMaxShapeNumbers) {
    fail(what + " (input " + Twine(index) + ") has " + Twine(constant->getNumElements()) +
         " numbers");
    return {};
  }
  return realValues(*constant);
}

std::optional<int64_t> Node::constantInt(size_t index, StringRef what) {
  SmallVector<int64_t> values = constantInts(index, what);
  if (!failed() && values.size() != 1)
    fail(what + " (input " + Twine(index) + ") must be one number, it has " + Twine(values.size()));
  return failed() ? std::nullopt : std::optional(values.front());
}

int64_t Node::constantIntOr(size_t index, StringRef what, int64_t fallback) {
  return has(index) ? constantInt(index, what).value_or(fallback) : fallback;
}

int64_t Node::axis(int64_t value, int64_t rank) {
  if (value < -rank || value >= rank) {
    fail("axis " + Twine(value) + " is out of range for rank " + Twine(rank));
    return 0;
  }
  return value < 0 ? value + rank : value;
}

SmallVector<int64_t> Node::axes(ArrayRef<int64_t> values, int64_t rank) {
  SmallVector<int64_t> dims;
  for (int64_t value : values) {
    int64_t dim = axis(value, rank);
    if (failed())
      return {};
    if (is_contained(dims, dim))
      fail("axis " + Twine(value) + " is given twice");
    dims.push_back(dim);
  }
  return dims;
}

bool Node::expectChoice(StringRef name, StringRef value, ArrayRef<StringRef> choices) {
  if (is_contained(choices, value))
    return true;
  fail(name + " is \"" + value + "\"; known are " + join(choices, ", "));
  return false;
}

std::optional<SmallVector<Value>> Node::importSubgraph(const ::onnx::GraphProto &graph,
                                                       ValueRange arguments) {
  if (failed())
    return std::nullopt;
  auto results = host.importSubgraph(graph, arguments);
  if (!results)
    fail(""); // Reported for the nodes inside.
  return results;
}

void Node::checkComplete() {
  for (const auto &attribute : attributes) {
    StringRef name = attribute.getKey();
    if (read.contains(name) || name == "consumed_inputs") // Of opsets before 6.
      continue;
    if (areUnknownsErrors)
      fail("the attribute \"" + name + "\" is not known");
    else
      emitWarning(location()) << "the attribute \"" << name << "\" of " << opType()
                              << " is not known and has no effect";
  }
  for (size_t index = 0; index < outputs.size(); ++index)
    if (wants(index) && !outputs[index])
      fail("output " + Twine(index) + " is not supported");
}

} // namespace sheaf::onnx
