// SPDX-License-Identifier: Apache-2.0
#include "runtime/bus/caller_headers.hpp"

#include <sstream>
#include <utility>

#include "runtime/access/identity.hpp"

namespace argosy::bus {

namespace {

/// The address as people write it: gRPC escapes the brackets of "ipv6:%5B::1%5D:53120".
std::string readable(std::string_view peer) {
  const auto colon = peer.find(':');
  if (peer.starts_with("ipv") && colon != std::string_view::npos) peer.remove_prefix(colon + 1);
  std::string out{peer};
  for (const auto& [escaped, plain] : {std::pair{"%5B", "["}, std::pair{"%5D", "]"}})
    if (const auto at = out.find(escaped); at != std::string::npos) out.replace(at, 3, plain);
  return out;
}

/// One a line. A name that is cut off, or has a line break, could become another one, so that such
/// are left out.
std::string lines_of(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names) {
    if (name.find('\n') != std::string::npos) continue;
    if (out.size() + name.size() + 1 > group_bytes_max) break;
    out += name + '\n';
  }
  return out;
}

bool names_fit(const std::vector<std::string>& names) {
  std::size_t bytes = 0;
  for (const auto& name : names) {
    if (name.find('\n') != std::string::npos) return false;
    bytes += name.size() + 1;
  }
  return bytes <= group_bytes_max;
}

std::vector<std::string> names_in(const headers& from, std::string_view header) {
  std::vector<std::string> out;
  std::istringstream lines{get_text(from, header).value_or("")};
  for (std::string name; std::getline(lines, name);)
    if (!name.empty()) out.push_back(name);
  return out;
}

}  // namespace

bool groups_fit(const access::principal& who) {
  return names_fit(who.groups) && names_fit(who.scopes);
}

headers caller_headers(const access::principal& who) {
  headers out;
  set_text(out, header::user, who.name);
  set_text(out, header::groups, lines_of(who.groups));
  out.set(header::permissions, who.permissions.bits());
  out.set(header::scheme, to_string(who.by));
  if (!who.scopes.empty()) set_text(out, header::scopes, lines_of(who.scopes));
  return out;
}

access::principal caller_of(const headers& from) {
  access::attributes known;
  known.name = get_text(from, header::user).value_or("");
  known.groups = names_in(from, header::groups);
  known.scopes = names_in(from, header::scopes);
  known.by = access::parse_scheme(from.get(header::scheme).value_or(""))
                 .value_or(access::scheme::anonymous);
  auto out = access::make_principal(std::move(known), {});
  out.permissions =
      access::permission_set::of_bits(from.get_number(header::permissions).value_or(0));
  return out;
}

namespace {

/// The address without the port, which every connection of a machine has another of.
std::string_view without_port(std::string_view peer) {
  const auto colon = peer.rfind(':');
  return colon == std::string_view::npos ? peer : peer.substr(0, colon);
}

/// The inbox of the connection: "_INBOX.7f3a.12" is the twelfth answer that it waits for.
std::string_view without_number(std::string_view reply) {
  const auto dot = reply.rfind('.');
  return dot == std::string_view::npos ? reply : reply.substr(0, dot);
}

}  // namespace

std::string caller_key(const headers& who, std::string_view peer) {
  const auto name = get_text(who, header::user).value_or("");
  return name.empty() ? "at " + std::string{without_port(readable(peer))} : "user " + name;
}

std::string caller_key(const frame& request, bool in_header) {
  if (in_header)
    return caller_key(request.headers, get_text(request.headers, header::peer).value_or(""));
  if (const auto asked = access::parse_api_subject(request.subject); !asked.user.empty())
    return "user " + std::string{asked.user};
  if (const auto agent = access::agent_of_subject(request.subject); !agent.empty())
    return "agent " + std::string{agent};
  return "at " + std::string{without_number(request.reply)};
}

void set_way(headers& to, std::string_view via, std::string_view peer) {
  to.set(header::via, via);
  set_text(to, header::peer, readable(peer));
}

}  // namespace argosy::bus
