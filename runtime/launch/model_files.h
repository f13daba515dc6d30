// The files of a run, opened and checked once for all ranks of the process.
#ifndef SHEAF_RUNTIME_LAUNCH_MODEL_FILES_H
#define SHEAF_RUNTIME_LAUNCH_MODEL_FILES_H

#include "runtime/core/executable.h"
#include "runtime/core/weight_source.h"

namespace sheaf::rt::launch {

/// What of a weights file an executable took.
struct WeightUse {
  int64_t numUsed = 0;
  /// Names that none of its weights has. Weights of one element are among them: they are part of the program.
  std::vector<std::string> unused;
};

/// An executable and the weights that stand in for its own.
class ModelFiles {
public:
  /// `weights`: a safetensors file, an index of such, or a checkpoint (of a folder of several, the newest); empty:
  /// where the executable says. Errors: a file that can't be read; an executable that can't run on this machine.
  static Result<ModelFiles> open(const std::filesystem::path &path,
                                 const std::filesystem::path &weights);
  /// The same with an executable in memory, which must outlive the result; `path` names it in messages.
  static Result<ModelFiles> fromExecutable(Executable executable, const std::filesystem::path &path,
                                           const std::filesystem::path &weights);

  const std::filesystem::path &path() const { return executablePath; }
  const Executable &executable() const { return *file; }
  /// Null when there is no weights file.
  const WeightSource *weights() const { return weightFiles.get(); }
  const std::optional<WeightUse> &weightUse() const { return use; }
  /// Of the weights file, the same for copies of it; 0 without one.
  uint64_t weightsFingerprint() const { return weightFiles ? weightFiles->fingerprint() : 0; }

private:
  ModelFiles() = default;

  template <typename Source> Status openWeights(Result<std::unique_ptr<Source>> opened);

  std::filesystem::path executablePath;
  std::unique_ptr<Executable> file; ///< programs refer to it
  std::unique_ptr<WeightSource> weightFiles;
  std::optional<WeightUse> use;
};

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_MODEL_FILES_H
