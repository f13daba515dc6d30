// Parses JSON and refuses what parsers disagree on.
#include "runtime/io/strict_json.h"

#include <set>
#include <vector>

namespace sheaf::rt::io {
namespace {

constexpr size_t maxDepth = 8;

/// Builds nothing; stops at the first problem.
class Checker : public nlohmann::json_sax<Json> {
public:
  std::string problem;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool key(string_t &name) override {
    if (keys.back().insert(name).second)
      return true;
    problem = "the key \"" + name + "\" is there twice";
    return false;
  }
  bool parse_error(size_t position, const std::string &, const Json::exception &) override {
    problem = "it is no JSON: wrong at byte " + std::to_string(position);
    return false;
  }

private:
  bool enter() {
    keys.emplace_back();
    if (keys.size() <= maxDepth)
      return true;
    problem = "it is nested too deep";
    return false;
  }
  bool leave() {
    keys.pop_back();
    return true;
  }

  std::vector<std::set<std::string>> keys;
};

} // namespace

Result<Json> parseStrictJson(std::span<const std::byte> text) {
  const auto *begin = reinterpret_cast<const char *>(text.data()), *end = begin + text.size();
  Checker checker;
  if (!Json::sax_parse(begin, end, &checker))
    return Status::invalid(checker.problem);
  return Json::parse(begin, end);
}

} // namespace sheaf::rt::io
