// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/log/batch_mac.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/base/check.hpp"

namespace argosy::codec {

namespace {

/// How field 7 of a batch begins: its number and type, and its length.
constexpr std::string_view field_head{"\x3a\x10", 2};

}  // namespace

result<log_key> log_key::from_bytes(std::string_view bytes, std::string place) {
  log_key out;
  if (bytes.size() != out.bytes_.size())
    return fail(ec::corrupt, "the key of the log in " + place + " has " +
                                 std::to_string(bytes.size()) + " bytes instead of " +
                                 std::to_string(out.bytes_.size()) +
                                 "; put it back from a backup of the data directory");
  std::memcpy(out.bytes_.data(), bytes.data(), bytes.size());
  out.place_ = std::move(place);
  const auto print = out.mac_of("the print of a key of argosy's log");
  std::memcpy(&out.print_, print.data(), sizeof(out.print_));
  if (out.print_ == 0) out.print_ = 1;
  return out;
}

log_key::mac log_key::mac_of(std::string_view bytes) const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> whole{};
  unsigned int length = 0;
  const auto* made = HMAC(EVP_sha256(), bytes_.data(), static_cast<int>(bytes_.size()),
                          reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                          whole.data(), &length);
  ARGOSY_CHECK(made != nullptr && length >= mac_size);
  mac out{};
  std::copy_n(whole.begin(), mac_size, out.begin());
  return out;
}

void log_key::sign(std::string& batch) const {
  const auto made = mac_of(batch);
  batch.append(field_head);
  batch.append(reinterpret_cast<const char*>(made.data()), made.size());
}

bool log_key::signed_by_this(std::string_view batch) const {
  constexpr auto field_size = field_head.size() + mac_size;
  if (batch.size() <= field_size) return false;
  const auto covered = batch.substr(0, batch.size() - field_size);
  if (batch.substr(covered.size(), field_head.size()) != field_head) return false;
  const auto right = mac_of(covered);
  return CRYPTO_memcmp(right.data(), batch.data() + covered.size() + field_head.size(), mac_size) ==
         0;
}

}  // namespace argosy::codec
