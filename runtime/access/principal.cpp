// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/principal.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace argosy::access {

namespace {

constexpr std::array<std::string_view, permission_count> permission_names{
    "submit_any_jobs",       "cancel_any_jobs",     "preempt_any_jobs",
    "reprioritize_any_jobs", "watch_all_events",    "create_queue",
    "delete_queue",          "cordon_queue",        "update_executor_settings",
    "create_retry_policy",   "update_retry_policy", "delete_retry_policy",
    "cordon_nodes",          "execute_jobs",        "read_any_logs",
    "report_spans",          "read_audit",          "change_settings",
    "view_specifications",
};

constexpr std::array<std::string_view, scheme_count> scheme_names{"anonymous",  "basic", "oidc",
                                                                  "kubernetes", "nats",  "local"};

bool share(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::any_of(
      a, [&](const std::string& one) { return std::ranges::find(b, one) != b.end(); });
}

}  // namespace

std::string_view to_string(permission value) noexcept {
  return permission_names[static_cast<std::size_t>(value)];
}

std::optional<permission> parse_permission(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(permission_names, name);
  if (found == permission_names.end()) return std::nullopt;
  return static_cast<permission>(found - permission_names.begin());
}

std::string_view to_string(scheme value) noexcept {
  return scheme_names[static_cast<std::size_t>(value)];
}

std::optional<scheme> parse_scheme(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(scheme_names, name);
  if (found == scheme_names.end()) return std::nullopt;
  return static_cast<scheme>(found - scheme_names.begin());
}

permission_set permission_set::all() {
  permission_set out;
  out.bits_.set();
  return out;
}

permission_set granted_to(role value) {
  using enum permission;
  switch (value) {
    case role::control_plane:
    case role::agent:
    case role::tenant:
      return {};
    case role::viewer:
      return {watch_all_events};
    case role::submitter:
      return {submit_any_jobs,  cancel_any_jobs, preempt_any_jobs, reprioritize_any_jobs,
              watch_all_events, read_any_logs,   report_spans};
    case role::operator_:
    case role::owner:
      return permission_set::all();
  }
  return {};
}

principal make_principal(attributes who, std::span<const permission_rule> rules) {
  principal out;
  out.name = std::move(who.name);
  who.groups.emplace_back(everyone);
  std::ranges::sort(who.groups);
  const auto repeated = std::ranges::unique(who.groups);
  who.groups.erase(repeated.begin(), repeated.end());
  for (const auto& rule : rules)
    if (share(rule.groups, who.groups) || share(rule.scopes, who.scopes) ||
        share(rule.claims, who.claims))
      out.permissions.add(rule.what);
  out.groups = std::move(who.groups);
  out.scopes = std::move(who.scopes);
  out.by = who.by;
  return out;
}

}  // namespace argosy::access
