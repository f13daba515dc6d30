// Finds mnemonics and special registers by name.
#include "test/standin/ptx/ops/ops.h"

#include <map>

namespace sheaf::standin::ptx {

const Mnemonic *findMnemonic(std::string_view name) {
  static const std::map<std::string_view, const Mnemonic *> mnemonics = [] {
    std::map<std::string_view, const Mnemonic *> all;
    for (std::span<const Mnemonic> family :
         {arithmeticMnemonics(), integerMnemonics(), mathMnemonics(), bitMnemonics(),
          compareMnemonics(), moveMnemonics(), convertMnemonics(), memoryMnemonics(),
          atomicMnemonics(), warpMnemonics(), matrixMnemonics(), controlMnemonics()})
      for (const Mnemonic &mnemonic : family)
        all.emplace(mnemonic.name, &mnemonic);
    return all;
  }();
  auto found = mnemonics.find(name);
  return found == mnemonics.end() ? nullptr : found->second;
}

std::optional<SpecialRegister> findSpecialRegister(std::string_view name) {
  using enum SpecialRegister;
  static const std::map<std::string_view, SpecialRegister> registers = {
      {"%tid.x", TidX},
      {"%tid.y", TidY},
      {"%tid.z", TidZ},
      {"%ntid.x", NtidX},
      {"%ntid.y", NtidY},
      {"%ntid.z", NtidZ},
      {"%ctaid.x", CtaidX},
      {"%ctaid.y", CtaidY},
      {"%ctaid.z", CtaidZ},
      {"%nctaid.x", NctaidX},
      {"%nctaid.y", NctaidY},
      {"%nctaid.z", NctaidZ},
      {"%laneid", LaneId},
      {"%warpid", WarpId},
      {"%nwarpid", NWarpId},
      {"%smid", SmId},
      {"%nsmid", NSmId},
      {"%gridid", GridId},
      {"%lanemask_eq", LaneMaskEq},
      {"%lanemask_le", LaneMaskLe},
      {"%lanemask_lt", LaneMaskLt},
      {"%lanemask_ge", LaneMaskGe},
      {"%lanemask_gt", LaneMaskGt},
      {"%dynamic_smem_size", DynamicSharedBytes},
      {"%total_smem_size", TotalSharedBytes},
  };
  auto found = registers.find(name);
  return found == registers.end() ? std::nullopt : std::optional(found->second);
}

} // namespace sheaf::standin::ptx
