// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/nkey.hpp"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace argosy::access {

namespace {

using bytes = std::vector<std::uint8_t>;

constexpr std::size_t key_size = 32;
constexpr std::size_t checksum_size = 2;
constexpr std::size_t signature_size = 64;
constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/// The prefixes are chosen by NATS so that the first letters of the text are "S" and "U".
constexpr std::uint8_t prefix_seed = 18 << 3;
constexpr std::uint8_t prefix_user = 20 << 3;

constexpr std::string_view no_seed =
    "this is no seed of an NKey user, which has 58 characters and begins with SU";

using key_ptr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

std::string to_base32(const bytes& data) {
  std::string out;
  std::uint32_t held = 0;
  int count = 0;
  for (const auto byte : data) {
    held = (held << 8) | byte;
    for (count += 8; count >= 5; count -= 5) out += alphabet[(held >> (count - 5)) & 31];
  }
  if (count > 0) out += alphabet[(held << (5 - count)) & 31];
  return out;
}

std::optional<bytes> from_base32(std::string_view text) {
  bytes out;
  std::uint32_t held = 0;
  int count = 0;
  for (const char c : text) {
    const auto value = alphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    held = (held << 5) | static_cast<std::uint32_t>(value);
    count += 5;
    if (count < 8) continue;
    count -= 8;
    out.push_back(static_cast<std::uint8_t>(held >> count));
  }
  // Bits that are left over would let one key have several spellings.
  if ((held & ((1u << count) - 1)) != 0) return std::nullopt;
  return out;
}

/// CRC-16/XMODEM, as NATS has it.
std::uint16_t checksum(const std::uint8_t* data, std::size_t size) {
  std::uint16_t out = 0;
  for (std::size_t i = 0; i < size; ++i) {
    out = static_cast<std::uint16_t>(out ^ (data[i] << 8));
    for (int bit = 0; bit < 8; ++bit)
      out = static_cast<std::uint16_t>((out & 0x8000) != 0 ? (out << 1) ^ 0x1021 : out << 1);
  }
  return out;
}

std::string encode(bytes content) {
  const auto sum = checksum(content.data(), content.size());
  content.push_back(static_cast<std::uint8_t>(sum & 0xff));
  content.push_back(static_cast<std::uint8_t>(sum >> 8));
  return to_base32(content);
}

/// Returns what encode() was given; nothing if the text is of another length or damaged.
std::optional<bytes> decode(std::string_view text, std::size_t size) {
  auto content = from_base32(text);
  if (!content || content->size() != size + checksum_size) return std::nullopt;
  const auto sum = checksum(content->data(), size);
  if ((*content)[size] != (sum & 0xff) || (*content)[size + 1] != sum >> 8) return std::nullopt;
  content->resize(size);
  return content;
}

std::optional<bytes> raw_seed(std::string_view text) {
  auto content = decode(text, key_size + 2);
  if (!content || (*content)[0] != (prefix_seed | (prefix_user >> 5)) ||
      (*content)[1] != static_cast<std::uint8_t>((prefix_user & 31) << 3))
    return std::nullopt;
  content->erase(content->begin(), content->begin() + 2);
  return content;
}

result<key_ptr> private_key_of(std::string_view seed) {
  const auto raw = raw_seed(seed);
  if (!raw) return fail(ec::invalid_argument, std::string{no_seed});
  return key_ptr{EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, raw->data(), raw->size()),
                 &EVP_PKEY_free};
}

}  // namespace

result<std::string> public_key_of(std::string_view seed) {
  const auto key = private_key_of(seed);
  if (!key) return fail(key.error());
  bytes content(1 + key_size, prefix_user);
  std::size_t size = key_size;
  if (!*key || EVP_PKEY_get_raw_public_key(key->get(), content.data() + 1, &size) != 1 ||
      size != key_size)
    return fail(ec::internal, "cannot make the public key of an NKey seed");
  return encode(std::move(content));
}

result<nkey> make_nkey() {
  bytes content(2 + key_size);
  if (RAND_priv_bytes(content.data() + 2, key_size) != 1)
    return fail(ec::internal, "the system's generator of secrets gives none");
  content[0] = prefix_seed | (prefix_user >> 5);
  content[1] = static_cast<std::uint8_t>((prefix_user & 31) << 3);
  nkey out;
  out.seed = encode(std::move(content));
  auto known = public_key_of(out.seed);
  if (!known) return fail(std::move(known.error()));
  out.public_key = std::move(*known);
  return out;
}

result<std::string> sign(std::string_view seed, std::string_view text) {
  const auto key = private_key_of(seed);
  if (!key) return fail(key.error());
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> signer{EVP_MD_CTX_new(),
                                                                       &EVP_MD_CTX_free};
  std::string out(signature_size, '\0');
  std::size_t size = out.size();
  if (!*key || !signer ||
      EVP_DigestSignInit(signer.get(), nullptr, nullptr, nullptr, key->get()) != 1 ||
      EVP_DigestSign(signer.get(), reinterpret_cast<std::uint8_t*>(out.data()), &size,
                     reinterpret_cast<const std::uint8_t*>(text.data()), text.size()) != 1 ||
      size != out.size())
    return fail(ec::internal, "cannot sign with an NKey seed");
  return out;
}

result<std::string> raw_seed_of(std::string_view seed) {
  const auto raw = raw_seed(seed);
  if (!raw) return fail(ec::invalid_argument, std::string{no_seed});
  return std::string{raw->begin(), raw->end()};
}

result<std::string> raw_public_key_of(std::string_view text) {
  const auto content = decode(text, 1 + key_size);
  if (!content || content->front() != prefix_user)
    return fail(ec::invalid_argument,
                "this is no public key, which has 56 characters and begins with U");
  return std::string{content->begin() + 1, content->end()};
}

bool is_public_key(std::string_view text) {
  const auto content = decode(text, 1 + key_size);
  return content && content->front() == prefix_user;
}

}  // namespace argosy::access
