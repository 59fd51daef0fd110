// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/tokens/key_set.hpp"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <array>

#include "runtime/access/tokens/base64url.hpp"
#include "runtime/access/tokens/json_text.hpp"

namespace argosy::access {

namespace {

using nlohmann::json;

constexpr std::size_t keys_max = 100;
constexpr std::size_t part_bytes_max = 2'048;
constexpr int rsa_bits_min = 2'048;
constexpr int rsa_bits_max = 16'384;

constexpr std::array<std::string_view, 10> names{"RS256", "RS384", "RS512", "PS256", "PS384",
                                                 "PS512", "ES256", "ES384", "ES512", "EdDSA"};

template <class T, void (*Free)(T*)>
struct freed_by {
  void operator()(T* what) const { Free(what); }
};
template <class T, void (*Free)(T*)>
using owned = std::unique_ptr<T, freed_by<T, Free>>;
using number = owned<BIGNUM, BN_free>;
using key_maker = owned<EVP_PKEY_CTX, EVP_PKEY_CTX_free>;
using parameters = owned<OSSL_PARAM, OSSL_PARAM_free>;
using builder = owned<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free>;
using digest = owned<EVP_MD_CTX, EVP_MD_CTX_free>;
using key_pointer = std::shared_ptr<evp_pkey_st>;

struct curve {
  std::string_view name;  ///< As JWK names it.
  const char* openssl;
  std::size_t bytes;  ///< How many a coordinate has.
  token_algorithm how;
};
constexpr std::array curves{curve{"P-256", "prime256v1", 32, token_algorithm::es256},
                            curve{"P-384", "secp384r1", 48, token_algorithm::es384},
                            curve{"P-521", "secp521r1", 66, token_algorithm::es512}};

/// Empty if there is none, or none that is well-formed.
std::string bytes_of(const json& from, const char* name) {
  auto bytes = decode_base64url(text_of(from, name));
  return bytes && bytes->size() <= part_bytes_max ? std::move(*bytes) : std::string{};
}

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

number to_number(std::string_view text) {
  return number{BN_bin2bn(bytes(text), static_cast<int>(text.size()), nullptr)};
}

key_pointer make_key(const char* kind, OSSL_PARAM_BLD* parts) {
  const parameters built{OSSL_PARAM_BLD_to_param(parts)};
  const key_maker maker{EVP_PKEY_CTX_new_from_name(nullptr, kind, nullptr)};
  EVP_PKEY* made = nullptr;
  if (!built || !maker || EVP_PKEY_fromdata_init(maker.get()) != 1 ||
      EVP_PKEY_fromdata(maker.get(), &made, EVP_PKEY_PUBLIC_KEY, built.get()) != 1)
    return nullptr;
  return {made, EVP_PKEY_free};
}

key_pointer rsa_key(const json& from) {
  const auto modulus = to_number(bytes_of(from, "n"));
  const auto exponent = to_number(bytes_of(from, "e"));
  const builder parts{OSSL_PARAM_BLD_new()};
  if (!modulus || !exponent || !parts) return nullptr;
  const auto bits = BN_num_bits(modulus.get());
  if (bits < rsa_bits_min || bits > rsa_bits_max || BN_num_bits(exponent.get()) > 64 ||
      BN_is_odd(exponent.get()) == 0 || BN_is_one(exponent.get()) == 1)
    return nullptr;
  OSSL_PARAM_BLD_push_BN(parts.get(), OSSL_PKEY_PARAM_RSA_N, modulus.get());
  OSSL_PARAM_BLD_push_BN(parts.get(), OSSL_PKEY_PARAM_RSA_E, exponent.get());
  return make_key("RSA", parts.get());
}

key_pointer curve_key(const json& from) {
  const auto* const found = std::ranges::find(curves, text_of(from, "crv"), &curve::name);
  if (found == curves.end()) return nullptr;
  const auto x = bytes_of(from, "x");
  const auto y = bytes_of(from, "y");
  const builder parts{OSSL_PARAM_BLD_new()};
  if (x.size() != found->bytes || y.size() != found->bytes || !parts) return nullptr;
  const auto point = '\x04' + x + y;
  OSSL_PARAM_BLD_push_utf8_string(parts.get(), OSSL_PKEY_PARAM_GROUP_NAME, found->openssl, 0);
  OSSL_PARAM_BLD_push_octet_string(parts.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                   point.size());
  return make_key("EC", parts.get());
}

key_pointer edwards_key(const json& from) {
  const auto x = bytes_of(from, "x");
  if (text_of(from, "crv") != "Ed25519" || x.size() != 32) return nullptr;
  return {EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes(x), x.size()),
          EVP_PKEY_free};
}

std::optional<public_key> to_key(const json& from) {
  if (!from.is_object()) return std::nullopt;
  if (const auto use = text_of(from, "use"); !use.empty() && use != "sig") return std::nullopt;
  public_key out;
  out.id = text_of(from, "kid");
  if (const auto how = text_of(from, "alg"); !how.empty()) {
    out.only = parse_algorithm(how);
    if (!out.only) return std::nullopt;
  }
  const auto kind = text_of(from, "kty");
  if (kind == "RSA") out.key = rsa_key(from);
  if (kind == "EC") out.key = curve_key(from);
  if (kind == "OKP") out.key = edwards_key(from);
  ERR_clear_error();
  if (!out.key) return std::nullopt;
  return out;
}

bool is_elliptic(token_algorithm how) {
  return how >= token_algorithm::es256 && how <= token_algorithm::es512;
}

const EVP_MD* digest_of(token_algorithm how) {
  switch (how) {
    case token_algorithm::rs256:
    case token_algorithm::ps256:
    case token_algorithm::es256:
      return EVP_sha256();
    case token_algorithm::rs384:
    case token_algorithm::ps384:
    case token_algorithm::es384:
      return EVP_sha384();
    case token_algorithm::rs512:
    case token_algorithm::ps512:
    case token_algorithm::es512:
      return EVP_sha512();
    case token_algorithm::eddsa:
      return nullptr;
  }
  return nullptr;
}

/// Tokens have the two numbers of an elliptic signature side by side, OpenSSL takes them as DER.
std::string to_der(std::string_view both) {
  const auto half = both.size() / 2;
  const owned<ECDSA_SIG, ECDSA_SIG_free> pair{ECDSA_SIG_new()};
  auto r = to_number(both.substr(0, half));
  auto s = to_number(both.substr(half));
  if (!pair || !r || !s || ECDSA_SIG_set0(pair.get(), r.get(), s.get()) != 1) return {};
  static_cast<void>(r.release());
  static_cast<void>(s.release());
  unsigned char* out = nullptr;
  const auto size = i2d_ECDSA_SIG(pair.get(), &out);
  if (size <= 0) return {};
  std::string text{reinterpret_cast<const char*>(out), static_cast<std::size_t>(size)};
  OPENSSL_free(out);
  return text;
}

}  // namespace

std::span<const std::string_view> algorithm_names() noexcept {
  return names;
}

std::optional<token_algorithm> parse_algorithm(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<token_algorithm>(found - names.begin());
}

result<key_set> parse_keys(std::string_view text) {
  const auto read = json::parse(text, nullptr, false);
  const auto found = read.is_object() ? read.find("keys") : read.end();
  if (!read.is_object() || found == read.end() || !found->is_array())
    return fail(ec::corrupt, "the keys are no JWK set");
  key_set out;
  for (const auto& item : *found) {
    if (out.size() >= keys_max) break;
    if (auto key = to_key(item)) out.push_back(std::move(*key));
  }
  if (out.empty()) return fail(ec::corrupt, "the JWK set has no key that can be used");
  return out;
}

bool fits(const public_key& key, token_algorithm how) {
  if (key.only && *key.only != how) return false;
  if (how == token_algorithm::eddsa) return EVP_PKEY_is_a(key.key.get(), "ED25519") == 1;
  if (!is_elliptic(how)) return EVP_PKEY_is_a(key.key.get(), "RSA") == 1;
  const auto* const wanted = std::ranges::find(curves, how, &curve::how);
  std::array<char, 64> group{};
  return EVP_PKEY_is_a(key.key.get(), "EC") == 1 &&
         EVP_PKEY_get_group_name(key.key.get(), group.data(), group.size(), nullptr) == 1 &&
         std::string_view{group.data()} == wanted->openssl;
}

bool has_signed(const public_key& key, token_algorithm how, std::string_view text,
                std::string_view signature) {
  std::string proof{signature};
  if (is_elliptic(how)) {
    if (signature.size() != 2 * std::ranges::find(curves, how, &curve::how)->bytes) return false;
    proof = to_der(signature);
  }
  const digest check{EVP_MD_CTX_new()};
  EVP_PKEY_CTX* options = nullptr;
  if (!check ||
      EVP_DigestVerifyInit(check.get(), &options, digest_of(how), nullptr, key.key.get()) != 1)
    return false;
  if (how >= token_algorithm::ps256 && how <= token_algorithm::ps512 &&
      (EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) != 1 ||
       EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) != 1))
    return false;
  const bool right =
      EVP_DigestVerify(check.get(), bytes(proof), proof.size(), bytes(text), text.size()) == 1;
  // Others on this thread would take what is left for a mistake of theirs.
  ERR_clear_error();
  return right;
}

}  // namespace argosy::access
