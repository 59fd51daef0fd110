// SPDX-License-Identifier: Apache-2.0
// Goal: of what a server shows, that which ends first is told, and of the authorities in a file the
// one that is in use. Method: certificates made in memory, and a thread that greets as a
// nats-server does, or not at all, and shakes hands once.
#include "bins/shared/tls_probe.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bins/shared/machine_watch.hpp"
#include "runtime/access/certificate.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/store/in_memory.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t day_seconds = 86'400;

struct ssl_free {
  void operator()(X509* what) const { X509_free(what); }
  void operator()(EVP_PKEY* what) const { EVP_PKEY_free(what); }
  void operator()(SSL_CTX* what) const { SSL_CTX_free(what); }
  void operator()(SSL* what) const { SSL_free(what); }
  void operator()(X509_EXTENSION* what) const { X509_EXTENSION_free(what); }
};
template <class T>
using owned = std::unique_ptr<T, ssl_free>;

/// A certificate with its key.
struct identity {
  owned<EVP_PKEY> key{EVP_EC_gen("P-256")};
  owned<X509> certificate{X509_new()};

  [[nodiscard]] std::int64_t end() const {
    std::tm parts{};
    ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &parts);
    return ::timegm(&parts);
  }
};

void extend(X509* to, int which, const char* value) {
  const owned<X509_EXTENSION> one{X509V3_EXT_conf_nid(nullptr, nullptr, which, value)};
  X509_add_ext(to, one.get(), -1);
}

/// `signer` is null for an authority that signs itself.
identity make(const char* name, int days, const identity* signer, bool authority) {
  static long number = 0;
  identity out;
  auto* const to = out.certificate.get();
  X509_set_version(to, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(to), ++number);
  X509_gmtime_adj(X509_getm_notBefore(to), -2 * day_seconds);
  X509_gmtime_adj(X509_getm_notAfter(to), days * day_seconds);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(to), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
  const auto& by = signer == nullptr ? out : *signer;
  X509_set_issuer_name(to, X509_get_subject_name(by.certificate.get()));
  X509_set_pubkey(to, out.key.get());
  if (authority)
    extend(to, NID_basic_constraints, "critical,CA:TRUE");
  else
    extend(to, NID_subject_alt_name, "IP:127.0.0.1");
  X509_sign(to, by.key.get(), EVP_sha256());
  return out;
}

/// Greets one caller as a nats-server does, or not at all, and shows the certificates.
class greeter {
 public:
  greeter(const identity& own, const std::vector<const identity*>& more,
          greeting how = greeting::of_nats)
      : how_(how), context_(SSL_CTX_new(TLS_server_method())) {
    SSL_CTX_use_certificate(context_.get(), own.certificate.get());
    SSL_CTX_use_PrivateKey(context_.get(), own.key.get());
    for (const auto* one : more) SSL_CTX_add1_chain_cert(context_.get(), one->certificate.get());
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const address = reinterpret_cast<sockaddr*>(&where);
    socklen_t size = sizeof where;
    if (::bind(listener_.get(), address, size) != 0 || ::listen(listener_.get(), 1) != 0 ||
        ::getsockname(listener_.get(), address, &size) != 0)
      std::abort();
    port_ = ntohs(where.sin_port);
    thread_ = std::thread{[this] { serve(); }};
  }
  ~greeter() { thread_.join(); }
  greeter(const greeter&) = delete;
  greeter& operator=(const greeter&) = delete;

  [[nodiscard]] server_address address() const { return {"127.0.0.1", std::to_string(port_)}; }

 private:
  void serve() {
    const backends::unique_fd peer{::accept(listener_.get(), nullptr, nullptr)};
    constexpr std::string_view words = "INFO {\"tls_required\":true}\r\n";
    if (how_ == greeting::of_nats && ::write(peer.get(), words.data(), words.size()) < 0) return;
    const owned<SSL> session{SSL_new(context_.get())};
    SSL_set_fd(session.get(), peer.get());
    if (SSL_accept(session.get()) == 1) SSL_shutdown(session.get());
  }

  const greeting how_;
  owned<SSL_CTX> context_;
  backends::unique_fd listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::uint16_t port_ = 0;
  std::thread thread_;
};

class shown_certificates : public ::testing::Test {
 protected:
  /// Whoever asks goes away while the server may still write.
  static void SetUpTestSuite() { std::signal(SIGPIPE, SIG_IGN); }

  std::string file_of(const std::vector<const identity*>& all) {
    const auto path = (temp.path() / "authorities.pem").string();
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out{std::fopen(path.c_str(), "we"),
                                                              &std::fclose};
    for (const auto* one : all) PEM_write_X509(out.get(), one->certificate.get());
    return path;
  }
  shown_certificate look(const identity& own, const std::vector<const identity*>& more,
                         const std::vector<const identity*>& authorities) {
    const greeter server{own, more};
    const auto found =
        look_at_certificate(server.address(), {file_of(authorities), {}, {}}, 10'000ms);
    EXPECT_TRUE(found) << found.error().detail;
    return found.value_or(shown_certificate{});
  }

  testing::temp_folder temp;
  const identity root = make("root", 900, nullptr, true);
  const identity unused = make("unused", 3'000, nullptr, true);
};

TEST_F(shown_certificates, end_with_the_first_between_the_servers_own_and_its_authority) {
  const auto between = make("between", 3, &root, true);
  const auto own = make("server", 365, &between, false);
  const auto found = look(own, {&between}, {&root});
  EXPECT_EQ(found.fault, "");
  EXPECT_EQ(found.end, between.end());
  EXPECT_EQ(found.authority_end, root.end());
}

TEST_F(shown_certificates, name_the_end_of_the_authority_in_use) {
  const auto ending = make("ending", 4, nullptr, true);
  const auto own = make("server", 365, &ending, false);
  const auto found = look(own, {}, {&unused, &ending});
  EXPECT_EQ(found.fault, "");
  EXPECT_EQ(found.end, own.end());
  EXPECT_EQ(found.authority_end, ending.end());
}

/// As the API server of a Kubernetes cluster or the issuer of tokens shows its own.
TEST_F(shown_certificates, of_servers_that_do_not_greet_name_the_authority_in_use_too) {
  const auto ending = make("ending", 4, nullptr, true);
  const auto own = make("server", 365, &ending, false);
  const greeter server{own, {}, greeting::none};
  const auto file = file_of({&unused, &ending});
  EXPECT_EQ(access::end_of_certificates(file, access::certificate_role::authorities).value(),
            unused.end());
  machine_watch_config config;
  config.database = std::make_shared<store::memory_database>();
  config.probes = metrics::make_board();
  config.certificates = {{"the authorities of OIDC", file, access::certificate_role::authorities,
                          "https://" + server.address().text() + "/realms/x"}};
  const machine_watch watch{std::move(config)};
  health::concerns told;
  while ((told = watch.concerns()).empty()) std::this_thread::sleep_for(10ms);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].text.find("the certificate of the authorities of OIDC (" + file + ") ends in "),
            std::string::npos)
      << told[0].text;
}

TEST_F(shown_certificates, are_not_ended_by_what_no_way_to_the_authority_needs) {
  const auto ended = make("ended", -1, nullptr, true);
  const auto own = make("server", 365, &root, false);
  const auto found = look(own, {&ended}, {&root, &unused});
  EXPECT_EQ(found.fault, "");
  EXPECT_EQ(found.end, own.end());
  EXPECT_EQ(found.authority_end, root.end());
}

TEST_F(shown_certificates, that_nobody_trusts_any_more_tell_which_authority_has_ended) {
  const auto ended = make("ended", -1, nullptr, true);
  const auto own = make("server", 365, &ended, false);
  const auto found = look(own, {}, {&unused, &ended});
  EXPECT_NE(found.fault, "");
  EXPECT_EQ(found.end, own.end());
  EXPECT_EQ(found.authority_end, ended.end());
}

TEST_F(shown_certificates, that_have_ended_themselves_are_told_with_their_end) {
  const auto between = make("between", -1, &root, true);
  const auto own = make("server", 365, &between, false);
  const auto found = look(own, {&between}, {&root});
  EXPECT_NE(found.fault, "");
  EXPECT_EQ(found.end, between.end());
  EXPECT_EQ(found.authority_end, root.end());
}

TEST_F(shown_certificates, are_asked_for_without_files_that_are_pipes) {
  const auto pipe = (temp.path() / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto refused = access::check_regular_file(pipe);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().detail, "'" + pipe + "' is a pipe; name a file");
  const auto own = make("server", 365, &root, false);
  const greeter server{own, {}};
  EXPECT_FALSE(look_at_certificate(server.address(), {pipe, {}, {}}, 10'000ms));
}

}  // namespace
}  // namespace argosy
