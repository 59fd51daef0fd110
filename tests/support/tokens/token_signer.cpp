// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tokens/token_signer.hpp"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <array>
#include <cstdlib>
#include <vector>

#include "runtime/access/tokens/base64url.hpp"

namespace argosy::testing {

namespace {

using access::encode_base64url;
using nlohmann::json;

void demand(bool good) {
  if (!good) std::abort();
}

const unsigned char* bytes(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string to_text(const std::vector<unsigned char>& from) {
  return {from.begin(), from.end()};
}

/// A number of the key, with at least so many bytes.
std::string number_of(const EVP_PKEY* key, const char* name, int size) {
  BIGNUM* number = nullptr;
  demand(EVP_PKEY_get_bn_param(key, name, &number) == 1);
  std::vector<unsigned char> out(static_cast<std::size_t>(std::max(size, BN_num_bytes(number))));
  BN_bn2binpad(number, out.data(), static_cast<int>(out.size()));
  BN_free(number);
  return encode_base64url(to_text(out));
}

std::string text_to_sign(const json& header, const json& claims) {
  return encode_base64url(header.dump()) + "." + encode_base64url(claims.dump());
}

/// The two numbers side by side.
std::string side_by_side(const std::string& der) {
  const auto* at = bytes(der);
  auto* const pair = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()));
  demand(pair != nullptr);
  std::vector<unsigned char> out(64);
  BN_bn2binpad(ECDSA_SIG_get0_r(pair), out.data(), 32);
  BN_bn2binpad(ECDSA_SIG_get0_s(pair), out.data() + 32, 32);
  ECDSA_SIG_free(pair);
  return to_text(out);
}

}  // namespace

token_signer::token_signer(kind what, std::string key_id)
    : what_(what), key_id_(std::move(key_id)) {
  EVP_PKEY* made = nullptr;
  if (what == kind::rsa) made = EVP_RSA_gen(2'048);
  if (what == kind::elliptic) made = EVP_EC_gen("P-256");
  if (what == kind::edwards) made = EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
  demand(made != nullptr);
  key_ = {made, EVP_PKEY_free};
}

json token_signer::public_key() const {
  json out{{"kid", key_id_}, {"use", "sig"}, {"alg", algorithm()}};
  if (what_ == kind::rsa) {
    out["kty"] = "RSA";
    out["n"] = number_of(key_.get(), OSSL_PKEY_PARAM_RSA_N, 0);
    out["e"] = number_of(key_.get(), OSSL_PKEY_PARAM_RSA_E, 0);
  } else if (what_ == kind::elliptic) {
    out["kty"] = "EC";
    out["crv"] = "P-256";
    out["x"] = number_of(key_.get(), OSSL_PKEY_PARAM_EC_PUB_X, 32);
    out["y"] = number_of(key_.get(), OSSL_PKEY_PARAM_EC_PUB_Y, 32);
  } else {
    std::vector<unsigned char> raw(32);
    auto size = raw.size();
    demand(EVP_PKEY_get_raw_public_key(key_.get(), raw.data(), &size) == 1);
    out["kty"] = "OKP";
    out["crv"] = "Ed25519";
    out["x"] = encode_base64url(to_text(raw));
  }
  return out;
}

std::string token_signer::key_set() const {
  return json{{"keys", json::array({public_key()})}}.dump();
}

std::string token_signer::algorithm() const {
  if (what_ == kind::rsa) return "RS256";
  return what_ == kind::elliptic ? "ES256" : "EdDSA";
}

std::string token_signer::token(const json& claims) const {
  return token({{"alg", algorithm()}, {"kid", key_id_}, {"typ", "JWT"}}, claims);
}

std::string token_signer::token(const json& header, const json& claims) const {
  const auto text = text_to_sign(header, claims);
  const auto found = header.find("alg");
  const auto how = found != header.end() && found->is_string() ? found->get<std::string>() : "";
  return text + "." + encode_base64url(sign(text, how));
}

std::string token_signer::pem() const {
  auto* const out = BIO_new(BIO_s_mem());
  demand(PEM_write_bio_PUBKEY(out, key_.get()) == 1);
  char* data = nullptr;
  const auto size = BIO_get_mem_data(out, &data);
  std::string text{data, static_cast<std::size_t>(size)};
  BIO_free(out);
  return text;
}

std::string token_signer::sign(const std::string& text, const std::string& how) const {
  auto* const context = EVP_MD_CTX_new();
  EVP_PKEY_CTX* options = nullptr;
  const auto* digest = what_ == kind::edwards ? nullptr : EVP_sha256();
  if (what_ == kind::rsa && how.ends_with("384")) digest = EVP_sha384();
  if (what_ == kind::rsa && how.ends_with("512")) digest = EVP_sha512();
  demand(EVP_DigestSignInit(context, &options, digest, nullptr, key_.get()) == 1);
  if (what_ == kind::rsa && how.starts_with("PS")) {
    EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING);
    EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST);
  }
  std::size_t size = 0;
  demand(EVP_DigestSign(context, nullptr, &size, bytes(text), text.size()) == 1);
  std::vector<unsigned char> out(size);
  demand(EVP_DigestSign(context, out.data(), &size, bytes(text), text.size()) == 1);
  EVP_MD_CTX_free(context);
  out.resize(size);
  return what_ == kind::elliptic ? side_by_side(to_text(out)) : to_text(out);
}

std::string mac_token(const json& header, const json& claims, const std::string& secret) {
  const auto text = text_to_sign(header, claims);
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), bytes(text), text.size(),
       out.data(), &size);
  return text + "." + encode_base64url({reinterpret_cast<const char*>(out.data()), size});
}

std::string unsigned_token(const json& header, const json& claims) {
  return text_to_sign(header, claims) + ".";
}

}  // namespace argosy::testing
