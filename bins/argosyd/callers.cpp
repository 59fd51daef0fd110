// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/callers.hpp"

#include <unistd.h>

#include <optional>

#include "bins/argosyd/dev_access.hpp"
#include "runtime/access/action.hpp"
#include "runtime/access/loopback_peer.hpp"
#include "runtime/access/role.hpp"
#include "runtime/bus/caller_headers.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::argosyd {

namespace {

using kind = rpc::admission::kind;

const logging::logger callers_logger{"access"};

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

/// Adds a rule for each permission that a mapping of Armada's form names.
void add_mapping(const settings::word_lists& mapping,
                 std::vector<std::string> access::permission_rule::*by,
                 std::vector<access::permission_rule>& out) {
  for (const auto& [name, words] : mapping)
    if (const auto what = access::parse_permission(name)) {
      out.push_back({*what, {}, {}, {}});
      out.back().*by = words;
    }
}

std::vector<access::permission_rule> to_rules(const settings::access_settings& from) {
  std::vector<access::permission_rule> out;
  for (const auto& one : from.permissions)
    if (const auto what = access::parse_permission(one.name))
      out.push_back({*what, one.groups, one.scopes, one.claims});
  add_mapping(from.by_group, &access::permission_rule::groups, out);
  add_mapping(from.by_scope, &access::permission_rule::scopes, out);
  add_mapping(from.by_claim, &access::permission_rule::claims, out);
  return out;
}

access::oidc_users::config to_config(const settings::oidc_settings& from,
                                     const std::vector<access::permission_rule>& rules) {
  access::oidc_users::config out;
  out.tokens.issuer = from.issuer;
  out.tokens.audiences = from.audiences;
  if (!from.client_id.empty()) out.tokens.audiences.push_back(from.client_id);
  out.tokens.name_claim = from.name_claim;
  out.tokens.groups_claim = from.groups_claim;
  out.tokens.algorithms.clear();
  for (const auto& name : from.algorithms)
    if (const auto how = access::parse_algorithm(name)) out.tokens.algorithms.push_back(*how);
  out.tokens.skew = std::chrono::duration_cast<std::chrono::seconds>(from.skew);
  out.permissions = rules;
  out.authorities = from.ca_file;
  out.failed = [](const error& why) {
    callers_logger.warning("the keys of the OpenID provider could not be fetched",
                           logging::kv("error", why));
  };
  return out;
}

access::token_reviews::config to_config(const settings::kubernetes_settings& from,
                                        const std::vector<access::permission_rule>& rules) {
  access::token_reviews::config out;
  for (const auto& one : from.clusters)
    out.reviewers.push_back({one.key_id, one.server, one.ca_file});
  out.permissions = rules;
  out.good_for = from.good_for;
  out.wrong_for = from.wrong_for;
  out.failed = [](const error& why) {
    callers_logger.warning("a cluster of Kubernetes could not be asked about a token",
                           logging::kv("error", why));
  };
  return out;
}

rpc::admission admitted(const access::principal& who) {
  // Without one of his groups he would lack rights, and nobody would know why.
  if (!bus::groups_fit(who))
    return {kind::unknown,
            "user '" + access::display_name(who) + "' is in more groups than this server takes: " +
                "their names, or the scopes of the token, have more than " +
                std::to_string(bus::group_bytes_max) + " bytes, or a line break",
            {}};
  return {kind::admitted, "", bus::caller_headers(who)};
}

kind kind_of(ec code) {
  if (code == ec::denied) return kind::unknown;
  return code == ec::overloaded ? kind::busy : kind::broken;
}

/// Tells a transport what one of the ways to say who one is has found out.
auto told(std::function<void(rpc::admission)> then) {
  return [then = std::move(then)](const std::variant<access::principal, error>& got) {
    if (const auto* who = std::get_if<access::principal>(&got)) return then(admitted(*who));
    const auto& why = std::get<error>(got);
    then({kind_of(why.code), why.detail, {}});
  };
}

}  // namespace

callers::callers(const settings::grpc_settings& grpc, const settings::access_settings& access,
                 bool dev, const access::fetch_function& fetch,
                 const std::filesystem::path& members)
    : users_(std::make_shared<password_users>(access, to_rules(access), members)),
      rules_(to_rules(access)),
      anonymous_(grpc.anonymous),
      dev_(dev),
      owner_(dev ? login_name() : "") {
  if (!access.kubernetes.clusters.empty())
    reviews_ = std::make_shared<access::token_reviews>(to_config(access.kubernetes, rules_), fetch);
  if (!access.oidc.issuer.empty()) {
    tokens_ = std::make_shared<access::oidc_users>(to_config(access.oidc, rules_), fetch);
    tokens_->fetch_early();
  }
}

access::user_directory to_directory(const settings::access_settings& from) {
  access::user_directory out;
  for (const auto& one : from.users) out.groups[one.name] = one.groups;
  out.rules = to_rules(from);
  return out;
}

access::proof_check callers::token_check() const {
  if (!tokens_) return {};
  return [tokens = tokens_](std::string_view shown,
                            std::function<void(result<access::principal>)> then) {
    const auto token = access::bearer_token(shown);
    if (!token)
      return then(fail(ec::denied,
                       "over NATS the header 'authorization' takes a token of the OpenID "
                       "provider, as 'Bearer TOKEN'"));
    // The nats-server has let this user in already, so that he is no stranger.
    tokens->check({}, *token, [then = std::move(then)](access::oidc_users::outcome got) {
      if (auto* const who = std::get_if<access::principal>(&got)) return then(std::move(*who));
      then(fail(std::get<error>(std::move(got))));
    });
  };
}

void callers::operator()(const rpc::caller& who, std::function<void(rpc::admission)> then) const {
  const auto from = border::address_block::of_peer(who.peer);
  const auto users = access::is_basic(who.authorization) ? users_->now() : nullptr;
  if (users) {
    auto shown = access::parse_basic(who.authorization);
    if (shown)
      users->check(from, std::move(*shown), told(std::move(then)));
    else
      then(
          {kind::unknown, "the header 'authorization' is no user name and password in base64", {}});
    return;
  }
  if (reviews_ && access::is_kubernetes(who.authorization)) {
    auto shown = access::parse_kubernetes(who.authorization);
    if (shown)
      reviews_->check(from, std::move(*shown), told(std::move(then)));
    else
      then({kind::unknown, "the header 'authorization' is no token of Kubernetes in base64", {}});
    return;
  }
  if (const auto token = access::bearer_token(who.authorization); tokens_ && token) {
    tokens_->check(from, *token, told(std::move(then)));
    return;
  }
  then(without_proof(who));
}

rpc::admission callers::without_proof(const rpc::caller& who) const {
  if (dev_ && who.authorization.empty() && access::uid_behind(who.peer, who.port) == ::geteuid())
    return admitted({owner_,
                     {std::string{access::everyone}},
                     access::permission_set::all(),
                     access::scheme::local,
                     {}});
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
               : "this server asks callers who they are; the section access of argosyd's settings "
                 "says who is known, and grpc.anonymousRole lets others in",
          {}};
}

}  // namespace argosy::argosyd
