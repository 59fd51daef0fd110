// SPDX-License-Identifier: Apache-2.0
// Servers of this process on loopback that programs under test ask about tokens: an OpenID
// provider, and the API of a cluster of Kubernetes.
#pragma once

#include <httplib.h>

#include <atomic>
#include <ctime>
#include <memory>
#include <string>
#include <thread>

#include "tests/support/tokens/token_signer.hpp"

namespace argosy::testing {

/// An HTTP server on a free port; with the files of a certificate and its key an HTTPS server.
class local_http {
 public:
  local_http() : server_(std::make_unique<httplib::Server>()) {}
  local_http(const std::string& certificate, const std::string& key)
      : server_(std::make_unique<httplib::SSLServer>(certificate.c_str(), key.c_str())),
        scheme_("https") {}
  ~local_http() {
    server_->stop();
    if (thread_.joinable()) thread_.join();
  }
  local_http(const local_http&) = delete;
  local_http& operator=(const local_http&) = delete;

  /// Add pages before start().
  [[nodiscard]] httplib::Server& pages() { return *server_; }
  void start() {
    port_ = server_->bind_to_any_port("127.0.0.1");
    thread_ = std::thread{[this] { server_->listen_after_bind(); }};
    // A server that does not listen yet cannot be stopped.
    while (!server_->is_running()) std::this_thread::yield();
  }
  [[nodiscard]] std::string url() const {
    return scheme_ + "://127.0.0.1:" + std::to_string(port_);
  }

 private:
  std::unique_ptr<httplib::Server> server_;
  std::string scheme_ = "http";
  int port_ = 0;
  std::thread thread_;
};

/// An OpenID provider with one key, where the client `argosy` may log users in by the device flow.
class http_issuer {
 public:
  http_issuer() {
    http_.pages().Get("/.well-known/openid-configuration", [this](const auto&, auto& to) {
      to.set_content(nlohmann::json{{"issuer", http_.url()},
                                    {"jwks_uri", http_.url() + "/keys"},
                                    {"device_authorization_endpoint", http_.url() + "/device"},
                                    {"token_endpoint", http_.url() + "/token"}}
                         .dump(),
                     "application/json");
    });
    http_.pages().Post("/device", [this](const auto&, auto& to) {
      to.set_content(nlohmann::json{{"device_code", "device-secret"},
                                    {"user_code", "WDJB-MJHT"},
                                    {"verification_uri", http_.url() + "/go"},
                                    {"expires_in", 60},
                                    {"interval", 1}}
                         .dump(),
                     "application/json");
    });
    http_.pages().Post("/token", [this](const auto& from, auto& to) { give_token(from, to); });
    http_.pages().Get("/keys", [this](const auto&, auto& to) {
      ++fetches;
      to.set_content(signer.key_set(), "application/json");
    });
    http_.start();
  }

  [[nodiscard]] std::string url() const { return http_.url(); }
  /// The claims of a token of this provider for this user, meant for `argosy`, good for an hour.
  [[nodiscard]] nlohmann::json claims(const std::string& user) const {
    return {{"iss", url()}, {"aud", "argosy"}, {"sub", user}, {"exp", std::time(nullptr) + 3'600}};
  }

  token_signer signer{};
  std::atomic<int> fetches = 0;
  /// What the user answers in his browser: who he is; "" as long as he has not, "no" if he refuses.
  std::string browser_says{};
  std::atomic<int> token_lasts = 3'600;  ///< In seconds.
  std::atomic<int> renewals = 0;

 private:
  void give_token(const httplib::Request& from, httplib::Response& to) {
    const auto refuse = [&to](const char* why) {
      to.status = 400;
      to.set_content(nlohmann::json{{"error", why}}.dump(), "application/json");
    };
    if (from.get_param_value("client_id") != "argosy") return refuse("invalid_client");
    const bool again = from.get_param_value("grant_type") == "refresh_token";
    if (again && from.get_param_value("refresh_token") != "refresh-secret")
      return refuse("invalid_grant");
    if (!again && from.get_param_value("device_code") != "device-secret")
      return refuse("invalid_grant");
    if (browser_says.empty()) return refuse("authorization_pending");
    if (browser_says == "no") return refuse("access_denied");
    renewals += again ? 1 : 0;
    auto told = claims(browser_says);
    told["exp"] = std::time(nullptr) + token_lasts;
    to.set_content(
        nlohmann::json{{"access_token", signer.token(told)}, {"refresh_token", "refresh-secret"}}
            .dump(),
        "application/json");
  }

  local_http http_;
};

/// The API of a cluster that knows one token.
class http_reviewer {
 public:
  http_reviewer(std::string token, std::string user)
      : token_(std::move(token)), user_(std::move(user)) {
    http_.pages().Post(
        "/apis/authentication.k8s.io/v1/tokenreviews",
        [this](const httplib::Request& from, httplib::Response& to) {
          ++reviews;
          const auto asked = nlohmann::json::parse(from.body, nullptr, false);
          const bool good = from.get_header_value("Authorization") == "Bearer " + token_ &&
                            asked.is_object() && asked["spec"]["token"] == token_;
          to.status = good ? 201 : 401;
          if (good)
            to.set_content(
                nlohmann::json{
                    {"status", {{"authenticated", true}, {"user", {{"username", user_}}}}}}
                    .dump(),
                "application/json");
        });
    http_.start();
  }
  [[nodiscard]] std::string url() const { return http_.url(); }

  std::atomic<int> reviews = 0;

 private:
  std::string token_;
  std::string user_;
  local_http http_;
};

}  // namespace argosy::testing
