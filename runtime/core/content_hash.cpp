// Hashes an executable file around the place of its own hash.
#include "runtime/core/content_hash.h"

#include <memory>
#include <openssl/evp.h>
#include <stdexcept>

namespace sheaf::rt {

ContentHash contentHash(std::span<const std::byte> file, size_t hashOffset) {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                  &EVP_MD_CTX_free);
  ContentHash hash{};
  auto before = file.first(hashOffset);
  auto after = file.subspan(hashOffset + hash.size());
  // `hash` is still zero when it is fed in.
  if (!context || !EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) ||
      !EVP_DigestUpdate(context.get(), before.data(), before.size()) ||
      !EVP_DigestUpdate(context.get(), hash.data(), hash.size()) ||
      !EVP_DigestUpdate(context.get(), after.data(), after.size()) ||
      !EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char *>(hash.data()), nullptr))
    throw std::runtime_error("the crypto library has no SHA-256");
  return hash;
}

} // namespace sheaf::rt
