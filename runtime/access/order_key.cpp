// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/order_key.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "runtime/access/nkey.hpp"
#include "runtime/base/check.hpp"

namespace argosy::access {

namespace {

constexpr std::size_t order_signature_size = 64;
/// How the field of the signature begins: its number and type, and its length.
constexpr std::array<char, 2> field_head{(signature_field << 3) | 2, order_signature_size};

using context_ptr = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

const std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

/// What is signed. Its first line keeps the signature from being taken for one of another purpose.
std::string signed_text(std::string_view message, std::string_view subject) {
  std::string out = "argosy order 1\n";
  out.reserve(out.size() + subject.size() + 1 + message.size());
  out.append(subject).append("\n").append(message);
  return out;
}

}  // namespace

std::string answer_subject(std::string_view subject, std::string_view request) {
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> hash{};
  unsigned int size = 0;
  ARGOSY_CHECK(
      EVP_Digest(request.data(), request.size(), hash.data(), &size, EVP_sha256(), nullptr) == 1);
  std::string out = "answer to ";
  out.append(subject).append("\n");
  return out.append(reinterpret_cast<const char*>(hash.data()), size);
}

result<order_signer> order_signer::from_seed(std::string_view seed) {
  const auto raw = raw_seed_of(seed);
  if (!raw) return fail(raw.error());
  order_signer out;
  out.key_ = {EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, bytes_of(*raw), raw->size()),
              &EVP_PKEY_free};
  if (!out.key_) return fail(ec::internal, "cannot make the key that signs orders");
  return out;
}

void order_signer::sign(std::string& message, std::string_view subject) const {
  const auto text = signed_text(message, subject);
  const context_ptr context{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
  std::array<std::uint8_t, order_signature_size> made{};
  std::size_t size = made.size();
  ARGOSY_CHECK(context != nullptr);
  ARGOSY_CHECK(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1);
  ARGOSY_CHECK(EVP_DigestSign(context.get(), made.data(), &size, bytes_of(text), text.size()) == 1);
  message.append(field_head.data(), field_head.size());
  message.append(reinterpret_cast<const char*>(made.data()), made.size());
}

result<order_checker> order_checker::of_keys(const std::vector<std::string>& keys) {
  order_checker out;
  for (const auto& text : keys) {
    const auto raw = raw_public_key_of(text);
    if (!raw) return fail(raw.error());
    std::shared_ptr<EVP_PKEY> key{
        EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(*raw), raw->size()),
        &EVP_PKEY_free};
    if (!key) return fail(ec::invalid_argument, "'" + text + "' is no key that signs orders");
    out.keys_.push_back(std::move(key));
  }
  return out;
}

bool order_checker::accepts(std::string_view message, std::string_view subject) const {
  constexpr auto field_size = field_head.size() + order_signature_size;
  if (message.size() < field_size) return false;
  const auto covered = message.substr(0, message.size() - field_size);
  const auto field = message.substr(covered.size());
  if (!field.starts_with(std::string_view{field_head.data(), field_head.size()})) return false;
  const auto text = signed_text(covered, subject);
  return std::ranges::any_of(keys_, [&](const auto& key) {
    const context_ptr context{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
    return context &&
           EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
           EVP_DigestVerify(context.get(), bytes_of(field.substr(field_head.size())),
                            order_signature_size, bytes_of(text), text.size()) == 1;
  });
}

}  // namespace argosy::access
