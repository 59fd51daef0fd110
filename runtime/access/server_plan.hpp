// SPDX-License-Identifier: Apache-2.0
// The plan of a nats-server that serves Argosy: where it listens, and who may join it as what. It
// has public keys only. Pure: a plan is data, and the server's configuration is text made from it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/access/role.hpp"
#include "runtime/base/result.hpp"

namespace argosy::access {

struct member {
  role what = role::submitter;
  std::string name{};  ///< The name of the cluster or user; empty for the control plane.
  std::string public_key{};

  bool operator==(const member&) const = default;
};

[[nodiscard]] identity identity_of(const member& who);

struct server_plan {
  std::string listen = "127.0.0.1:4222";  ///< HOST:PORT.
  std::string url{};                      ///< The URL that others use; with it nats:// or tls://.
  std::string store_dir{};                ///< An absolute path.
  std::string certificate{};              ///< A file (PEM); empty for a link that is not encrypted.
  std::string certificate_key{};
  std::string authority{};  ///< The file by which others check the certificate; may be empty.
  std::string order_key{};  ///< Public, as agents check orders by it; empty: they check none.
  std::uint64_t max_payload = 8u << 20;
  std::vector<member> members{};

  bool operator==(const server_plan&) const = default;
};

/// Adds a member. ec::conflict when there is one of that name, or of a name with the same subjects,
/// ec::invalid_argument for a bad name or key.
[[nodiscard]] result<void> add(server_plan& plan, member who);
/// Removes a member. ec::not_found when there is none.
[[nodiscard]] result<void> remove(server_plan& plan, const identity& who);

/// The one account of all members, JetStream and the log included.
inline constexpr const char* account_name = "ARGOSY";

/// The `accounts` block. A bare `authorization` block beside accounts lets everybody in on
/// nats-server before 2.9.23 (CVE-2023-47090), so there is none.
[[nodiscard]] std::string accounts_block(const std::vector<member>& members);
/// The whole configuration of nats-server.
[[nodiscard]] std::string server_conf(const server_plan& plan);

/// The plan as lines of text, which parse_plan() reads: "KEY VALUE", and "member IDENTITY ROLE
/// PUBLIC-KEY".
[[nodiscard]] std::string print_plan(const server_plan& plan);
/// ec::invalid_argument names the line.
[[nodiscard]] result<server_plan> parse_plan(std::string_view text);

}  // namespace argosy::access
