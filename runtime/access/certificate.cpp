// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/certificate.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

namespace argosy::access {

namespace {

struct openssl_release {
  void operator()(BIO* what) const { BIO_free(what); }
  void operator()(X509* what) const { X509_free(what); }
  void operator()(EVP_PKEY* what) const { EVP_PKEY_free(what); }
};
using memory_ptr = std::unique_ptr<BIO, openssl_release>;
using certificate_ptr = std::unique_ptr<X509, openssl_release>;
using key_ptr = std::unique_ptr<EVP_PKEY, openssl_release>;

failure bad_file(const std::string& file, const std::string& why) {
  return fail(ec::invalid_argument, "'" + file + "' " + why);
}

result<std::string> pem_text_of(const std::string& file) {
  struct stat about {};
  if (::stat(file.c_str(), &about) != 0)
    return bad_file(file, std::string{"cannot be read: "} + std::strerror(errno));
  if (!S_ISREG(about.st_mode)) return bad_file(file, "is no file");
  std::ifstream in{file, std::ios::binary};
  std::string out{std::istreambuf_iterator<char>{in}, {}};
  if (!in) return bad_file(file, std::string{"cannot be read: "} + std::strerror(errno));
  return out;
}

memory_ptr memory_of(const std::string& text) {
  return memory_ptr{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
}

/// Nobody is asked for a passphrase: without this the library would ask on the terminal.
int no_passphrase(char*, int, int, void*) {
  return 0;
}

result<certificate_ptr> read_certificate(const std::string& file) {
  const auto text = pem_text_of(file);
  if (!text) return fail(text.error());
  const auto memory = memory_of(*text);
  certificate_ptr out{PEM_read_bio_X509(memory.get(), nullptr, &no_passphrase, nullptr)};
  ERR_clear_error();
  if (!out)
    return bad_file(file,
                    "has no certificate (PEM), which begins with '-----BEGIN CERTIFICATE-----'");
  return out;
}

result<key_ptr> read_key(const std::string& file) {
  const auto text = pem_text_of(file);
  if (!text) return fail(text.error());
  struct stat about {};
  if (::stat(file.c_str(), &about) == 0 && (about.st_mode & (S_IROTH | S_IWOTH)) != 0)
    return fail(ec::denied, "'" + file +
                                "' is a secret that every user of this machine can read; say: "
                                "chmod 600 " +
                                file);
  const auto memory = memory_of(*text);
  key_ptr out{PEM_read_bio_PrivateKey(memory.get(), nullptr, &no_passphrase, nullptr)};
  ERR_clear_error();
  if (out) return out;
  if (text->find("ENCRYPTED") != std::string::npos)
    return bad_file(file,
                    "is protected by a passphrase, for which nobody is asked here; write a key "
                    "without one: openssl pkey -in " +
                        file + " -out NEW-FILE");
  return bad_file(file, "has no private key (PEM)");
}

}  // namespace

result<void> check_client_certificate(const std::string& certificate, const std::string& key) {
  if (certificate.empty() && key.empty()) return {};
  if (key.empty())
    return bad_file(certificate,
                    "is a certificate, which needs the file of its private key as well");
  if (certificate.empty())
    return bad_file(key, "is a private key, which needs the file of its certificate as well");
  const auto shown = read_certificate(certificate);
  if (!shown) return fail(shown.error());
  const auto secret = read_key(key);
  if (!secret) return fail(secret.error());
  const bool belongs = X509_check_private_key(shown->get(), secret->get()) == 1;
  ERR_clear_error();
  if (!belongs)
    return bad_file(key, "is not the private key of the certificate in '" + certificate +
                             "'; name the two files that were made together");
  if (X509_cmp_current_time(X509_get0_notAfter(shown->get())) < 0)
    return bad_file(certificate, "has expired; ask whoever signed it for a new one");
  return {};
}

result<void> check_authorities(const std::string& file) {
  if (file.empty()) return {};
  const auto read = read_certificate(file);
  return read ? result<void>{} : fail(read.error());
}

result<void> check_regular_file(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0 || S_ISREG(about.st_mode)) return {};
  const bool folder = S_ISDIR(about.st_mode);
  return bad_file(path, std::string{"is a "} +
                            (folder                    ? "folder"
                             : S_ISFIFO(about.st_mode) ? "pipe"
                                                       : "device") +
                            "; name a file");
}

result<std::int64_t> end_of_certificates(const std::string& file, certificate_role role) {
  const auto text = pem_text_of(file);
  if (!text) return fail(text.error());
  const auto memory = memory_of(*text);
  std::optional<std::int64_t> out;
  while (const certificate_ptr one{
      PEM_read_bio_X509(memory.get(), nullptr, &no_passphrase, nullptr)}) {
    std::tm parts{};
    if (ASN1_TIME_to_tm(X509_get0_notAfter(one.get()), &parts) != 1) continue;
    const std::int64_t end = ::timegm(&parts);
    if (!out)
      out = end;
    else
      out = role == certificate_role::shown ? std::min(*out, end) : std::max(*out, end);
  }
  ERR_clear_error();
  if (out) return *out;
  return bad_file(file,
                  "has no certificate (PEM), which begins with '-----BEGIN CERTIFICATE-----'");
}

}  // namespace argosy::access
