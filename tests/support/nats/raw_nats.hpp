// SPDX-License-Identifier: Apache-2.0
// A client of NATS that writes its frames by hand, so that they may be wrong. It proves who it is
// as any other client does.
#pragma once

#include <sys/time.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/access/credentials.hpp"
#include "runtime/access/nkey.hpp"
#include "runtime/access/tokens/base64url.hpp"
#include "tests/support/process/loopback.hpp"

namespace argosy::testing {

class raw_nats {
 public:
  raw_nats(std::uint16_t port, const access::credentials& who)
      : inbox_(access::inbox_prefix(who.who) + ".raw"), socket_(tests::connect_loopback(port)) {
    const timeval limit{10, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    const auto info = line().value_or("");
    const auto told = nlohmann::json::parse(info.substr(info.find('{')), nullptr, false);
    if (!told.is_object()) return;
    const auto signature = access::sign(who.seed, told.value("nonce", "")).value_or("");
    send("CONNECT " +
         nlohmann::json{{"verbose", false},
                        {"headers", true},
                        {"protocol", 1},
                        {"nkey", access::public_key_of(who.seed).value_or("")},
                        {"sig", access::encode_base64url(signature)}}
             .dump() +
         "\r\nSUB " + inbox_ + ".> " + std::string{access::inbox_group} + " 1\r\n");
  }
  raw_nats(const raw_nats&) = delete;
  raw_nats& operator=(const raw_nats&) = delete;
  ~raw_nats() { ::close(socket_); }

  /// Sends a request whose header block is `headers` as it stands; without one if that is empty.
  void publish(const std::string& subject, const std::string& reply, const std::string& headers,
               const std::string& data) {
    const auto sizes = headers.empty() ? std::to_string(data.size())
                                       : std::to_string(headers.size()) + " " +
                                             std::to_string(headers.size() + data.size());
    send((headers.empty() ? "PUB " : "HPUB ") + subject + " " + reply + " " + sizes + "\r\n" +
         headers + data + "\r\n");
  }
  void send(const std::string& bytes) const {
    for (std::size_t sent = 0; sent < bytes.size();) {
      const auto got = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (got <= 0) return;
      sent += static_cast<std::size_t>(got);
    }
  }

  /// An inbox of this client.
  [[nodiscard]] std::string inbox(const std::string& name) const { return inbox_ + "." + name; }

  /// Waits for the answer that comes to the inbox, with its headers; nothing if the server closes
  /// the connection, says that a frame was wrong, or nothing comes for 10 s.
  std::optional<std::string> answer(const std::string& name) { return heard(inbox(name)); }
  /// The same for any subject that this client has subscribed to.
  std::optional<std::string> heard(const std::string& subject) {
    while (auto next = line()) {
      if (next->starts_with("PING")) send("PONG\r\n");
      if (next->starts_with("-ERR") && next->find("Permissions") == std::string::npos)
        return std::nullopt;
      if (!next->starts_with("MSG") && !next->starts_with("HMSG")) continue;
      const auto size = std::stoul(next->substr(next->rfind(' ') + 1));
      auto content = take(size + 2);
      if (next->find(" " + subject + " ") != std::string::npos) return content;
    }
    return std::nullopt;
  }
  /// Whether the server still has this connection, after all that was sent.
  bool alive() { return refusals().has_value(); }
  /// The lines with which the server has refused what was sent since the last call; nothing if it
  /// has closed the connection. Messages that come meanwhile are dropped.
  std::optional<std::vector<std::string>> refusals() {
    send("PING\r\n");
    std::vector<std::string> out;
    while (auto next = line()) {
      if (next->starts_with("PONG")) return out;
      if (next->starts_with("PING")) send("PONG\r\n");
      if (next->starts_with("-ERR")) out.push_back(*next);
      if (next->starts_with("MSG") || next->starts_with("HMSG"))
        static_cast<void>(take(std::stoul(next->substr(next->rfind(' ') + 1)) + 2));
    }
    return std::nullopt;
  }
  /// Whether the server lets this client publish to the subject.
  bool may_publish(const std::string& subject) {
    publish(subject, "", "", "");
    const auto refused = refusals();
    const auto words = "Publish to \"" + subject + "\"";
    return refused && std::ranges::none_of(*refused, [&](const auto& text) {
             return text.find(words) != std::string::npos;
           });
  }

 private:
  std::optional<std::string> line() {
    auto end = read_.find("\r\n");
    for (; end == std::string::npos; end = read_.find("\r\n"))
      if (!more()) return std::nullopt;
    auto out = read_.substr(0, end);
    read_.erase(0, end + 2);
    return out;
  }
  std::optional<std::string> take(std::size_t size) {
    while (read_.size() < size)
      if (!more()) return std::nullopt;
    auto out = read_.substr(0, size);
    read_.erase(0, size);
    return out;
  }
  bool more() {
    char buffer[16'384];
    const auto got = ::recv(socket_, buffer, sizeof buffer, 0);
    if (got > 0) read_.append(buffer, static_cast<std::size_t>(got));
    return got > 0;
  }

  std::string inbox_;
  int socket_;
  std::string read_;
};

}  // namespace argosy::testing
