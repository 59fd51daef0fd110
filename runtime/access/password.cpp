// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/password.hpp"

#include <crypt.h>
#include <openssl/crypto.h>

#include <array>
#include <memory>

namespace argosy::access {

namespace {

/// The hash of the password with the method and salt of `setting`; empty if that failed.
std::string crypt_with(const std::string& password, const std::string& setting) {
  // The room is 32 KiB, too much for some stacks.
  const auto room = std::make_unique<crypt_data>();
  const char* const made = crypt_rn(password.c_str(), setting.c_str(), room.get(), sizeof *room);
  std::string out = made == nullptr ? "" : made;
  OPENSSL_cleanse(room.get(), sizeof *room);
  return out;
}

}  // namespace

result<std::string> hash_password(const std::string& password) {
  if (password.empty() || password.size() > CRYPT_MAX_PASSPHRASE_SIZE ||
      password.find('\0') != std::string::npos)
    return fail(ec::invalid_argument, "a password has 1 to 512 bytes, none of which is zero");
  std::array<char, CRYPT_GENSALT_OUTPUT_SIZE> setting{};
  if (crypt_gensalt_rn("$y$", 0, nullptr, 0, setting.data(), setting.size()) == nullptr)
    return fail(ec::internal, "crypt(3) has no yescrypt here");
  auto made = crypt_with(password, setting.data());
  if (made.empty()) return fail(ec::internal, "crypt(3) failed");
  return made;
}

bool is_password_hash(const std::string& text) {
  // A setting without a hash behind it passes crypt_checksalt().
  return text.size() > 40 && text.front() == '$' && crypt_checksalt(text.c_str()) == CRYPT_SALT_OK;
}

bool password_matches(const std::string& password, const std::string& hash) {
  const auto made = crypt_with(password, hash);
  return made.size() == hash.size() && !made.empty() &&
         CRYPTO_memcmp(made.data(), hash.data(), made.size()) == 0;
}

}  // namespace argosy::access
