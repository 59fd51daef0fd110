// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/key_password.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <memory>

#include "runtime/access/nkey.hpp"

namespace argosy::access {

namespace {

constexpr std::size_t signature_size = 64;
constexpr std::size_t password_size = 86;

/// What is signed. A nats-server may have a key sign any question, but clients in C sign none with
/// a zero byte, and others, for which a question is text, none that is no UTF-8.
constexpr std::string_view signed_text{"argosy\0\xffpassword", 16};

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

bool is_signed(std::string_view signature, std::string_view raw_key) {
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key{
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes(raw_key), raw_key.size()),
      EVP_PKEY_free};
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context{EVP_MD_CTX_new(),
                                                                   EVP_MD_CTX_free};
  return key && context &&
         EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), bytes(signature), signature.size(), bytes(signed_text),
                          signed_text.size()) == 1;
}

}  // namespace

result<std::string> key_password(std::string_view seed) {
  const auto signature = sign(seed, signed_text);
  if (!signature) return fail(signature.error());
  std::string out(4 * ((signature_size + 2) / 3) + 1, '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes(*signature), signature_size);
  out.resize(password_size);  // Without the padding.
  std::ranges::replace(out, '+', '-');
  std::ranges::replace(out, '/', '_');
  return out;
}

bool key_password_matches(std::string_view password, std::string_view public_key) {
  const auto raw_key = raw_public_key_of(public_key);
  if (!raw_key || password.size() != password_size) return false;
  std::string text{password};
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text += "==";
  std::string signature(text.size() / 4 * 3, '\0');
  if (EVP_DecodeBlock(reinterpret_cast<unsigned char*>(signature.data()), bytes(text),
                      static_cast<int>(text.size())) < 0)
    return false;
  signature.resize(signature_size);
  return is_signed(signature, *raw_key);
}

}  // namespace argosy::access
