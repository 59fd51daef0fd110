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

}  // namespace

headers caller_headers(const access::principal& who) {
  std::string groups;
  for (const auto& group : who.groups) {
    // A name that is cut off could be that of another group.
    if (groups.size() + group.size() + 1 > group_bytes_max) break;
    groups += group + '\n';
  }
  headers out;
  set_text(out, header::user, who.name);
  set_text(out, header::groups, groups);
  out.set(header::permissions, who.permissions.bits());
  return out;
}

access::principal caller_of(const headers& from) {
  access::attributes known;
  known.name = get_text(from, header::user).value_or("");
  std::istringstream groups{get_text(from, header::groups).value_or("")};
  for (std::string group; std::getline(groups, group);)
    if (!group.empty()) known.groups.push_back(group);
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
