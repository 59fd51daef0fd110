// SPDX-License-Identifier: Apache-2.0
// The plan of a nats-server that serves Argosy: where it listens, and who may join it as what. It
// has public keys only. Pure: a plan is data, and the server's configuration is text made from it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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

[[nodiscard]] inline identity identity_of(const member& who) {
  return {party_of(who.what), who.name};
}

struct server_plan {
  std::string listen = "127.0.0.1:4222";  ///< HOST:PORT.
  std::string url{};                      ///< The URL that others use; with it nats:// or tls://.
  std::string store_dir{};                ///< An absolute path.
  /// Where nats-server keeps the number of its process. It does not start if it cannot write there,
  /// so that this is empty where no such file was planned from the beginning.
  std::string pid_file{};
  std::string certificate{};  ///< A file (PEM); empty for a link that is not encrypted.
  std::string certificate_key{};
  std::string authority{};  ///< The file by which others check the certificate; may be empty.
  std::string grpc{};       ///< The URL at which argosyd serves gRPC; empty: it does not.
  /// The names or addresses of three machines, separated by commas, each of which has a nats-server
  /// of one cluster and an argosyd; empty: there is one nats-server.
  std::string machines{};
  std::string order_key{};  ///< Public, as agents check orders by it; empty: they check none.
  std::uint64_t max_payload = 8u << 20;
  std::vector<member> members{};
  /// The lines of comments in the file of the plan, by what they stand before, as "listen" or
  /// "member user/ann"; what stands at the end is that of "~".
  std::map<std::string, std::string> comments{};

  bool operator==(const server_plan&) const = default;
};

/// The command that has a nats-server of this plan read its configuration again, as a clause.
[[nodiscard]] inline std::string reload_words(const server_plan& plan) {
  if (!plan.machines.empty())
    return "nats-server --signal reload=PID on each machine, where PID is the number of its "
           "nats-server";
  return "nats-server --signal reload=" +
         (plan.pid_file.empty() ? "PID, where PID is the number of its process" : plan.pid_file);
}

/// Adds a member. ec::conflict when there is one of that name, or of a name with the same subjects,
/// ec::invalid_argument for a bad name or key.
[[nodiscard]] result<void> add(server_plan& plan, member who);
/// Gives a member that is there this public key instead of his. ec::not_found when there is none.
[[nodiscard]] result<void> replace_key(server_plan& plan, const identity& who, std::string key);
/// Removes a member. ec::not_found when there is none.
[[nodiscard]] result<void> remove(server_plan& plan, const identity& who);

/// The one account of all members, JetStream and the log included.
inline constexpr const char* account_name = "ARGOSY";

/// The `accounts` block. A bare `authorization` block beside accounts lets everybody in on
/// nats-server before 2.9.23 (CVE-2023-47090), so there is none.
[[nodiscard]] std::string accounts_block(const std::vector<member>& members);
/// What the control plane alone may publish to under rights that these very rules give, whoever the
/// members are. Nobody hears it: a nats-server that refuses it gives other rights.
[[nodiscard]] std::string mark_of_rules();
/// The same for the rights, and the keys, of these members and no others.
[[nodiscard]] std::string mark_of_members(const std::vector<member>& members);
/// Whether a subject is one of these.
[[nodiscard]] bool is_mark(std::string_view subject);
/// The file beside the configuration that has the accounts, which the configuration includes. It is
/// written anew with each change of the members, and the configuration is not.
inline constexpr const char* accounts_file = "accounts.conf";
/// The content of accounts_file.
[[nodiscard]] std::string accounts_conf(const server_plan& plan);

/// The machines of the plan; none if there is one nats-server.
[[nodiscard]] std::vector<std::string> machines_of(const server_plan& plan);
/// The name of the file with the configuration of this machine's nats-server, or of the only one.
[[nodiscard]] std::string conf_file_of(const std::string& machine = {});
/// Whether the machines are addresses of one machine, 127.0.0.1 and others, on which three are
/// tried.
[[nodiscard]] bool on_one_machine(const server_plan& plan);
/// The configuration of this machine's nats-server, or of the only one, without the accounts.
[[nodiscard]] std::string server_conf(const server_plan& plan, const std::string& machine = {});
/// The configuration of an older version, which has the accounts itself, with the file of the
/// accounts in their place and with what a server that runs takes of the bounds. All else in it
/// stays. Nothing if it has no accounts as `argosyd init` wrote them.
[[nodiscard]] std::optional<std::string> divided_conf(std::string_view conf);
/// Whether this configuration includes accounts_file. Those that were written before it did not.
[[nodiscard]] bool includes_accounts(std::string_view conf);
/// What is wrong with the files that a nats-server of this plan runs from, as a clause that
/// "nats-server.conf" or accounts_file begins; nothing if they give the rights that the plan says.
/// `accounts` is the text of accounts_file, or empty if there is none.
[[nodiscard]] std::optional<std::string> conf_fault(const server_plan& plan, std::string_view conf,
                                                    std::string_view accounts);

/// The plan as lines of text, which parse_plan() reads: "KEY VALUE", and "member IDENTITY ROLE
/// PUBLIC-KEY". Comments stand before the line before which they stood, or at the end if that is
/// gone.
[[nodiscard]] std::string print_plan(const server_plan& plan);
/// ec::invalid_argument names the line.
[[nodiscard]] result<server_plan> parse_plan(std::string_view text);

}  // namespace argosy::access
