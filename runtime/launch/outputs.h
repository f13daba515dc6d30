// Puts the outputs of a run together from what the ranks hold, and writes them to a folder.
#ifndef SHEAF_RUNTIME_LAUNCH_OUTPUTS_H
#define SHEAF_RUNTIME_LAUNCH_OUTPUTS_H

#include "runtime/core/executable.h"
#include "runtime/core/memory.h"

namespace sheaf::rt::launch {

/// The whole values of a program's outputs.
class GlobalOutputs {
public:
  /// Memory for those that are cut. `program` and `mesh` must outlive the result.
  static Result<GlobalOutputs> allocate(const ProgramInfo &program, const Mesh &mesh);

  /// Takes over what `rank` holds, one block per output, of which it is the first holder. Ranks that are threads may
  /// call this at the same time.
  void take(int rank, std::vector<Memory> &locals);

  /// Takes output `index` from the block of `rank` at `local`, when it is cut and the rank is its first holder.
  void takeCut(size_t index, int rank, const std::byte *local);

  const ProgramInfo &program() const { return *info; }
  const std::byte *data(size_t index) const { return values[index].data(); }
  size_t bytes(size_t index) const;

private:
  GlobalOutputs(const ProgramInfo &program, const Mesh &mesh) : info(&program), mesh(&mesh) {}

  const ProgramInfo *info;
  const Mesh *mesh;
  std::vector<Memory> values; ///< of each output
};

/// Writes output i to `folder`/output_i.npy and outputs.json, which maps the names to file, dtype and shape; the
/// folder is made when it is missing. All files are written aside and renamed at the end, outputs.json last: after
/// an error none of them is new.
Status writeOutputs(const GlobalOutputs &outputs, const std::filesystem::path &folder);

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_OUTPUTS_H
