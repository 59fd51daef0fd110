// SPDX-License-Identifier: Apache-2.0
#include "runtime/bus/caller_headers.hpp"

#include <sstream>
#include <utility>

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

std::vector<std::string> names_in(const headers& from, std::string_view header) {
  std::vector<std::string> out;
  std::istringstream lines{get_text(from, header).value_or("")};
  for (std::string name; std::getline(lines, name);)
    if (!name.empty()) out.push_back(name);
  return out;
}

}  // namespace

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

void set_way(headers& to, std::string_view via, std::string_view peer) {
  to.set(header::via, via);
  set_text(to, header::peer, readable(peer));
}

}  // namespace argosy::bus
