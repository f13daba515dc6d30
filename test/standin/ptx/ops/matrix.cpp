// Products of small matrices that the lanes of a warp hold together, and their way out of shared memory.
//
// Source: PTX ISA 8.7, "mma", "Matrix Fragments for mma.m16n8k16 with floating point type", and "ldmatrix".
#include <algorithm>
#include <bit>
#include <cmath>

#include "test/standin/ptx/grid.h"
#include "test/standin/ptx/lanes.h"
#include "test/standin/ptx/ops/memory.h"
#include "test/standin/ptx/ops/ops.h"

namespace sheaf::standin::ptx {

namespace {

/// "The behavior is undefined if all threads in the warp do not execute the same instruction."
void requireAllLanes(uint32_t mask, const char *what) {
  if (mask != allLanes)
    throw TrapError(std::string(what) + " needs all 32 lanes of a warp; lane " +
                    std::to_string(std::countr_one(mask)) + " does not take part");
}

/// The two neighbours in lane's register.
template <typename T> Packed<T> pairOf(const Lanes<uint32_t> &lanes, unsigned lane) {
  return std::bit_cast<Packed<T>>(lanes[lane]);
}

/// What tensor cores do to sums was measured (Fasi et al., "Numerical behavior of NVIDIA tensor cores", 2021): they are
/// cut, not rounded. The ISA leaves it and the order open, so a program must bear with it.
float cut(double exact) {
  auto result = static_cast<float>(exact);
  if (std::isfinite(result) && std::fabs(static_cast<double>(result)) > std::fabs(exact))
    result = std::nextafter(result, 0.0f);
  return result;
}

/// operands: d (4 registers), a (4), b (2), c (4).
template <typename T>
void multiplyMatrices(Warp &warp, const Instruction &instruction, uint32_t mask) {
  requireAllLanes(mask, "mma.sync");
  double a[16][16], b[16][8], sums[16][8];
  for (unsigned part = 0; part < 4; ++part) {
    const Lanes<uint32_t> pairs(warp, instruction.operands[4 + part]);
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      const unsigned row = lane / 4 + part % 2 * 8, column = lane % 4 * 2 + part / 2 * 8;
      const auto [low, high] = pairOf<T>(pairs, lane);
      a[row][column] = widen(low);
      a[row][column + 1] = widen(high);
    }
  }
  for (unsigned part = 0; part < 2; ++part) {
    const Lanes<uint32_t> pairs(warp, instruction.operands[8 + part]);
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      const unsigned row = lane % 4 * 2 + part * 8, column = lane / 4;
      const auto [low, high] = pairOf<T>(pairs, lane);
      b[row][column] = widen(low);
      b[row + 1][column] = widen(high);
    }
  }
  auto rowOf = [](unsigned part, unsigned lane) { return lane / 4 + part / 2 * 8; };
  auto columnOf = [](unsigned part, unsigned lane) { return lane % 4 * 2 + part % 2; };
  for (unsigned part = 0; part < 4; ++part) {
    const Lanes<float> c(warp, instruction.operands[10 + part]);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      sums[rowOf(part, lane)][columnOf(part, lane)] = c[lane];
  }
  for (unsigned m = 0; m < 16; ++m)
    for (unsigned k = 0; k < 16; ++k)
      for (unsigned n = 0; n < 8; ++n)
        sums[m][n] += a[m][k] * b[k][n];
  for (unsigned part = 0; part < 4; ++part) {
    Lanes<float> d;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      d[lane] = cut(sums[rowOf(part, lane)][columnOf(part, lane)]);
    d.store(warp, instruction.operands[part], mask);
  }
}

const std::vector<Operand> &registersOf(Decoder &decoder, size_t operand, size_t count) {
  const Operand &vector = decoder.operand(operand);
  if (vector.kind != Operand::Vector || vector.parts.size() != count)
    decoder.fail("operand " + std::to_string(operand + 1) + " is a vector of " +
                 std::to_string(count) + " registers");
  return vector.parts;
}

void requireSynchronous(Decoder &decoder) {
  if (!decoder.take("sync") || !decoder.take("aligned"))
    decoder.fail(".sync and .aligned are mandatory");
}

/// mma.sync.aligned.m16n8k16.row.col.f32.type.type.f32 d, a, b, c;
void decodeMma(Decoder &decoder) {
  requireSynchronous(decoder);
  for (std::string_view modifier : {"m16n8k16", "row", "col"})
    decoder.takeOneOf({modifier});
  const Type d = decoder.takeType(), a = decoder.takeType(), b = decoder.takeType(),
             c = decoder.takeType(), word = typeOf<uint32_t>();
  if (d != typeOf<float>() || c != d || a != b)
    decoder.fail("only sums of .f32, of two matrices of one type, are supported");
  const Handler handler = choose(Types<Half, BFloat>{}, a,
                                 []<typename T>() -> Handler { return &multiplyMatrices<T>; });
  if (!handler)
    decoder.failType(a);
  std::vector<Slot> slots;
  for (const Operand &part : registersOf(decoder, 0, 4))
    slots.push_back(decoder.destination(part, d));
  for (size_t operand : {1, 2})
    for (const Operand &part : registersOf(decoder, operand, operand == 1 ? 4 : 2))
      slots.push_back(decoder.source(part, word));
  for (const Operand &part : registersOf(decoder, 3, 4))
    slots.push_back(decoder.source(part, c));
  std::ranges::copy(slots, decoder.emit(handler, {}).operands.begin());
}

/// operands: the address, then a register per matrix; lanes 8 i to 8 i + 7 have the addresses of matrix i's rows.
template <bool isTransposed>
void loadMatrices(Warp &warp, const Instruction &instruction, uint32_t mask) {
  requireAllLanes(mask, "ldmatrix");
  const unsigned numMatrices = instruction.mode;
  std::byte *rows[warpSize];
  resolve(warp, instruction, instruction.operands[0], allLanes >> (warpSize - 8 * numMatrices),
          rows);
  for (unsigned matrix = 0; matrix < numMatrices; ++matrix) {
    Lanes<uint32_t> pairs;
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      uint16_t pair[2];
      for (unsigned i = 0; i < 2; ++i) {
        const unsigned row = isTransposed ? lane % 4 * 2 + i : lane / 4,
                       column = isTransposed ? lane / 4 : lane % 4 * 2 + i;
        std::memcpy(&pair[i], rows[matrix * 8 + row] + column * 2, 2);
      }
      std::memcpy(&pairs[lane], pair, sizeof pair);
    }
    pairs.store(warp, instruction.operands[1 + matrix], mask);
  }
}

/// ldmatrix.sync.aligned.m8n8.num{.trans}.shared.b16 d, [a];
void decodeLoadMatrices(Decoder &decoder) {
  requireSynchronous(decoder);
  decoder.takeOneOf({"m8n8"});
  constexpr uint8_t counts[] = {1, 2, 4};
  const uint8_t count = counts[decoder.takeOneOf({"x1", "x2", "x4"})];
  const bool isTransposed = decoder.take("trans");
  const std::optional<Space> space = takeSpaceIfAny(decoder);
  const Type type = decoder.takeType();
  if (type.kind != Kind::Bits || type.bits != 16)
    decoder.failType(type);
  if (space != Space::Shared)
    decoder.fail("only the .shared form is supported");
  const MemoryOperand memory = decodeAddress(decoder, decoder.operand(1), space);
  std::vector<Slot> slots = {memory.base};
  for (const Operand &part : registersOf(decoder, 0, count))
    slots.push_back(decoder.destination(part, typeOf<uint32_t>()));
  Instruction &load = decoder.emit(isTransposed ? &loadMatrices<true> : &loadMatrices<false>, {});
  std::ranges::copy(slots, load.operands.begin());
  memory.apply(load, 8, type, Access::Read); // A row has 16 bytes, and begins at such.
  load.mode = count;
  load.isOfWarp = true;
}

} // namespace

std::span<const Mnemonic> matrixMnemonics() {
  static constexpr Mnemonic table[] = {{"mma", decodeMma}, {"ldmatrix", decodeLoadMatrices}};
  return table;
}

} // namespace sheaf::standin::ptx
