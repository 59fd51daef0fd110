// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/api/callers.hpp"

#include <unistd.h>

#include <optional>

#include "bins/argosyd/dev_access.hpp"
#include "runtime/access/loopback_peer.hpp"
#include "runtime/access/role.hpp"
#include "runtime/bus/caller_headers.hpp"

namespace argosy::argosyd {

namespace {

using kind = rpc::admission::kind;

std::optional<access::role> to_role(settings::anonymous_role value) {
  switch (value) {
    case settings::anonymous_role::none:
      return std::nullopt;
    case settings::anonymous_role::viewer:
      return access::role::viewer;
    case settings::anonymous_role::submitter:
      return access::role::submitter;
    case settings::anonymous_role::operator_:
      return access::role::operator_;
  }
  return std::nullopt;
}

std::vector<access::permission_rule> to_rules(
    const std::vector<settings::permission_settings>& list) {
  std::vector<access::permission_rule> out;
  for (const auto& one : list)
    if (const auto what = access::parse_permission(one.name))
      out.push_back({*what, one.groups, one.scopes, one.claims});
  return out;
}

std::vector<access::basic_user> to_users(const std::vector<settings::user_settings>& list) {
  std::vector<access::basic_user> out;
  for (const auto& one : list) out.push_back({one.name, one.password_hash, one.groups});
  return out;
}

rpc::admission admitted(const access::principal& who) {
  return {kind::admitted, "", bus::caller_headers(who)};
}

rpc::admission to_admission(const access::basic_users::outcome& got) {
  if (const auto* who = std::get_if<access::principal>(&got)) return admitted(*who);
  const auto& why = std::get<error>(got);
  return {why.code == ec::denied ? kind::unknown : kind::busy, why.detail, {}};
}

}  // namespace

callers::callers(const settings::grpc_settings& grpc, const settings::access_settings& access,
                 bool dev)
    : rules_(to_rules(access.permissions)),
      anonymous_(grpc.anonymous),
      dev_(dev),
      owner_(dev ? login_name() : "") {
  if (!access.users.empty())
    users_ = std::make_shared<access::basic_users>(to_users(access.users), rules_,
                                                   access::basic_users::limits{});
}

void callers::operator()(const rpc::caller& who, std::function<void(rpc::admission)> then) const {
  if (!users_ || !access::is_basic(who.authorization)) {
    then(without_password(who));
    return;
  }
  auto shown = access::parse_basic(who.authorization);
  if (!shown) {
    then({kind::unknown, "the header 'authorization' is no user name and password in base64", {}});
    return;
  }
  users_->check(std::move(*shown),
                [then = std::move(then)](const auto& got) { then(to_admission(got)); });
}

rpc::admission callers::without_password(const rpc::caller& who) const {
  if (dev_ && who.authorization.empty() && access::uid_behind(who.peer) == ::geteuid())
    return admitted({owner_, {std::string{access::everyone}}, access::permission_set::all()});
  const auto role = to_role(anonymous_);
  if (role) {
    auto nobody = access::make_principal({std::string{access::anonymous}, {}, {}, {}}, rules_);
    nobody.permissions.add(access::granted_to(*role));
    return admitted(nobody);
  }
  if (!who.authorization.empty())
    return {kind::unknown, "this server does not take such a header 'authorization'", {}};
  return {kind::unknown,
          dev_ ? "only the user who started this server may call it without a password; "
                 "grpc.anonymousRole lets others in"
               : "this server asks callers who they are; access.users of argosyd has those who "
                 "are known, and grpc.anonymousRole lets others in",
          {}};
}

}  // namespace argosy::argosyd
