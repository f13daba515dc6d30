// Gathers the inputs of a program from files or from a random source.
#ifndef SHEAF_RUNTIME_LAUNCH_INPUTS_H
#define SHEAF_RUNTIME_LAUNCH_INPUTS_H

#include "runtime/core/executable.h"
#include "runtime/core/variables.h"
#include "runtime/io/npy.h"
#include "runtime/launch/agreement.h"

#include <optional>

namespace sheaf::rt::launch {

/// `--input name=file`.
struct InputArgument {
  std::string name;
  std::filesystem::path file;

  /// Splits `text` at the last '=' that leaves the path of an existing file (names and paths may hold '='); at the
  /// last '=' when none does. Errors: no '='.
  static Result<InputArgument> parse(std::string_view text);
};

/// The whole values of a program's inputs, of which every rank takes its part.
class InputValues {
public:
  /// From `arguments`. An input that no argument names has its default; without one it is random when there is a
  /// `seed`. `program` must outlive the result. Errors: an unknown name (with those there are), an input without a
  /// value (all are listed), a name given twice, a file that is not what the input wants.
  static Result<InputValues> open(const ProgramInfo &program,
                                  const std::vector<InputArgument> &arguments,
                                  std::optional<uint64_t> seed);

  /// Of each input of the program, a fingerprint of the file that it comes from.
  std::vector<Fact> facts() const;

  /// Writes what `rank` holds of each input to `memories`, zeros, in their order; `state` holds the defaults.
  Status write(const Mesh &mesh, int rank, const Variables &state,
               const std::vector<Memory> &memories) const;

private:
  explicit InputValues(const ProgramInfo &program) : program(&program) {}

  const ProgramInfo *program;
  std::vector<std::optional<io::NpyArray>> arrays; ///< of each input
  std::optional<uint64_t> seed;
};

/// Fills `data` with `box` of a random tensor of dims `globalDims`: floats uniform in [-1, 1), integers and booleans 0
/// or 1 (so that they are valid token ids, masks and indices). An element depends on the seed, on `stream` and on where
/// in the whole tensor it is, and on nothing else.
void fillRandom(abi::ElementType type, std::span<const int64_t> globalDims, const ShardBox &box,
                uint64_t seed, uint64_t stream, std::byte *data);

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_INPUTS_H
