// Where weights come from when not from where the executable says.
#ifndef SHEAF_RUNTIME_CORE_WEIGHT_SOURCE_H
#define SHEAF_RUNTIME_CORE_WEIGHT_SOURCE_H

#include "runtime/core/buffer_shape.h"
#include "runtime/core/mapped_file.h"

#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace sheaf::rt {

/// The bytes of a value, row-major, and the mapping that holds them.
struct WeightBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<MappedFile> file;
};

/// Named weights of the user's. Those that an executable reads from files must all be there; of those that it embeds
/// any may be.
class WeightSource {
public:
  virtual ~WeightSource() = default;

  /// The value of `name`, none when there is no such weight. Errors: it has another element type or shape.
  virtual Result<std::optional<WeightBytes>> find(std::string_view name,
                                                  const BufferShape &shape) const = 0;
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_WEIGHT_SOURCE_H
