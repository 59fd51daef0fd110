// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/role.hpp"

#include <array>

#include "runtime/access/methods.hpp"
#include "runtime/access/question.hpp"

namespace argosy::access {

namespace {

constexpr std::array<std::string_view, 7> names{"argosyd",   "agent",    "viewer", "tenant",
                                                "submitter", "operator", "owner"};

/// The list has nothing that deletes, purges or restores a stream, or deletes a message of one. To
/// change the limits of a stream empties old generations of the log, and a thief of the control
/// plane's key could empty all of them by it.
constexpr std::array<std::string_view, 14> log_subjects{
    "argosy.log.>",
    "$JS.API.INFO",
    "$JS.API.STREAM.CREATE.*",
    "$JS.API.STREAM.UPDATE.*",
    "$JS.API.STREAM.INFO.*",
    "$JS.API.STREAM.LEADER.STEPDOWN.*",
    "$JS.API.STREAM.NAMES",
    "$JS.API.STREAM.LIST",
    "$JS.API.STREAM.MSG.GET.*",
    "$JS.API.CONSUMER.CREATE.>",
    "$JS.API.CONSUMER.DURABLE.CREATE.*.*",
    "$JS.API.CONSUMER.DELETE.*.*",
    "$JS.API.CONSUMER.INFO.*.*",
    "$JS.API.CONSUMER.MSG.NEXT.*.*",
};

/// The least role whose users may call the method. Two do nothing, and tell a caller his role.
role role_for(const method_row& method) {
  if (method.name == "Access.AsSubmitter") return role::submitter;
  if (method.name == "Access.AsOperator") return role::operator_;
  return least_role({method.what, {}});
}

/// Adds what users of this role may call, and those of lesser ones may not.
void add_methods(permissions& out, const std::string& user, role least) {
  for (const auto& method : method_rows()) {
    const auto dot = method.name.find('.') + 1;
    const bool is_service = dot == method.name.size();
    const bool let_through = !is_service && row_of(method.name.substr(0, dot)) != nullptr;
    if (role_for(method) == least && !let_through)
      out.publish.push_back(api_subject(user, std::string{method.name} + (is_service ? "*" : "")));
  }
}

void add_inbox(permissions& out, const identity& who) {
  const auto prefix = inbox_prefix(who);
  out.subscribe.push_back(prefix + ".> " + std::string{inbox_group});
  out.subscribe.push_back(prefix + std::string{unserved_place} + ">");
}

permissions of_control_plane() {
  permissions out;
  out.publish = {"_INBOX.>", "argosy.agent.>", "argosy.lead", "argosy.plane.>"};
  out.publish.insert(out.publish.end(), log_subjects.begin(), log_subjects.end());
  out.subscribe = {inbox_prefix({party::control_plane}) + ".>", "argosy.api.>", "argosy.agent.>",
                   "argosy.lead", "argosy.plane.>"};
  return out;
}

}  // namespace

std::string_view to_string(role value) noexcept {
  return names[static_cast<std::size_t>(value)];
}

result<role> parse_role(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<role>(i);
  return fail(
      ec::invalid_argument,
      "a role is viewer, tenant, submitter, operator or owner, not '" + std::string{name} + "'");
}

party party_of(role value) noexcept {
  if (value == role::control_plane) return party::control_plane;
  return value == role::agent ? party::agent : party::user;
}

permissions permissions_of(role value, const std::string& name) {
  if (value == role::control_plane) return of_control_plane();
  permissions out;
  add_inbox(out, {party_of(value), name});
  if (value == role::agent || value == role::owner) {
    const auto clusters = value == role::owner ? std::string{"*"} : name;
    const auto own = std::string{agent_subjects} + cluster_token(clusters) + ".>";
    out.publish = {own, std::string{answer_subjects} + cluster_token(clusters) + ".>"};
    out.subscribe.push_back(own);
  }
  if (value == role::owner) add_inbox(out, {party::agent, "*"});
  switch (value) {
    case role::control_plane:
    case role::agent:
      break;
    case role::operator_:
    case role::owner:
      out.publish.push_back(api_subject(name, ">"));
      break;
    case role::tenant:
      out.publish.push_back(tenant_subject(name, ">"));
      break;
    case role::submitter:
      add_methods(out, name, role::submitter);
      [[fallthrough]];
    case role::viewer:
      add_methods(out, name, role::viewer);
      break;
  }
  return out;
}

}  // namespace argosy::access
