// SPDX-License-Identifier: Apache-2.0
// Goal: clients find the server's certificate in order, and hear which services there are only if
// they are known. Method: a server with a certificate of an authority of the test; one that tells
// what it was asked.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/nats/authority.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/rpc/server_fixture.hpp"

namespace argosy::rpc {

namespace {

using ::grpc::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* ask_path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
constexpr const char* old_ask_path =
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

class trusted_server : public rpc_server {
 protected:
  trusted_server() {
    config.certificate = authority.certificate();
    config.key = authority.key();
  }
  /// Whether a client that trusts this authority gets an answer.
  bool trusts(const std::string& roots) {
    std::ifstream file{roots};
    std::stringstream text;
    text << file.rdbuf();
    ::grpc::SslCredentialsOptions options;
    options.pem_root_certs = text.str();
    channel = ::grpc::CreateChannel(running->address(), ::grpc::SslCredentials(options));
    return status_of(call_path).ok();
  }
  result<std::unique_ptr<server>> refused() { return server::start(config); }

  testing::authority authority{"IP:127.0.0.1"};
};

TEST_F(trusted_server, is_believed_by_its_certificate) {
  echo();
  start();
  EXPECT_THAT(running->url(), HasSubstr("grpcs://127.0.0.1:"));
  EXPECT_TRUE(trusts(authority.ca_file()));
  const testing::authority another{"IP:127.0.0.1"};
  EXPECT_FALSE(trusts(another.ca_file()));
}

TEST_F(trusted_server, does_not_speak_with_clients_that_do_not_encrypt) {
  echo();
  start();
  EXPECT_EQ(status_of(call_path).error_code(), StatusCode::UNAVAILABLE);
  EXPECT_EQ(requests, 0);
}

TEST_F(trusted_server, does_not_start_with_what_it_cannot_use) {
  const testing::authority another{"IP:127.0.0.1"};
  config.key = another.key();
  EXPECT_THAT(refused().error().detail, HasSubstr("cannot be used with the certificate"));
  config.key = authority.key();
  config.certificate = config.key;
  EXPECT_THAT(refused().error().detail, HasSubstr("it has to be PEM"));
  config.certificate += ".missing";
  EXPECT_EQ(refused().error().code, ec::invalid_argument);
}

TEST_F(trusted_server, takes_a_renewed_certificate_without_a_restart) {
  const testing::temp_folder folder;
  const auto put = [&](const std::string& certificate, const std::string& key) {
    // The key first: a pair that does not fit is never used.
    for (const auto& [from, to] : {std::pair{key, config.key}, {certificate, config.certificate}})
      std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing);
  };
  config.certificate = (folder.path() / "server.pem").string();
  config.key = (folder.path() / "server.key").string();
  put(authority.certificate(), authority.key());
  echo();
  start();
  EXPECT_TRUE(trusts(authority.ca_file()));
  const testing::authority renewed{"IP:127.0.0.1"};
  put(renewed.certificate(), renewed.key());
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (!trusts(renewed.ca_file()) && std::chrono::steady_clock::now() < limit) continue;
  EXPECT_TRUE(trusts(renewed.ca_file()));
}

class telling_server : public rpc_server {
 protected:
  telling_server() {
    config.reflect = [](std::string_view question) { return "about " + std::string{question}; };
  }
};

TEST_F(telling_server, answers_under_both_names) {
  start();
  for (const auto* path : {ask_path, old_ask_path}) {
    testing::rpc_call call{channel, path, "services"};
    EXPECT_THAT(call.rest(), ElementsAre("about services"));
    EXPECT_TRUE(call.status().ok());
  }
}

TEST_F(telling_server, tells_whoever_is_known_and_nobody_else) {
  start();
  EXPECT_TRUE(status_of(ask_path).ok());
  running.reset();
  config.admit = [](const caller&, const auto& then) {
    then({admission::kind::unknown, "who are you?", {}});
  };
  start();
  EXPECT_EQ(status_of(ask_path).error_code(), StatusCode::UNAUTHENTICATED);
}

TEST_F(rpc_server, that_has_nothing_to_tell_has_no_reflection) {
  start();
  EXPECT_EQ(status_of(ask_path).error_code(), StatusCode::UNIMPLEMENTED);
}

}  // namespace

}  // namespace argosy::rpc
