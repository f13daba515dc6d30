// Compares named tensors.
#include "runtime/launch/compare.h"
#include "tools/shard-ckpt/commands.h"
#include "tools/shard-ckpt/tensor_set.h"

#include <cmath>
#include <iomanip>
#include <nlohmann/json.hpp>

namespace sheaf::shard_ckpt {

using Json = nlohmann::ordered_json;
using rt::Result, rt::Status;

namespace {

/// What is to be said of one name; null when both are the same.
Result<Json> compare(const std::string &name, const TensorSet &a, const TensorSet &b) {
  auto own = a.shapes().find(name), other = b.shapes().find(name);
  if (own == a.shapes().end() || other == b.shapes().end())
    return Json{{"name", name}, {"only_in", own == a.shapes().end() ? "second" : "first"}};
  if (own->second.str() != other->second.str())
    return Json{{"name", name}, {"first", own->second.str()}, {"second", other->second.str()}};
  Result<rt::WeightBytes> ownBytes = a.read(name), otherBytes = b.read(name);
  for (Result<rt::WeightBytes> *bytes : {&ownBytes, &otherBytes})
    if (!bytes->isOk())
      return bytes->takeStatus();
  rt::launch::OutputDifference difference = rt::launch::compareValues(
      name, own->second, otherBytes->bytes.data(), ownBytes->bytes.data());
  if (difference.numDifferent == 0)
    return Json();
  Json json = {{"name", name},
               {"elements", difference.numElements},
               {"different", difference.numDifferent},
               {"max_absolute", difference.maxAbsolute},
               {"max_relative", difference.maxRelative}};
  for (const char *key : {"max_absolute", "max_relative"}) // JSON has no infinity.
    if (!std::isfinite(json[key].get<double>()))
      json[key] = "infinite";
  return json;
}

std::string numberText(const Json &number) {
  if (number.is_string())
    return number.get<std::string>();
  std::ostringstream text;
  text << std::setprecision(2) << number.get<double>();
  return text.str();
}

std::string text(const Json &entry) {
  std::ostringstream line;
  line << entry["name"].get<std::string>() << ": ";
  if (entry.contains("only_in"))
    line << "only in the " << entry["only_in"].get<std::string>();
  else if (entry.contains("first"))
    line << entry["first"].get<std::string>() << " and " << entry["second"].get<std::string>();
  else
    line << "largest difference " << numberText(entry["max_absolute"]) << ", "
         << numberText(entry["max_relative"]) << " of the largest magnitude; " << entry["different"]
         << " of " << entry["elements"] << " elements differ";
  return line.str();
}

} // namespace

Result<bool> diffTensors(const Options &options, std::ostream &out) {
  Result<std::unique_ptr<TensorSet>> a = TensorSet::open(options.path),
                                     b = TensorSet::open(options.other);
  for (Result<std::unique_ptr<TensorSet>> *set : {&a, &b})
    if (!set->isOk())
      return set->takeStatus();
  std::map<std::string, rt::BufferShape> all = (*a)->shapes();
  all.insert((*b)->shapes().begin(), (*b)->shapes().end());
  Json list = Json::array();
  for (const auto &[name, shape] : all) {
    Result<Json> entry = compare(name, **a, **b);
    if (!entry.isOk())
      return entry.takeStatus();
    if (!entry->is_null())
      list.push_back(std::move(*entry));
  }
  if (options.isJson)
    out << list.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  else if (list.empty())
    out << "all " << all.size() << " tensors are equal\n";
  else
    for (const Json &entry : list)
      out << text(entry) << '\n';
  return list.empty();
}

} // namespace sheaf::shard_ckpt
