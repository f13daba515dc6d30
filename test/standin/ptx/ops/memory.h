// How instructions that access memory are decoded.
#ifndef SHEAF_TEST_STANDIN_PTX_OPS_MEMORY_H
#define SHEAF_TEST_STANDIN_PTX_OPS_MEMORY_H

#include <optional>

#include "test/standin/ptx/decoder.h"

namespace sheaf::standin::ptx {

/// Where an instruction accesses memory.
struct MemoryOperand {
  Slot base; ///< 64 bits
  int64_t offset = 0;
  Space space = Space::Generic;

  /// Makes `instruction` access `elements` values of `type` there.
  void apply(Instruction &instruction, uint8_t elements, Type type, Access access) const;
};

std::optional<Space> takeSpaceIfAny(Decoder &decoder);

/// Of an operand [..] in `space`, if the statement names one.
MemoryOperand decodeAddress(Decoder &decoder, const Operand &operand, std::optional<Space> space);

} // namespace sheaf::standin::ptx

#endif
