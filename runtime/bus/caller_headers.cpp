// SPDX-License-Identifier: Apache-2.0
#include "runtime/bus/caller_headers.hpp"

#include <sstream>

namespace argosy::bus {

namespace {

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

}  // namespace argosy::bus
