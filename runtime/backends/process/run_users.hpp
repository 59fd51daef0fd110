// SPDX-License-Identifier: Apache-2.0
// Decides as which user and group a run is executed: one of its own from the operator's range, or
// one that the job asks for and the operator has listed. Pure; belongs to the backend's thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/model/process_plan.hpp"

namespace argosy::backends {

/// The user and group of a run; without one it has the agent's own.
struct run_identity {
  std::optional<std::uint32_t> user;
  std::optional<std::uint32_t> group;

  friend bool operator==(const run_identity&, const run_identity&) = default;
};

struct user_rules {
  std::optional<model::id_range> own;  ///< The range from which each run gets a user of its own.
  std::vector<std::uint32_t> allowed_users;   ///< The ids that runAsUser may name.
  std::vector<std::uint32_t> allowed_groups;  ///< The ids that runAsGroup may name.
  bool any_allowed = false;                   ///< runAsUser and runAsGroup may name anybody.
  std::uint32_t agent_user = 0;
  std::uint32_t agent_group = 0;
};

class run_users {
 public:
  explicit run_users(user_rules rules);

  /// The identity of a run that asks for `wanted`. A user of the range is taken until release().
  /// Fails with ec::denied when the operator does not allow it, and with ec::overloaded when all
  /// users of the range are taken; the message names the setting.
  [[nodiscard]] result<run_identity> take(const run_identity& wanted);
  /// The same of a container, which takes none of the range: ec::denied or nothing. Everybody may
  /// have user and group 0, since they have no rights of root there.
  [[nodiscard]] result<void> check_container(run_identity wanted) const;
  /// A run of an earlier agent has this user.
  void hold(std::uint32_t user);
  void release(std::uint32_t user);

 private:
  [[nodiscard]] result<void> check(const run_identity& wanted) const;
  [[nodiscard]] result<std::uint32_t> next_of_range();

  user_rules rules_;
  std::uint32_t next_ = 0;
  std::unordered_set<std::uint32_t> taken_;
};

}  // namespace argosy::backends
