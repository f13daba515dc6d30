// Where weights come from when not from where the executable says.
#ifndef SHEAF_RUNTIME_CORE_WEIGHT_SOURCE_H
#define SHEAF_RUNTIME_CORE_WEIGHT_SOURCE_H

#include "runtime/core/buffer_shape.h"
#include "runtime/core/sharding.h"

#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace sheaf::rt {

/// The bytes of a value, row-major, and what keeps them: a mapped file, as a rule.
struct WeightBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
  bool isBlock =
      false; ///< they are what the memory of one rank holds, padding included, and are not mapped
};

/// Named weights of the user's. Those that an executable reads from files must all be there; of those that it embeds
/// any may be.
class WeightSource {
public:
  virtual ~WeightSource() = default;

  /// The value of `name`, none when there is no such weight. Errors: it has another element type or shape.
  virtual Result<std::optional<WeightBytes>> find(std::string_view name,
                                                  const BufferShape &shape) const = 0;

  /// The same for a rank that holds `box` of it: that block, or the value, whichever is less work.
  virtual Result<std::optional<WeightBytes>>
  findBlock(std::string_view name, const BufferShape &shape, const ShardBox &box) const {
    return find(name, shape);
  }

  /// A hash by which ranks find that they were given other weights than the rest: the same for copies of them.
  virtual uint64_t fingerprint() const { return 0; }
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_WEIGHT_SOURCE_H
