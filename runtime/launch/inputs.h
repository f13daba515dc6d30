// Gathers the inputs of a program from files or from a random source.
#ifndef SHEAF_RUNTIME_LAUNCH_INPUTS_H
#define SHEAF_RUNTIME_LAUNCH_INPUTS_H

#include "runtime/core/executable.h"
#include "runtime/core/variables.h"

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

/// Memory for each input of `program`, in its order, filled from `arguments`. An input that no argument names has its
/// default, which `state` holds; without one it is random when there is a `seed`. Errors: an unknown name (with those
/// there are), an input without a value (all are listed), a name given twice, a file that is not what the input wants.
Result<std::vector<Memory>> gatherInputs(const ProgramInfo &program, const Variables &state,
                                         const std::vector<InputArgument> &arguments,
                                         std::optional<uint64_t> seed, MemoryAccount *account);

/// Fills a tensor: floats uniform in [-1, 1), integers and booleans 0 or 1 (so that they are valid token ids, masks
/// and indices). Depends on the seed and on nothing else.
void fillRandom(const BufferShape &shape, uint64_t seed, std::byte *data);

} // namespace sheaf::rt::launch

#endif // SHEAF_RUNTIME_LAUNCH_INPUTS_H
