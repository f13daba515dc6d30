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
      if (Error error = parseKind())
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

  /// kind := ' ' ('replicate' | 'permute' | 'reduce') ' ' letter {letter}
  Error parseKind() {
    FactorKind kind;
    if (consume(" replicate "))
      kind = FactorKind::needReplication;
    else if (consume(" permute "))
      kind = FactorKind::permutation;
    else if (consume(" reduce "))
      kind = FactorKind::reduction;
    else
      return fail("expected ' replicate ', ' permute ' or ' reduce '");
    do {
      if (position == text.size() || !isAlpha(text[position]))
        return fail("expected a factor (a letter)");
      char factor = text[position];
      if (!isUsed(factor))
        return fail("factor '" + Twine(factor) + "' is in no tensor");
      if (is_contained(make_first_range(rule.kinds), factor))
        return fail("factor '" + Twine(factor) + "' has two kinds");
      rule.kinds.emplace_back(factor, kind);
      ++position;
    } while (position != text.size() && text[position] != ' ');
    return Error::success();
  }

  bool isUsed(char factor) const {
    auto holds = [&](const FactorRule::Tensor &tensor) {
      return any_of(tensor, [&](const FactorRule::Dim &dim) { return is_contained(dim, factor); });
    };
    return any_of(rule.operands, holds) || any_of(rule.results, holds);
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
  case FactorKind::needReplication:
    return "replicate";
  case FactorKind::permutation:
    return "permute";
  }
  llvm_unreachable("pass-through is never stated");
}

} // namespace

Expected<FactorRule> FactorRule::parse(StringRef text) { return RuleParser(text).parse(); }

FactorKind FactorRule::kindOf(char factor) const {
  for (auto [stated, kind] : kinds)
    if (stated == factor)
      return kind;
  for (const Tensor &tensor : results)
    for (const Dim &dim : tensor)
      if (is_contained(dim, factor))
        return FactorKind::passThrough;
  return FactorKind::reduction;
}

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
  return text;
}

} // namespace sheaf
