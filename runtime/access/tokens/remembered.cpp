// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/tokens/remembered.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>

#include "runtime/base/check.hpp"

namespace argosy::access {

secret_key::secret_key() : key_(32, '\0') {
  ARGOSY_CHECK(RAND_bytes(reinterpret_cast<unsigned char*>(key_.data()), 32) == 1);
}

std::string secret_key::name_of(std::string_view secret) const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
       reinterpret_cast<const unsigned char*>(secret.data()), secret.size(), out.data(), &size);
  return {reinterpret_cast<const char*>(out.data()), size};
}

}  // namespace argosy::access
