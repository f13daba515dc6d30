// Reads and writes the text form of factor rules.
#include "dialects/support/factor_rule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace sheaf {
namespace {

/// Recursive descent over the text form; `position` is where the next character is.
class RuleParser {
public:
  explicit RuleParser(StringRef text) : text(text) {}

  Expected<FactorRule> parse() {
    if (Error error = parseTensors(rule.operands))
      return std::move(error);
    if (!consume("->"))
      return fail("expected '->'");
    if (Error error = parseTensors(rule.results))
      return std::move(error);
    while (position != text.size())
      if (Error error = consume(" size ") ? parseSizes() : parseKinds())
        return std::move(error);
    return std::move(rule);
  }

private:
  Error fail(const Twine &message) const {
    return createStringError(message + " at position " + Twine(position) + " of factor rule \"" +
                             text + "\"");
  }

  bool consume(StringRef token) {
    if (!text.substr(position).starts_with(token))
      return false;
    position += token.size();
    return true;
  }

  bool atTensorEnd() const {
    StringRef rest = text.substr(position);
    return rest.empty() || rest[0] == ',' || rest[0] == ' ' || rest.starts_with("->");
  }

  /// tensors := [tensor {',' tensor}]
  template <typename Tensors> Error parseTensors(Tensors &tensors) {
    if (atTensorEnd() && !text.substr(position).starts_with(","))
      return Error::success();
    do {
      tensors.emplace_back();
      if (Error error = parseTensor(tensors.back()))
        return error;
    } while (consume(","));
    return Error::success();
  }

  /// tensor := '.' | dim {dim}      dim := letter | '_' | '(' letter {letter} ')'
  Error parseTensor(FactorRule::Tensor &tensor) {
    if (consume("."))
      return atTensorEnd() ? Error::success() : fail("expected the end of a rank-0 tensor");
    SmallString<16> seen;
    do {
      FactorRule::Dim &dim = tensor.emplace_back();
      if (consume("_"))
        continue;
      bool isGroup = consume("(");
      do {
        if (position == text.size() || !isAlpha(text[position]))
          return fail("expected a factor (a letter)");
        char factor = text[position];
        if (is_contained(seen, factor))
          return fail("factor '" + Twine(factor) + "' is twice in one tensor");
        seen.push_back(factor);
        dim.push_back(factor);
        ++position;
      } while (isGroup && !consume(")"));
    } while (!atTensorEnd());
    return Error::success();
  }

  /// kinds := ' ' ('replicate' | 'permute' | 'reduce' ['_max' | '_min']) ' ' letter {letter}
  Error parseKinds() {
    FactorKind kind;
    if (consume(" replicate "))
      kind = FactorKind::needReplication;
    else if (consume(" permute "))
      kind = FactorKind::permutation;
    else if (consume(" reduce "))
      kind = FactorKind::reduction;
    else if (consume(" reduce_max "))
      kind = FactorKind::reductionMax;
    else if (consume(" reduce_min "))
      kind = FactorKind::reductionMin;
    else
      return fail("expected ' replicate ', ' permute ', ' reduce ', ' reduce_max ', ' reduce_min ' "
                  "or ' size '");
    do {
      char factor;
      if (Error error = parseUsedFactor(factor))
        return error;
      if (is_contained(make_first_range(rule.kinds), factor))
        return fail("factor '" + Twine(factor) + "' has two kinds");
      if (isReduction(kind) && rule.isInAllResults(factor))
        return fail("factor '" + Twine(factor) + "' is in every result and so no reduction");
      rule.kinds.emplace_back(factor, kind);
      ++position;
    } while (position != text.size() && text[position] != ' ');
    return Error::success();
  }

  /// After ' size ': sizes := letter '=' number {',' letter '=' number}
  Error parseSizes() {
    do {
      char factor;
      if (Error error = parseUsedFactor(factor))
        return error;
      if (is_contained(make_first_range(rule.sizes), factor))
        return fail("factor '" + Twine(factor) + "' has two sizes");
      ++position;
      int64_t size;
      StringRef rest = text.substr(position);
      if (!rest.consume_front("=") || rest.consumeInteger(10, size) || size <= 0)
        return fail("expected '=' and a positive size");
      position = text.size() - rest.size();
      rule.sizes.emplace_back(factor, size);
    } while (consume(","));
    return Error::success();
  }

  /// Reads, but does not consume, a factor of the rule.
  Error parseUsedFactor(char &factor) {
    if (position == text.size() || !isAlpha(text[position]))
      return fail("expected a factor (a letter)");
    factor = text[position];
    if (!rule.isInOperand(factor) && !rule.isInResult(factor))
      return fail("factor '" + Twine(factor) + "' is in no tensor");
    return Error::success();
  }

  StringRef text;
  size_t position = 0;
  FactorRule rule;
};

void print(raw_ostream &os, const FactorRule::Tensor &tensor) {
  if (tensor.empty())
    os << '.';
  for (const FactorRule::Dim &dim : tensor) {
    if (dim.empty())
      os << '_';
    else if (dim.size() == 1)
      os << dim[0];
    else
      os << '(' << StringRef(dim.data(), dim.size()) << ')';
  }
}

StringRef keyword(FactorKind kind) {
  switch (kind) {
  case FactorKind::passThrough:
    break;
  case FactorKind::reduction:
    return "reduce";
  case FactorKind::reductionMax:
    return "reduce_max";
  case FactorKind::reductionMin:
    return "reduce_min";
  case FactorKind::needReplication:
    return "replicate";
  case FactorKind::permutation:
    return "permute";
  }
  llvm_unreachable("pass-through is never stated");
}

} // namespace

Expected<FactorRule> FactorRule::parse(StringRef text) { return RuleParser(text).parse(); }

std::string FactorRule::str() const {
  std::string text;
  raw_string_ostream os(text);
  interleave(operands, os, [&](const Tensor &tensor) { print(os, tensor); }, ",");
  os << "->";
  interleave(results, os, [&](const Tensor &tensor) { print(os, tensor); }, ",");
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (i == 0 || kinds[i].second != kinds[i - 1].second)
      os << ' ' << keyword(kinds[i].second) << ' ';
    os << kinds[i].first;
  }
  for (size_t i = 0; i < sizes.size(); ++i)
    os << (i == 0 ? " size " : ",") << sizes[i].first << '=' << sizes[i].second;
  return text;
}

} // namespace sheaf
