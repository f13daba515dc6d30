// Opens an executable and other weights for it.
#include "runtime/launch/model_files.h"

#include "runtime/io/checkpoint/checkpoint_weights.h"
#include "runtime/io/weight_files.h"
#include "runtime/launch/environment.h"

#include <set>

namespace sheaf::rt::launch {

static WeightUse weightUseOf(const Executable &executable, const std::vector<std::string> &names) {
  std::set<std::string_view> variables;
  for (const VariableInfo &variable : executable.variables())
    if (variable.table->source() || variable.table->constant() != UINT32_MAX)
      variables.insert(variable.table->name()->string_view());
  WeightUse use;
  for (const std::string &name : names) {
    if (variables.contains(name))
      ++use.numUsed;
    else
      use.unused.push_back(name);
  }
  return use;
}

template <typename Source> Status ModelFiles::openWeights(Result<std::unique_ptr<Source>> opened) {
  if (!opened.isOk())
    return opened.takeStatus();
  use = weightUseOf(*file, (*opened)->names());
  weightFiles = std::move(*opened);
  return {};
}

Result<ModelFiles> ModelFiles::open(const std::filesystem::path &path,
                                    const std::filesystem::path &weights) {
  Result<Executable> executable = Executable::open(path);
  if (!executable.isOk())
    return executable.takeStatus();
  return fromExecutable(std::move(*executable), path, weights);
}

Result<ModelFiles> ModelFiles::fromExecutable(Executable executable,
                                              const std::filesystem::path &path,
                                              const std::filesystem::path &weights) {
  if (Status status = checkTarget(executable, cpuFlags()); !status.isOk())
    return std::move(status).annotated(path.string());
  ModelFiles files;
  files.executablePath = path;
  files.file = std::make_unique<Executable>(std::move(executable));
  if (weights.empty())
    return files;
  Status status = std::filesystem::is_directory(weights)
                      ? files.openWeights(io::CheckpointWeights::open(weights))
                      : files.openWeights(io::WeightFiles::open(weights));
  if (!status.isOk())
    return status;
  return files;
}

} // namespace sheaf::rt::launch
