// Reads rules and finds the tensors that they are about.
#include "tools/shard-ckpt/megatron_rules.h"

#include "runtime/core/mapped_file.h"
#include "runtime/io/strict_json.h"

#include <algorithm>
#include <map>

namespace sheaf::shard_ckpt {

using rt::Result, rt::Status;
using rt::io::Json;

namespace {

constexpr int64_t largest = int64_t(1) << 20; // Of shares and groups.

bool isCount(const Json &value) {
  return value.is_number_unsigned() && value.get<uint64_t>() >= 1 &&
         value.get<uint64_t>() <= static_cast<uint64_t>(largest);
}

/// A name with at most one '*'.
bool isPattern(const Json &value) {
  if (!value.is_string())
    return false;
  const auto &text = value.get_ref<const std::string &>();
  return !text.empty() && std::count(text.begin(), text.end(), '*') <= 1;
}

Status setMember(MegatronRule &rule, const std::string &key, const Json &value) {
  auto wanted = [&](const char *what) { return Status::invalid("\"", key, "\" must be ", what); };
  if (key == "megatron") {
    if (!isPattern(value))
      return wanted("a name with at most one *");
    rule.megatron = value.get<std::string>();
  } else if (key == "parts") {
    if (!value.is_array() || value.empty() || !std::all_of(value.begin(), value.end(), isPattern))
      return wanted("a list of names with at most one * each");
    rule.parts = value.get<std::vector<std::string>>();
  } else if (key == "shares") {
    if (!value.is_array() || !std::all_of(value.begin(), value.end(), isCount))
      return wanted("a list of counts");
    rule.shares = value.get<std::vector<int64_t>>();
  } else if (key == "groups") {
    if (!isCount(value))
      return wanted("a count");
    rule.groups = value.get<int64_t>();
  } else if (key == "dim") {
    if (!value.is_null() && (!value.is_number_unsigned() || value.get<uint64_t>() > 1))
      return wanted("0, 1 or null");
    rule.dim = value.is_null() ? std::nullopt : std::optional(value.get<size_t>());
  } else if (key == "transposed") {
    if (!value.is_boolean())
      return wanted("true or false");
    rule.isTransposed = value.get<bool>();
  } else {
    return Status::invalid("there is no key \"", key,
                           "\"; keys are megatron, parts, shares, groups, dim and transposed");
  }
  return {};
}

Result<MegatronRule> parseRule(const Json &entry) {
  if (!entry.is_object())
    return Status::invalid("it is no object");
  MegatronRule rule;
  for (const auto &[key, value] : entry.items())
    if (Status status = setMember(rule, key, value); !status.isOk())
      return status;
  if (rule.megatron.empty() || rule.parts.empty())
    return Status::invalid("it needs \"megatron\" and \"parts\"");
  for (const std::string &part : rule.parts)
    if ((part.find('*') == std::string::npos) != (rule.megatron.find('*') == std::string::npos))
      return Status::invalid("\"", part, "\" and \"", rule.megatron,
                             "\" must both have a * or none");
  if (rule.shares.empty())
    rule.shares.assign(rule.parts.size(), 1);
  if (rule.shares.size() != rule.parts.size())
    return Status::invalid("it has ", rule.shares.size(), " shares for ", rule.parts.size(),
                           " parts");
  if (!rule.dim && (rule.parts.size() > 1 || rule.groups))
    return Status::invalid("what is not cut has one part and no groups");
  return rule;
}

/// What the '*' of `pattern` stands for in `name`; the empty text when it has none.
std::optional<std::string> match(std::string_view pattern, std::string_view name) {
  size_t star = pattern.find('*');
  if (star == std::string_view::npos)
    return pattern == name ? std::optional(std::string()) : std::nullopt;
  std::string_view before = pattern.substr(0, star), after = pattern.substr(star + 1);
  if (name.size() <= before.size() + after.size() || !name.starts_with(before) ||
      !name.ends_with(after))
    return std::nullopt;
  return std::string(name.substr(before.size(), name.size() - before.size() - after.size()));
}

std::string fill(std::string pattern, const std::string &star) {
  if (size_t at = pattern.find('*'); at != std::string::npos)
    pattern.replace(at, 1, star);
  return pattern;
}

FusedTensor fill(const MegatronRule &rule, const std::string &star) {
  FusedTensor tensor{&rule, fill(rule.megatron, star), {}};
  for (const std::string &part : rule.parts)
    tensor.parts.push_back(fill(part, star));
  return tensor;
}

} // namespace

Result<std::vector<MegatronRule>> readMegatronRules(const std::filesystem::path &path) {
  Result<rt::MappedFile> file = rt::MappedFile::open(path);
  if (!file.isOk())
    return file.takeStatus();
  Result<Json> list = rt::io::parseStrictJson(file->bytes());
  if (!list.isOk())
    return list.takeStatus().annotated(path.string());
  if (!list->is_array())
    return Status::invalid(path.string(), ": it is no list of rules");
  std::vector<MegatronRule> rules;
  for (const Json &entry : *list) {
    Result<MegatronRule> rule = parseRule(entry);
    if (!rule.isOk())
      return rule.takeStatus().annotated(path.string(), ": rule ", rules.size());
    rules.push_back(std::move(*rule));
  }
  return rules;
}

Result<std::vector<FusedTensor>> bindMegatronRules(const std::vector<MegatronRule> &rules,
                                                   const std::vector<std::string> &names,
                                                   NameSide side) {
  std::vector<FusedTensor> tensors;
  std::map<std::string, int> uses;
  for (const std::string &name : names)
    uses[name] = 0;
  for (const MegatronRule &rule : rules)
    for (const std::string &name : names) {
      std::optional<std::string> star =
          match(side == NameSide::parts ? rule.parts.front() : rule.megatron, name);
      if (!star)
        continue;
      tensors.push_back(fill(rule, *star));
      const FusedTensor &tensor = tensors.back();
      for (const std::string &used :
           side == NameSide::parts ? tensor.parts : std::vector{tensor.megatron}) {
        auto use = uses.find(used);
        if (use == uses.end())
          return Status::invalid("\"", tensor.megatron, "\" needs \"", used,
                                 "\", which is not there");
        if (++use->second > 1)
          return Status::invalid("two rules are about \"", used, "\"");
      }
    }
  std::string unused;
  for (const auto &[name, count] : uses)
    if (count == 0)
      unused += (unused.empty() ? "\"" : ", \"") + name + "\"";
  if (!unused.empty())
    return Status::invalid("no rule is about ", unused);
  return tensors;
}

} // namespace sheaf::shard_ckpt
