// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/dev_access.hpp"

#include <pwd.h>
#include <unistd.h>

#include <utility>

#include "runtime/access/nkey.hpp"
#include "runtime/access/server_plan.hpp"

namespace argosy::argosyd {

namespace {

constexpr const char* control_plane_file = "argosyd.credentials";
constexpr const char* owner_file = "owner.credentials";

result<access::credentials> keep(const std::filesystem::path& file, const access::identity& who) {
  auto known = access::read_credentials(file);
  if (known && known->who == who) return known;
  auto key = access::make_nkey();
  if (!key) return fail(std::move(key.error()));
  access::credentials made{who, std::move(key->seed)};
  auto written = access::write_private(file, access::print_credentials(made), true);
  if (!written) return fail(std::move(written.error()));
  return made;
}

/// Gives the control plane a key for orders, unless it has one, and tells the owner of it.
result<void> share_order_key(const std::filesystem::path& folder,
                             access::credentials& control_plane, access::credentials& owner) {
  if (control_plane.order_seed.empty()) {
    auto made = access::make_nkey();
    if (!made) return fail(std::move(made.error()));
    control_plane.order_seed = std::move(made->seed);
    auto written = access::write_private(folder / control_plane_file,
                                         access::print_credentials(control_plane), true);
    if (!written) return written;
  }
  auto known = access::public_key_of(control_plane.order_seed);
  if (!known) return fail(std::move(known.error()));
  owner.order_keys = {std::move(*known)};
  return access::write_private(folder / owner_file, access::print_credentials(owner), true);
}

result<void> admit(access::server_plan& plan, access::role what, const access::credentials& from) {
  auto key = access::public_key_of(from.seed);
  if (!key) return fail(std::move(key.error()));
  return add(plan, {what, from.who.name, std::move(*key)});
}

}  // namespace

std::string login_name() {
  const auto* known = ::getpwuid(::getuid());
  std::string out = known == nullptr ? "" : known->pw_name;
  for (auto& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))) c = '-';
  }
  return access::validate({access::party::user, out}) ? out : "owner";
}

result<dev_access> open_dev_access(const std::filesystem::path& folder) {
  auto control_plane = keep(folder / control_plane_file, {access::party::control_plane, {}});
  if (!control_plane) return fail(std::move(control_plane.error()));
  auto owner = keep(folder / owner_file, {access::party::user, login_name()});
  if (!owner) return fail(std::move(owner.error()));
  if (auto shared = share_order_key(folder, *control_plane, *owner); !shared)
    return fail(std::move(shared.error()));
  access::server_plan plan;
  auto admitted = admit(plan, access::role::control_plane, *control_plane);
  if (admitted) admitted = admit(plan, access::role::owner, *owner);
  if (!admitted) return fail(std::move(admitted.error()));
  return dev_access{std::move(*control_plane), std::move(*owner),
                    access::accounts_block(plan.members)};
}

}  // namespace argosy::argosyd
