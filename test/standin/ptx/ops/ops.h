// The mnemonics of PTX by family, and what families use of each other.
#ifndef SHEAF_TEST_STANDIN_PTX_OPS_OPS_H
#define SHEAF_TEST_STANDIN_PTX_OPS_OPS_H

#include <optional>
#include <span>

#include "test/standin/ptx/decoder.h"
#include "test/standin/ptx/warp.h"

namespace sheaf::standin::ptx {

std::span<const Mnemonic> arithmeticMnemonics();
std::span<const Mnemonic> integerMnemonics();
std::span<const Mnemonic> mathMnemonics();
std::span<const Mnemonic> bitMnemonics();
std::span<const Mnemonic> compareMnemonics();
std::span<const Mnemonic> moveMnemonics();
std::span<const Mnemonic> convertMnemonics();
std::span<const Mnemonic> memoryMnemonics();
std::span<const Mnemonic> atomicMnemonics();
std::span<const Mnemonic> warpMnemonics();
std::span<const Mnemonic> matrixMnemonics();
std::span<const Mnemonic> controlMnemonics();

/// Null if no family has it.
const Mnemonic *findMnemonic(std::string_view name);

/// Of a name such as %tid.x.
std::optional<SpecialRegister> findSpecialRegister(std::string_view name);

/// Converts whole numbers: cuts or extends (with the sign of `from`).
void emitConversion(Decoder &decoder, Slot to, Type toType, Slot from, Type fromType);

/// `to` = `offset` counted from the start of the lane's local memory instead of the function's.
void emitLocalAddress(Decoder &decoder, Slot to, Slot offset);

/// Emits an arithmetic instruction on floats, with the modifiers that they share: .rn, .ftz, .sat
/// and .relu.
void emitFloat(Decoder &decoder, Handler handler, Type type, size_t numSources);

/// mul and mad of floats; mad is fma.
void decodeFloatMul(Decoder &decoder, Type type);
void decodeFloatMad(Decoder &decoder, Type type);

/// add, sub, addc and subc where a carry goes in (`takesCarry`) or out (.cc).
void decodeCarrying(Decoder &decoder, bool isSub, bool takesCarry);

/// Computes on T, or on its exact value as a double where T is a 16-bit float. `f` must round at
/// most once.
template <typename T, typename F> T onWide(F f, T a) {
  if constexpr (std::is_arithmetic_v<T>)
    return f(a);
  else
    return narrow<T>(f(widen(a)));
}
template <typename T, typename F> T onWide(F f, T a, T b) {
  if constexpr (std::is_arithmetic_v<T>)
    return f(a, b);
  else
    return narrow<T>(f(widen(a), widen(b)));
}

} // namespace sheaf::standin::ptx

#endif
