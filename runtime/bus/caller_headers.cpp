// SPDX-License-Identifier: Apache-2.0
#include "runtime/bus/caller_headers.hpp"

#include <sstream>

namespace argosy::bus {

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

}  // namespace argosy::bus
