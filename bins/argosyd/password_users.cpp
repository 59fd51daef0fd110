// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/password_users.hpp"

#include <algorithm>
#include <utility>

#include "runtime/access/server_plan.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/settings/load.hpp"

namespace argosy::argosyd {

namespace {

const logging::logger users_logger{"access"};

/// A file that is replaced is another one. Its owner and its mode count too, which change a moment
/// after it has its name: until then argosyd may be unable to read it.
bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_ino == b.st_ino && a.st_size == b.st_size && a.st_ctim.tv_sec == b.st_ctim.tv_sec &&
         a.st_ctim.tv_nsec == b.st_ctim.tv_nsec;
}

}  // namespace

password_users::password_users(const settings::access_settings& access,
                               std::vector<access::permission_rule> rules,
                               std::filesystem::path members)
    : listed_(access.users), rules_(std::move(rules)), members_(std::move(members)) {}

std::shared_ptr<access::basic_users> password_users::now() {
  struct stat found {};
  if (members_.empty() || ::stat(members_.c_str(), &found) != 0) found = {};
  const std::scoped_lock lock{guard_};
  if (is_read_ && is_same(found, seen_)) return users_;
  std::vector<access::basic_user> all;
  for (const auto& one : listed_)
    if (!one.password_hash.empty()) all.push_back({one.name, one.password_hash, one.groups, {}});
  if (found.st_ino != 0) std::ranges::move(read_members(), std::back_inserter(all));
  users_ = all.empty() ? nullptr
                       : std::make_shared<access::basic_users>(std::move(all), rules_,
                                                               access::basic_users::limits{});
  seen_ = found;
  is_read_ = true;
  return users_;
}

std::vector<access::basic_user> password_users::read_members() const {
  const auto text = settings::read_file(members_.string());
  const auto plan = text ? access::parse_plan(*text) : fail(text.error());
  if (!plan) {
    users_logger.warning("the users of argosyd init are not let in over gRPC and REST",
                         logging::kv("file", members_.string()),
                         logging::kv("error", plan.error()));
    return {};
  }
  std::vector<access::basic_user> out;
  for (const auto& who : plan->members) {
    if (access::party_of(who.what) != access::party::user) continue;
    const auto named = std::ranges::find(listed_, who.name, &settings::user_settings::name);
    out.push_back({who.name, who.public_key,
                   named == listed_.end() ? std::vector<std::string>{} : named->groups,
                   access::granted_to(who.what)});
  }
  return out;
}

}  // namespace argosy::argosyd
