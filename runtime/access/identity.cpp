// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/identity.hpp"

#include <algorithm>
#include <array>

namespace argosy::access {

namespace {

constexpr std::string_view api_prefix = "argosy.api.";
constexpr std::string_view tenant_mark = "tenant.";
constexpr std::string_view whole_mark = "whole.";
constexpr std::string_view control_plane_name = "argosyd";
constexpr std::string_view agent_kind = "agent/";
constexpr std::string_view user_kind = "user/";
constexpr std::size_t label_max = 63;
constexpr std::size_t cluster_max = 253;

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_label(std::string_view text) {
  return !text.empty() && text.size() <= label_max && is_alphanumeric(text.front()) &&
         is_alphanumeric(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '-'; });
}

bool is_subdomain(std::string_view text) {
  if (text.size() > cluster_max) return false;
  while (true) {
    const auto dot = text.find('.');
    if (!is_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

/// Whether no party has the inbox; "" is no inbox at all.
bool is_nobodys(std::string_view reply) {
  constexpr std::array owned{"_INBOX.argosyd.", "_INBOX.agent.", "_INBOX.user."};
  return std::ranges::none_of(owned, [&](const char* of) { return reply.starts_with(of); });
}

bool is_inbox_of(const identity& who, std::string_view reply) {
  const auto prefix = inbox_prefix(who);
  return reply.starts_with(prefix + ".") &&
         !reply.starts_with(prefix + std::string{unserved_place});
}

}  // namespace

std::string to_string(const identity& who) {
  switch (who.what) {
    case party::control_plane:
      return std::string{control_plane_name};
    case party::agent:
      return std::string{agent_kind} + who.name;
    case party::user:
      return std::string{user_kind} + who.name;
  }
  return {};
}

result<identity> parse_identity(std::string_view text) {
  identity out;
  if (text == control_plane_name) {
    out.what = party::control_plane;
  } else if (text.starts_with(agent_kind)) {
    out = {party::agent, std::string{text.substr(agent_kind.size())}};
  } else if (text.starts_with(user_kind)) {
    out = {party::user, std::string{text.substr(user_kind.size())}};
  } else {
    return fail(ec::invalid_argument, "an identity is argosyd, agent/CLUSTER or user/NAME, not '" +
                                          std::string{text} + "'");
  }
  if (auto good = validate(out); !good) return fail(std::move(good.error()));
  return out;
}

result<void> validate(const identity& who) {
  if (who.what == party::user && !is_label(who.name))
    return fail(ec::invalid_argument,
                "a user's name has 1 to 63 of a-z, 0-9 and '-', beginning "
                "and ending with a letter or digit, unlike '" +
                    who.name + "'");
  if (who.what == party::agent && !is_subdomain(who.name))
    return fail(ec::invalid_argument,
                "a cluster's name has labels of a-z, 0-9 and '-' joined by dots, 253 characters at "
                "most, unlike '" +
                    who.name + "'");
  return {};
}

std::string inbox_prefix(const identity& who) {
  switch (who.what) {
    case party::control_plane:
      return "_INBOX.argosyd";
    case party::agent:
      return "_INBOX.agent." + cluster_token(who.name);
    case party::user:
      return "_INBOX.user." + who.name;
  }
  return {};
}

std::string cluster_token(std::string_view cluster) {
  std::string out{cluster};
  std::ranges::replace(out, '.', '_');
  return out;
}

std::string api_subject(std::string_view user, std::string_view method) {
  std::string out{api_prefix};
  if (!user.empty()) out.append(user).append(".");
  return out.append(method);
}

std::string tenant_subject(std::string_view user, std::string_view method) {
  return api_subject(user, std::string{tenant_mark}.append(method));
}

std::string whole_subject(std::string_view user, std::string_view method) {
  return api_subject(user, std::string{whole_mark}.append(method));
}

api_call parse_api_subject(std::string_view subject) {
  if (!subject.starts_with(api_prefix)) return {};
  subject.remove_prefix(api_prefix.size());
  if (std::ranges::count(subject, '.') < 2) return {{}, subject};
  const auto dot = subject.find('.');
  api_call out{subject.substr(0, dot), subject.substr(dot + 1)};
  out.tenant = std::ranges::count(subject, '.') > 2 && out.method.starts_with(tenant_mark);
  if (out.tenant) out.method.remove_prefix(tenant_mark.size());
  out.whole = std::ranges::count(subject, '.') > 2 && out.method.starts_with(whole_mark);
  if (out.whole) out.method.remove_prefix(whole_mark.size());
  return out;
}

std::string_view agent_of_subject(std::string_view subject) {
  constexpr std::string_view prefix = "argosy.agent.";
  if (!subject.starts_with(prefix)) return {};
  subject.remove_prefix(prefix.size());
  const auto dot = subject.find('.');
  return dot == std::string_view::npos ? std::string_view{} : subject.substr(0, dot);
}

bool may_answer_to(const api_call& call, std::string_view reply) {
  if (reply.empty() || call.user.empty()) return is_nobodys(reply);
  return is_inbox_of({party::user, std::string{call.user}}, reply);
}

bool may_reply(std::string_view subject, std::string_view reply) {
  if (subject.starts_with(api_prefix)) return may_answer_to(parse_api_subject(subject), reply);
  if (is_nobodys(reply)) return true;
  identity asking{party::control_plane, {}};
  if (subject.starts_with(agent_subjects)) {
    subject.remove_prefix(agent_subjects.size());
    asking = {party::agent, std::string{subject.substr(0, subject.find('.'))}};
  }
  return is_inbox_of(asking, reply);
}

}  // namespace argosy::access
