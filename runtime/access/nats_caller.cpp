// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/nats_caller.hpp"

#include <utility>

namespace argosy::access {

principal nats_caller(const api_call& asked, const user_directory& users) {
  attributes known;
  known.name = asked.user;
  known.by = scheme::nats;
  if (const auto found = users.groups.find(asked.user); found != users.groups.end())
    known.groups = found->second;
  auto out = make_principal(std::move(known), users.rules);
  out.role_checked = !asked.tenant;
  if (!out.role_checked) return out;
  // A viewer and an operator use the same subjects to read jobs. Only an operator may use the one
  // that shows specifications whole, and where nobody has a name everybody may do everything.
  const bool sees_all =
      asked.whole || asked.user.empty() || out.permissions.has(permission::view_specifications);
  out.permissions = permission_set::all();
  if (!sees_all) out.permissions.remove(permission::view_specifications);
  return out;
}

principal nats_caller(const api_call& asked, principal proved) {
  proved.role_checked = !asked.tenant;
  return proved;
}

}  // namespace argosy::access
