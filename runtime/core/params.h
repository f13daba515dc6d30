// The named parameters of an instruction, read with types and without silence.
#ifndef SHEAF_RUNTIME_CORE_PARAMS_H
#define SHEAF_RUNTIME_CORE_PARAMS_H

#include "runtime/abi/executable_generated.h"
#include "runtime/core/status.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

namespace sheaf::rt {

/// Reads parameters. Accessors never fail: the first problem is kept for `finish`, which also reports parameters
/// that nobody asked for. So a call reads all it knows, then asks once.
///
/// The accessors with a default take absent parameters; those without do not.
class Params {
public:
  /// `table` may be null: no parameters.
  explicit Params(const flatbuffers::Vector<flatbuffers::Offset<abi::Param>> *table);

  int64_t integer(std::string_view name);
  int64_t integer(std::string_view name, int64_t defaultValue);
  /// An integer that is 0 or 1.
  bool flag(std::string_view name, bool defaultValue);
  double number(std::string_view name);
  double number(std::string_view name, double defaultValue);
  std::vector<int64_t> integers(std::string_view name);
  std::vector<int64_t> integers(std::string_view name, std::vector<int64_t> defaultValue);
  std::vector<double> numbers(std::string_view name);
  std::vector<double> numbers(std::string_view name, std::vector<double> defaultValue);
  std::string_view text(std::string_view name, std::optional<std::string_view> defaultValue);

  /// The index in `choices` of a text parameter; without a default it must be there.
  size_t choice(std::string_view name, std::initializer_list<std::string_view> choices,
                std::optional<size_t> defaultIndex = std::nullopt);

  bool has(std::string_view name) const;

  /// The first problem of all accesses so far, or a parameter that was not asked for.
  Status finish();

private:
  const abi::Param *find(std::string_view name, bool isRequired);
  void report(Status status);

  struct Entry {
    const abi::Param *param;
    bool isRead;
  };
  std::vector<Entry> entries;
  Status problem;
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_PARAMS_H
