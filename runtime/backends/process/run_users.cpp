// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/process/run_users.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace argosy::backends {

namespace {

bool listed(const std::vector<std::uint32_t>& ids, std::uint32_t id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

error not_listed(const char* field, std::uint32_t id, const char* setting) {
  const auto number = std::to_string(id);
  return error{ec::denied, "podSpec.securityContext." + std::string{field} + " " + number +
                               " is not allowed on this machine; its operator can list it in '" +
                               setting + "' of the agent's settings"};
}

}  // namespace

run_users::run_users(user_rules rules) : rules_(std::move(rules)) {
  if (rules_.own) next_ = rules_.own->first;
}

result<std::uint32_t> run_users::next_of_range() {
  const auto [first, last] = *rules_.own;
  // The ids go round, so that one is given again as late as possible.
  for (std::uint64_t left = std::uint64_t{last} - first + 1; left > 0; --left) {
    const auto id = next_;
    next_ = id == last ? first : id + 1;
    if (taken_.insert(id).second) return id;
  }
  return fail(ec::overloaded, "all user ids of 'process.uidRange' are taken by runs");
}

result<void> run_users::check(const run_identity& wanted) const {
  const bool own_group = !rules_.own && wanted.group == rules_.agent_group;
  if (wanted.group && !own_group && !rules_.any_allowed &&
      !listed(rules_.allowed_groups, *wanted.group))
    return fail(not_listed("runAsGroup", *wanted.group, "process.allowedGroups"));
  const bool own_user = !rules_.own && wanted.user == rules_.agent_user;
  if (wanted.user && !own_user && !rules_.any_allowed &&
      !listed(rules_.allowed_users, *wanted.user))
    return fail(not_listed("runAsUser", *wanted.user, "process.allowedUsers"));
  return {};
}

result<void> run_users::check_container(run_identity wanted) const {
  if (wanted.user == 0u) wanted.user.reset();
  if (wanted.group == 0u) wanted.group.reset();
  return check(wanted);
}

result<run_identity> run_users::take(const run_identity& wanted) {
  if (auto allowed = check(wanted); !allowed) return fail(std::move(allowed.error()));
  run_identity out;
  out.user = wanted.user;
  if (!wanted.user && rules_.own) {
    const auto given = next_of_range();
    if (!given) return fail(given.error());
    out.user = *given;
  }
  out.group = wanted.group;
  // The group of the agent must not come with another user.
  if (!out.group && out.user && *out.user != rules_.agent_user) out.group = out.user;
  return out;
}

void run_users::hold(std::uint32_t user) {
  taken_.insert(user);
}

void run_users::release(std::uint32_t user) {
  taken_.erase(user);
}

}  // namespace argosy::backends
