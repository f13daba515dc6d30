// Compares outputs element by element.
#include "runtime/launch/compare.h"

#include "runtime/core/convert.h"
#include "runtime/core/element_format.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace sheaf::rt::launch {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Exact for whole numbers that doubles can't hold, which must not look equal.
double distance(const ExactNumber &a, const ExactNumber &b) {
  double difference = std::abs(a.toDouble() - b.toDouble());
  if (difference == 0 && a.kind == ExactNumber::Kind::finite && a.exponent == b.exponent &&
      a.isNegative == b.isNegative)
    return static_cast<double>(std::max(a.significand, b.significand) -
                               std::min(a.significand, b.significand)) *
           std::exp2(a.exponent);
  return difference;
}

} // namespace

OutputDifference compareValues(std::string_view name, const BufferShape &shape,
                               const std::byte *actual, const std::byte *reference) {
  OutputDifference result{name, shape.type, shape.elements()};
  auto bytes = static_cast<size_t>(shape.elementBytes());
  double largest = 0;
  for (int64_t i = 0; i < result.numElements; ++i, actual += bytes, reference += bytes) {
    ExactNumber expected = readElement(shape.type, reference);
    if (double magnitude = std::abs(expected.toDouble()); std::isfinite(magnitude))
      largest = std::max(largest, magnitude);
    if (std::memcmp(actual, reference, bytes) == 0)
      continue;
    ++result.numDifferent;
    ExactNumber found = readElement(shape.type, actual);
    bool isSpecial =
        found.kind != ExactNumber::Kind::finite || expected.kind != ExactNumber::Kind::finite;
    bool isSame = found.kind == expected.kind &&
                  (found.kind == ExactNumber::Kind::nan || found.isNegative == expected.isNegative);
    double difference = !isSpecial ? distance(found, expected) : isSame ? 0 : infinite;
    result.maxAbsolute = std::max(result.maxAbsolute, difference);
  }
  if (result.maxAbsolute > 0)
    result.maxRelative = largest > 0 ? result.maxAbsolute / largest : infinite;
  return result;
}

namespace {

auto find(const std::vector<SignatureInfo> &values, std::string_view name) {
  return std::find_if(values.begin(), values.end(),
                      [&](const SignatureInfo &value) { return value.name == name; });
}

/// `kind` is what they are of: "input".
Status checkSame(const std::vector<SignatureInfo> &own, const std::vector<SignatureInfo> &others,
                 std::string_view kind) {
  for (const SignatureInfo &value : own) {
    auto other = find(others, value.name);
    if (other == others.end())
      return Status::invalid("it has no ", kind, " \"", value.name,
                             "\" as the program of ranks has");
    if (value.globalShape().str() != other->globalShape().str())
      return Status::invalid(kind, " \"", value.name, "\" is ", other->globalShape().str(),
                             ", but ", value.globalShape().str(), " in the program of ranks");
  }
  for (const SignatureInfo &value : others)
    if (find(own, value.name) == own.end())
      return Status::invalid("it has ", kind, " \"", value.name,
                             "\", which the program of ranks lacks");
  return {};
}

} // namespace

Status checkSameSignature(const ProgramInfo &program, const ProgramInfo &reference) {
  if (Status status = checkSame(program.inputs, reference.inputs, "input"); !status.isOk())
    return status;
  return checkSame(program.outputs, reference.outputs, "output");
}

std::vector<OutputDifference> compareOutputs(const GlobalOutputs &actual,
                                             const GlobalOutputs &reference) {
  const std::vector<SignatureInfo> &own = actual.program().outputs,
                                   &others = reference.program().outputs;
  std::vector<OutputDifference> differences;
  for (size_t i = 0; i < own.size(); ++i) {
    auto other = static_cast<size_t>(find(others, own[i].name) - others.begin());
    differences.push_back(
        compareValues(own[i].name, own[i].globalShape(), actual.data(i), reference.data(other)));
  }
  return differences;
}

double defaultTolerance(abi::ElementType type) {
  if (!abi::isFloat(type))
    return 0;
  constexpr double reordered = 1e-5;
  ElementFormat format = ElementFormat::of(type);
  if (format.kind == ElementFormat::Kind::power)
    return 1;
  return std::max(reordered, std::exp2(-format.floating.mantissaBits));
}

} // namespace sheaf::rt::launch
