// SPDX-License-Identifier: Apache-2.0
// Who a caller of the API is, and which permissions he has that hold for every queue.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/access/role.hpp"
#include "runtime/base/result.hpp"

namespace argosy::access {

/// A permission that holds for every queue. The names are those of Armada, of which read_any_logs,
/// report_spans, read_audit, change_settings and view_specifications are ours.
enum class permission : std::uint8_t {
  submit_any_jobs,
  cancel_any_jobs,
  preempt_any_jobs,
  reprioritize_any_jobs,
  watch_all_events,
  create_queue,
  delete_queue,
  cordon_queue,
  update_executor_settings,
  create_retry_policy,
  update_retry_policy,
  delete_retry_policy,
  cordon_nodes,
  execute_jobs,
  read_any_logs,
  report_spans,
  read_audit,
  change_settings,
  view_specifications,
};
inline constexpr std::size_t permission_count = 19;

/// "submit_any_jobs".
[[nodiscard]] std::string_view to_string(permission value) noexcept;
[[nodiscard]] std::optional<permission> parse_permission(std::string_view name) noexcept;

class permission_set {
 public:
  permission_set() = default;
  permission_set(std::initializer_list<permission> list) {
    for (const auto one : list) add(one);
  }
  /// Every permission.
  [[nodiscard]] static permission_set all();
  /// The reverse of bits(); bits without a meaning are dropped.
  [[nodiscard]] static permission_set of_bits(std::uint64_t bits) {
    permission_set out;
    out.bits_ = bits;
    return out;
  }

  void add(permission one) { bits_.set(static_cast<std::size_t>(one)); }
  void remove(permission one) { bits_.reset(static_cast<std::size_t>(one)); }
  void add(const permission_set& others) { bits_ |= others.bits_; }
  [[nodiscard]] bool has(permission one) const { return bits_[static_cast<std::size_t>(one)]; }
  [[nodiscard]] bool has_all() const { return bits_.all(); }
  [[nodiscard]] std::uint64_t bits() const { return bits_.to_ullong(); }

  friend bool operator==(const permission_set&, const permission_set&) = default;

 private:
  std::bitset<permission_count> bits_;
};

/// The permissions of a user of this role. They allow the methods that the nats-server allows.
[[nodiscard]] permission_set granted_to(role value);

/// How a caller showed who he is.
enum class scheme : std::uint8_t {
  anonymous,   ///< He did not.
  basic,       ///< By name and password.
  oidc,        ///< By a token of an OpenID provider.
  kubernetes,  ///< By a token that a cluster of Kubernetes knows.
  nats,        ///< By what the nats-server let him in with.
  local,       ///< He started this server, and calls from its machine.
};
inline constexpr std::size_t scheme_count = 6;

/// "anonymous".
[[nodiscard]] std::string_view to_string(scheme value) noexcept;
[[nodiscard]] std::optional<scheme> parse_scheme(std::string_view name) noexcept;

struct principal {
  /// Empty for a caller of a server that knows no users.
  std::string name{};
  /// Sorted, each once; `everyone` is always among them.
  std::vector<std::string> groups{};
  permission_set permissions{};
  scheme by = scheme::anonymous;
  std::vector<std::string> scopes{};  ///< What his token says that it is for.
  /// The nats-server has handed on his request since his role there allows it, whatever stands
  /// above. Of tenants, and over other transports, nobody but the GATEWAY decides.
  bool role_checked = false;
};

/// Finds out who shows this value of the header `authorization`. Calls back exactly once, on any
/// thread: with ec::denied if what is shown proves nobody.
using proof_check =
    std::function<void(std::string_view shown, std::function<void(result<principal>)> then)>;

/// Every caller is in this group.
inline constexpr std::string_view everyone = "everyone";
/// The name of callers who do not say who they are.
inline constexpr std::string_view anonymous = "anonymous";

/// What is known of a caller by what he presents.
struct attributes {
  std::string name{};
  std::vector<std::string> groups{};
  std::vector<std::string> scopes{};  ///< What a token says it is for.
  std::vector<std::string> claims{};  ///< The names of a token's claims.
  scheme by = scheme::anonymous;
};

/// Who has a permission: whoever has one of these.
struct permission_rule {
  permission what = permission::submit_any_jobs;
  std::vector<std::string> groups{};
  std::vector<std::string> scopes{};
  std::vector<std::string> claims{};
};

/// The principal with the permissions that the rules give.
[[nodiscard]] principal make_principal(attributes who, std::span<const permission_rule> rules);

}  // namespace argosy::access
