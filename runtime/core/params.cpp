// Reads the named parameters of an instruction.
#include "runtime/core/params.h"

#include <string>

namespace sheaf::rt {
namespace {

template <typename T, typename Table> std::vector<T> toVector(const Table &table) {
  return std::vector<T>(table.begin(), table.end());
}

} // namespace

Params::Params(const flatbuffers::Vector<flatbuffers::Offset<abi::Param>> *table) {
  if (table)
    for (const abi::Param *param : *table)
      entries.push_back({param, false});
}

void Params::report(Status status) {
  if (problem.isOk())
    problem = std::move(status);
}

bool Params::has(std::string_view name) const {
  for (const Entry &entry : entries)
    if (entry.param->name()->string_view() == name)
      return true;
  return false;
}

const abi::Param *Params::find(std::string_view name, bool isRequired) {
  for (Entry &entry : entries) {
    if (entry.param->name()->string_view() == name) {
      entry.isRead = true;
      return entry.param;
    }
  }
  if (isRequired)
    report(Status::invalid("parameter \"", name, "\" is missing"));
  return nullptr;
}

std::vector<int64_t> Params::integers(std::string_view name) {
  const abi::Param *param = find(name, /*isRequired=*/true);
  if (!param)
    return {};
  if (param->ints())
    return toVector<int64_t>(*param->ints());
  report(Status::invalid("parameter \"", name, "\" must be integers"));
  return {};
}

std::vector<int64_t> Params::integers(std::string_view name, std::vector<int64_t> defaultValue) {
  return has(name) ? integers(name) : std::move(defaultValue);
}

std::vector<double> Params::numbers(std::string_view name) {
  const abi::Param *param = find(name, /*isRequired=*/true);
  if (!param)
    return {};
  if (param->floats())
    return toVector<double>(*param->floats());
  report(Status::invalid("parameter \"", name, "\" must be floats"));
  return {};
}

std::vector<double> Params::numbers(std::string_view name, std::vector<double> defaultValue) {
  return has(name) ? numbers(name) : std::move(defaultValue);
}

int64_t Params::integer(std::string_view name) {
  std::vector<int64_t> values = integers(name);
  if (values.size() == 1)
    return values[0];
  report(Status::invalid("parameter \"", name, "\" must be one integer, not ", values.size()));
  return 0;
}

int64_t Params::integer(std::string_view name, int64_t defaultValue) {
  return has(name) ? integer(name) : defaultValue;
}

bool Params::flag(std::string_view name, bool defaultValue) {
  int64_t value = integer(name, defaultValue);
  if (value != 0 && value != 1)
    report(Status::invalid("parameter \"", name, "\" must be 0 or 1, not ", value));
  return value == 1;
}

double Params::number(std::string_view name) {
  std::vector<double> values = numbers(name);
  if (values.size() == 1)
    return values[0];
  report(Status::invalid("parameter \"", name, "\" must be one float, not ", values.size()));
  return 0;
}

double Params::number(std::string_view name, double defaultValue) {
  return has(name) ? number(name) : defaultValue;
}

std::string_view Params::text(std::string_view name, std::optional<std::string_view> defaultValue) {
  const abi::Param *param = find(name, !defaultValue);
  if (!param)
    return defaultValue.value_or("");
  if (param->text())
    return param->text()->string_view();
  report(Status::invalid("parameter \"", name, "\" must be text"));
  return "";
}

size_t Params::choice(std::string_view name, std::initializer_list<std::string_view> choices,
                      std::optional<size_t> defaultIndex) {
  if (!has(name) && defaultIndex)
    return *defaultIndex;
  std::string_view value = text(name, std::nullopt);
  std::string listed;
  size_t index = 0;
  for (std::string_view choice : choices) {
    if (choice == value)
      return index;
    listed += (index++ ? ", " : "") + std::string(choice);
  }
  report(
      Status::invalid("parameter \"", name, "\" is \"", value, "\"; it must be one of ", listed));
  return 0;
}

Status Params::finish() {
  for (const Entry &entry : entries)
    if (!entry.isRead)
      report(Status::invalid("parameter \"", entry.param->name()->string_view(), "\" is unknown"));
  return std::move(problem);
}

} // namespace sheaf::rt
