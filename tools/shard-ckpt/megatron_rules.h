// How whole tensors become those of Megatron's tensor-parallel layout: rules that name them.
#ifndef SHEAF_TOOLS_SHARD_CKPT_MEGATRON_RULES_H
#define SHEAF_TOOLS_SHARD_CKPT_MEGATRON_RULES_H

#include "runtime/core/status.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace sheaf::shard_ckpt {

/// One tensor of Megatron's, or one per layer: names may have one '*', which is the same text in all of them.
struct MegatronRule {
  std::string megatron;           ///< its name there
  std::vector<std::string> parts; ///< the whole tensors that it is fused of, such as q, k and v
  std::vector<int64_t> shares;    ///< of each part in it: 4, 1, 1 for four query heads per group
  std::optional<int64_t> groups;  ///< runs of all parts that it consists of; none: one per rank
  std::optional<size_t> dim =
      0;                     ///< that is fused and cut among ranks; none: each rank has all of it
  bool isTransposed = false; ///< parts are the transposes of what Megatron has, as in ONNX products
};

/// Reads rules, a JSON list. Errors: an unknown key; a rule without names, or with what does not go together.
rt::Result<std::vector<MegatronRule>> readMegatronRules(const std::filesystem::path &path);

/// A rule with the '*' filled in.
struct FusedTensor {
  const MegatronRule *rule;
  std::string megatron;
  std::vector<std::string> parts;
};

/// Which side names are of.
enum class NameSide { parts, megatron };

/// The tensors that `rules` make of `names`. Errors: a name without a rule, or with two; a part that is not among the
/// names.
rt::Result<std::vector<FusedTensor>> bindMegatronRules(const std::vector<MegatronRule> &rules,
                                                       const std::vector<std::string> &names,
                                                       NameSide side);

} // namespace sheaf::shard_ckpt

#endif // SHEAF_TOOLS_SHARD_CKPT_MEGATRON_RULES_H
