// Einsum as transposes, products and reductions.
#include "importers/onnx/node.h"
#include "llvm/ADT/StringExtras.h"

using namespace sheaf::graph;
using namespace mlir;

namespace sheaf::onnx {
namespace {

/// An operand with one label per dim. Dims of an ellipsis have the labels '0', '1', .. counted from its
/// end.
struct Term {
  Value value;
  std::string labels;
};

/// The dims of "..." are labelled from the right, so that they align as broadcasts do.
std::string expandEllipsis(Node &n, StringRef labels, int64_t rank, int64_t mostEllipsis) {
  std::string text;
  for (char c : labels)
    if (c != ' ')
      text += c;
  size_t at = text.find("...");
  int64_t numNamed = static_cast<int64_t>(text.size()) - (at == std::string::npos ? 0 : 3);
  int64_t numDims = rank < 0 ? mostEllipsis : rank - numNamed;
  bool isWellFormed =
      llvm::all_of(StringRef(text), [](char c) { return llvm::isAlpha(c) || c == '.'; });
  if (!isWellFormed || numDims < 0 || numDims > 9 ||
      (at == std::string::npos && rank >= 0 && numDims != 0)) {
    n.fail("\"" + labels + "\" does not fit an operand of rank " + Twine(rank));
    return {};
  }
  if (at == std::string::npos)
    return text;
  std::string dims;
  for (int64_t dim = numDims; dim-- > 0;)
    dims += static_cast<char>('0' + dim);
  text.replace(at, 3, dims);
  if (text.find('.') != std::string::npos)
    n.fail("\"" + labels + "\" has two ellipses");
  return text;
}

/// Takes the diagonal over repeated labels: an equality mask, then a sum.
Term withoutRepeats(Node &n, Term term) {
  for (size_t first = 0; first < term.labels.size() && !n.failed(); ++first) {
    size_t second = term.labels.find(term.labels[first], first + 1);
    if (second == std::string::npos)
      continue;
    auto a = static_cast<int64_t>(first), b = static_cast<int64_t>(second);
    if (n.dim(term.value, a) != n.dim(term.value, b)) {
      n.fail("dims of one label have the extents " + Twine(n.dim(term.value, a)) + " and " +
             Twine(n.dim(term.value, b)));
      break;
    }
    Type i64 = IntegerType::get(n.context(), 64);
    ArrayRef<int64_t> shape = n.shape(term.value);
    Value onDiagonal = n.compare(CompareKind::eq, n.iota(shape, i64, a), n.iota(shape, i64, b));
    term.value = n.sum(n.select(onDiagonal, term.value, n.number(0, term.value)), {b});
    term.labels.erase(second, 1);
    --first;
  }
  return term;
}

/// Sums over the labels of `term` that nothing later needs.
Term sumUnneeded(Node &n, Term term, StringRef needed) {
  SmallVector<int64_t> dims;
  std::string kept;
  for (auto [index, label] : llvm::enumerate(term.labels)) {
    if (needed.contains(label))
      kept += label;
    else
      dims.push_back(static_cast<int64_t>(index));
  }
  return {n.sum(term.value, dims), kept};
}

/// Drops dims of extent 1 whose label has a larger extent in the other operand: they broadcast.
Term withoutBroadcast(Node &n, Term term, const Term &other) {
  SmallVector<int64_t> dims;
  std::string kept;
  for (auto [index, label] : llvm::enumerate(term.labels)) {
    size_t place = other.labels.find(label);
    bool broadcasts = n.dim(term.value, static_cast<int64_t>(index)) == 1 &&
                      place != std::string::npos &&
                      n.dim(other.value, static_cast<int64_t>(place)) != 1;
    if (broadcasts)
      dims.push_back(static_cast<int64_t>(index));
    else
      kept += label;
  }
  return {n.squeeze(term.value, dims), kept};
}

Term multiply(Node &n, const Term &left, const Term &right, StringRef needed) {
  Term lhs = withoutBroadcast(n, left, right), rhs = withoutBroadcast(n, right, left);
  SmallVector<int64_t> lhsBatch, rhsBatch, lhsContract, rhsContract;
  std::string batch, lhsFree, rhsFree;
  for (auto [index, label] : llvm::enumerate(lhs.labels)) {
    size_t place = rhs.labels.find(label);
    if (place == std::string::npos) {
      lhsFree += label;
      continue;
    }
    auto a = static_cast<int64_t>(index), b = static_cast<int64_t>(place);
    if (n.dim(lhs.value, a) != n.dim(rhs.value, b)) {
      n.fail("dims of one label have the extents " + Twine(n.dim(lhs.value, a)) + " and " +
             Twine(n.dim(rhs.value, b)));
      return {};
    }
    bool isBatch = needed.contains(label);
    (isBatch ? lhsBatch : lhsContract).push_back(a);
    (isBatch ? rhsBatch : rhsContract).push_back(b);
    if (isBatch)
      batch += label;
  }
  for (char label : rhs.labels)
    if (lhs.labels.find(label) == std::string::npos)
      rhsFree += label;
  return {n.contract(lhs.value, rhs.value, lhsBatch, rhsBatch, lhsContract, rhsContract),
          batch + lhsFree + rhsFree};
}

void importEinsum(Node &n) {
  SmallVector<Value> operands = n.variadic();
  std::string equation = n.string("equation", "");
  if (n.failed())
    return;
  auto [left, right] = StringRef(equation).split("->");
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  if (parts.size() != operands.size())
    return n.fail("\"" + equation + "\" has " + Twine(parts.size()) + " terms for " +
                  Twine(operands.size()) + " operands");
  SmallVector<Term> terms;
  int64_t mostEllipsis = 0;
  for (auto [part, value] : llvm::zip(parts, operands)) {
    std::string labels = expandEllipsis(n, part, n.rank(value), 0);
    if (n.failed())
      return;
    mostEllipsis = std::max<int64_t>(mostEllipsis, llvm::count_if(labels, llvm::isDigit));
    terms.push_back(withoutRepeats(n, {value, labels}));
  }
  std::string result;
  if (equation.find("->") != std::string::npos) {
    result = expandEllipsis(n, right, -1, mostEllipsis);
  } else { // Ellipsis first, then labels that occur once, in order.
    for (int64_t dim = mostEllipsis; dim-- > 0;)
      result += static_cast<char>('0' + dim);
    for (char label = 'A'; label <= 'z'; ++label)
      if (llvm::isAlpha(label) && left.count(label) == 1)
        result += label;
  }
  for (size_t index = 0; index < result.size() && !n.failed(); ++index)
    if (result.find(result[index], index + 1) != std::string::npos ||
        llvm::none_of(terms, [&](const Term &term) {
          return term.labels.find(result[index]) != std::string::npos;
        }))
      return n.fail("the result of \"" + equation + "\" is malformed");
  Term total = terms.front();
  for (size_t index = 1; index <= terms.size() && !n.failed(); ++index) {
    std::string needed = result;
    for (const Term &term : llvm::drop_begin(terms, index))
      needed += term.labels;
    total = sumUnneeded(n, total, needed);
    if (index == terms.size())
      break;
    std::string later = result;
    for (const Term &term : llvm::drop_begin(terms, index + 1))
      later += term.labels;
    Term next = sumUnneeded(n, terms[index], later + total.labels);
    total = multiply(n, total, next, later);
  }
  SmallVector<int64_t> permutation;
  for (char label : result)
    permutation.push_back(static_cast<int64_t>(total.labels.find(label)));
  if (!n.failed())
    n.output(0, n.transpose(total.value, permutation));
}

} // namespace

void registerEinsum(OpTable &table) { table.add("Einsum", importEinsum, 12); }

} // namespace sheaf::onnx
