// The numbers of PTX text, and their bits as a value of a type.
#ifndef SHEAF_TEST_STANDIN_PTX_NUMBER_H
#define SHEAF_TEST_STANDIN_PTX_NUMBER_H

#include <optional>
#include <string_view>

#include "test/standin/ptx/syntax.h"

namespace sheaf::standin::ptx {

/// A whole number: decimal, 0x, 0b or octal, with an optional U behind it.
std::optional<uint64_t> parseInteger(std::string_view text);

/// The bits that the immediate `number` (Integer or Real) has as a `type`.
uint64_t bitsAs(Type type, const Operand &number);

} // namespace sheaf::standin::ptx

#endif
