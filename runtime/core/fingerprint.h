// Small hashes by which ranks find that what they were given differs.
#ifndef SHEAF_RUNTIME_CORE_FINGERPRINT_H
#define SHEAF_RUNTIME_CORE_FINGERPRINT_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace sheaf::rt {

/// 64 bits that depend on all that was added, in order. They tell mistakes apart, not attacks.
class Fingerprint {
public:
  void add(uint64_t number);
  void add(std::string_view text);
  /// All of `bytes` if they are no more than `maxBytes`; else about as many, in pieces spread evenly over them.
  void addSample(std::span<const std::byte> bytes, size_t maxBytes);

  uint64_t value() const { return hash; }

private:
  void addBytes(const void *bytes, size_t size);

  uint64_t hash = 0x5368656166; // "Sheaf"
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_FINGERPRINT_H
