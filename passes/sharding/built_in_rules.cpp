// Rules for the names that exports of usual models have.
//
// Weights keep the names of their modules, or lose them when an exporter folds their transposition;
// nodes keep them always: "h.0.mlp.c_fc.weight", "/transformer/h.0/mlp/c_fc/Gemm". So each rule names
// the module, between separators, and says what its columns or rows are for.
#include "passes/sharding/rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace sheaf::sharding {
namespace {

struct BuiltIn {
  StringLiteral name;
  StringLiteral text;
};

constexpr StringLiteral llama = R"(
- {name: '[./](q_proj|k_proj|v_proj|qkv_proj|gate_proj|up_proj|gate_up_proj)[./]', columns: [tensor]}
- {name: '[./](o_proj|down_proj)[./]', rows: [tensor]}
- {name: 'embed_tokens', rows: [tensor]}
- {name: 'lm_head', columns: [tensor]}
- {name: '^(input_ids|attention_mask|position_ids|inputs_embeds)$', axes: [data, _]}
)";

constexpr BuiltIn table[] = {
    {"bert", R"(
- {name: 'attention[./]self[./](query|key|value)[./]', columns: [tensor]}
- {name: 'attention[./]output[./]dense[./]', rows: [tensor]}
- {name: '[./]intermediate[./]dense[./]', columns: [tensor]}
- {name: '[./]output[./]dense[./]', rows: [tensor]}
- {name: 'word_embeddings', rows: [tensor]}
- {name: '^(input_ids|attention_mask|token_type_ids|position_ids)$', axes: [data, _]}
)"},
    {"gpt2", R"(
- {name: '[./](c_attn|c_fc)[./]', columns: [tensor]}
- {name: '[./]c_proj[./]', rows: [tensor]}
- {name: '(^|[./])wte[./]', rows: [tensor]}
- {name: 'lm_head', columns: [tensor]}
- {name: '^(input_ids|attention_mask|position_ids)$', axes: [data, _]}
)"},
    {"llama", llama},
    {"mixtral", R"(
- {name: '[./](q_proj|k_proj|v_proj)[./]', columns: [tensor]}
- {name: '[./]o_proj[./]', rows: [tensor]}
- {name: 'experts[./][0-9]+[./](w1|w3)[./]', columns: [tensor]}
- {name: 'experts[./][0-9]+[./]w2[./]', rows: [tensor]}
- {name: 'embed_tokens', rows: [tensor]}
- {name: 'lm_head', columns: [tensor]}
- {name: '^(input_ids|attention_mask|position_ids)$', axes: [data, _]}
)"},
    {"vit", R"(
- {name: 'attention[./](attention[./])?(query|key|value)[./]', columns: [tensor]}
- {name: 'attention[./]output[./]', rows: [tensor]}
- {name: '[./]intermediate[./]', columns: [tensor]}
- {name: 'layer[./][0-9]+[./]output[./]', rows: [tensor]}
- {name: '^pixel_values$', axes: [data, _, _, _]}
)"},
};

} // namespace

std::optional<StringRef> builtInRules(StringRef name) {
  const auto *found = find_if(table, [&](const BuiltIn &set) { return set.name == name; });
  if (found == std::end(table))
    return std::nullopt;
  return found->text;
}

std::string builtInRuleNames() {
  return join(map_range(table, [](const BuiltIn &set) { return set.name; }), ", ");
}

} // namespace sheaf::sharding
