// The values behind the bits of an element, for each element type.
#ifndef SHEAF_DIALECTS_GRAPH_FOLD_ELEMENT_H
#define SHEAF_DIALECTS_GRAPH_FOLD_ELEMENT_H

#include "dialects/graph/fold/constant.h"
#include "llvm/ADT/APFloat.h"

namespace sheaf::graph {

/// Reads and writes elements of one type. Floats are computed in double: sums, differences, products,
/// quotients and square roots of narrower types are then rounded exactly once.
class Element {
public:
  explicit Element(mlir::Type type);

  bool isFloat() const { return semantics != nullptr; }
  /// Whether integers are unsigned; booleans are.
  bool isUnsigned() const { return isUnsignedInt; }
  unsigned getWidth() const { return width; }

  /// Exact.
  double toDouble(Bits bits) const;
  /// Rounds to nearest even. What the type has no value for becomes its largest finite value if
  /// `saturate` is set, else infinity or NaN, as the type has it. None for f8E8M0FNU, which has no
  /// zero.
  std::optional<Bits> fromDouble(double value, bool saturate = false) const;

  /// Extends an integer to 64 bits by its sign.
  Bits extend(Bits bits) const;
  /// The low bits of an integer.
  Bits wrap(Bits bits) const;
  /// The smallest and largest values, infinities where the type has them; none for f8E8M0FNU.
  std::optional<Bits> lowest() const;
  std::optional<Bits> highest() const;

  /// Converts `bits` of type `from` to this type, as `graph.cast` does.
  std::optional<Bits> convert(const Element &from, Bits bits, bool saturate) const;

private:
  std::optional<Bits> fromApFloat(llvm::APFloat value, bool saturate) const;
  std::optional<Bits> fromInteger(Bits extended, bool isUnsigned, bool saturate) const;
  Bits truncate(double value) const;
  std::optional<Bits> extreme(double infinity) const;

  const llvm::fltSemantics *semantics = nullptr; ///< null for integers
  unsigned width;
  bool isUnsignedInt = false;
  bool hasZero = true;
  bool isFiniteOnly = false;
};

} // namespace sheaf::graph

#endif
