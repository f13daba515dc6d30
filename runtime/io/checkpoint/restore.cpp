// Compares a checkpoint with an executable and loads a rank's boxes.
#include "runtime/io/checkpoint/restore.h"

#include "runtime/io/checkpoint/box_overlap.h"

#include <set>

namespace sheaf::rt::io {
namespace {

/// Differences of one kind, of which some are named.
class Finding {
public:
  explicit Finding(const char *what) : what(what) {}

  void add(const std::string &item) {
    constexpr size_t maxListed = 8;
    if (++count <= maxListed)
      listed += (count > 1 ? ", " : "") + item;
  }
  bool isEmpty() const { return count == 0; }
  /// "2 missing: "a", "b"".
  std::string text() const {
    std::string rest = count > 8 ? " and " + std::to_string(count - 8) + " more" : "";
    return std::to_string(count) + " " + what + ": " + listed + rest;
  }

private:
  const char *what;
  std::string listed;
  size_t count = 0;
};

std::string inQuotes(std::string_view name) { return "\"" + std::string(name) + "\""; }

} // namespace

Status checkSameVariables(const Checkpoint &checkpoint, const Executable &executable,
                          const Leniency &leniency) {
  Finding missing("missing in the checkpoint"), different("of another type or shape"),
      extra("only in the checkpoint");
  std::set<std::string_view> names;
  for (const VariableInfo &variable : executable.variables()) {
    BufferShape shape = variable.globalShape();
    if (!variable.isSaved() || shape.elements() == 0)
      continue;
    names.insert(variable.name());
    const StoredVariable *stored = checkpoint.find(variable.name());
    if (!stored)
      missing.add(inQuotes(variable.name()));
    else if (stored->shape.type != shape.type || stored->shape.dims != shape.dims)
      different.add(inQuotes(variable.name()) + " (" + stored->shape.str() + ", wanted " +
                    shape.str() + ")");
  }
  for (const auto &[name, variable] : checkpoint.index().variables)
    if (!names.contains(name))
      extra.add(inQuotes(name));
  std::string problems;
  auto report = [&](const Finding &finding, bool isAllowed) {
    if (!finding.isEmpty() && !isAllowed)
      problems += (problems.empty() ? "" : "; ") + finding.text();
  };
  report(missing, leniency.allowsMissing);
  report(different, false);
  report(extra, leniency.allowsExtra);
  return problems.empty() ? Status()
                          : Status::invalid(checkpoint.path().string(),
                                            " is not of this program: variables ", problems);
}

Status restore(const Checkpoint &checkpoint, const Executable &executable, int rank,
               const Variables &variables, const Leniency &leniency) {
  if (Status status = checkSameVariables(checkpoint, executable, leniency); !status.isOk())
    return status;
  std::vector<int64_t> coordinates = executable.mesh().coordinatesOf(rank);
  for (size_t i = 0; i < executable.variables().size(); ++i) {
    const VariableInfo &variable = executable.variables()[i];
    const StoredVariable *stored = variable.isSaved() ? checkpoint.find(variable.name()) : nullptr;
    if (!stored)
      continue;
    ShardBox box = shardBox(variable.sharding, executable.mesh(), coordinates);
    auto fill = [&](std::byte *to) { return checkpoint.read(*stored, box, to); };
    if (Status status = variables.write(static_cast<uint32_t>(i), variable.bytes, fill);
        !status.isOk())
      return std::move(status).annotated("variable \"", variable.name(), "\"");
  }
  return {};
}

} // namespace sheaf::rt::io
