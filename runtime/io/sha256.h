// SHA-256 of bytes that come in pieces.
#ifndef SHEAF_RUNTIME_IO_SHA256_H
#define SHEAF_RUNTIME_IO_SHA256_H

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace sheaf::rt::io {

/// Throws std::runtime_error when the crypto library has no SHA-256.
class Sha256 {
public:
  Sha256();
  ~Sha256();

  void add(std::span<const std::byte> bytes);
  /// Of all that was added, as 64 lower-case hex digits. Nothing can be added after it.
  std::string hex();

private:
  struct Context;
  std::unique_ptr<Context> context;
};

std::string sha256Of(std::span<const std::byte> bytes);

/// Whether `text` is what `hex` gives.
bool isSha256(std::string_view text);

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_SHA256_H
