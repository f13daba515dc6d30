// Hashes with OpenSSL.
#include "runtime/io/sha256.h"

#include <algorithm>
#include <openssl/evp.h>
#include <stdexcept>

namespace sheaf::rt::io {

struct Sha256::Context {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> digest{EVP_MD_CTX_new(),
                                                                 &EVP_MD_CTX_free};
};

static void check(bool isDone) {
  if (!isDone)
    throw std::runtime_error("the crypto library has no SHA-256");
}

Sha256::Sha256() : context(std::make_unique<Context>()) {
  check(context->digest && EVP_DigestInit_ex(context->digest.get(), EVP_sha256(), nullptr));
}

Sha256::~Sha256() = default;

void Sha256::add(std::span<const std::byte> bytes) {
  check(EVP_DigestUpdate(context->digest.get(), bytes.data(), bytes.size()));
}

std::string Sha256::hex() {
  unsigned char hash[32];
  check(EVP_DigestFinal_ex(context->digest.get(), hash, nullptr));
  std::string text;
  for (unsigned char byte : hash) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string sha256Of(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hex();
}

bool isSha256(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char digit) {
           return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
         });
}

} // namespace sheaf::rt::io
