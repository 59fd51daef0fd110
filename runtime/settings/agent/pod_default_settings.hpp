// SPDX-License-Identifier: Apache-2.0
// What the operator of a cluster gives to the pods of queues that say nothing of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/settings/field_table.hpp"
#include "runtime/settings/shared_settings.hpp"
#include "runtime/settings/value.hpp"

namespace argosy::settings {

struct pod_default_settings {
  std::vector<std::string> queues;  ///< A * stands for any characters; empty: all queues.
  label_list labels;
  label_list annotations;
  std::vector<std::string> image_pull_secrets;
  std::string runtime_class;
  std::vector<toleration_settings> tolerations;
  std::optional<std::int64_t> run_as_user;
  std::optional<std::int64_t> run_as_group;
  std::optional<std::int64_t> fs_group;
  std::string fs_group_change_policy;
  id_list supplemental_groups;
  std::optional<bool> run_as_non_root;
  std::string seccomp_profile;  ///< "RuntimeDefault", "Unconfined" or "Localhost/FILE".
  std::string dns_policy;
  std::vector<std::string> nameservers;
  std::vector<std::string> searches;
  label_list dns_options;
};

void describe(field_table& table, pod_default_settings& item);
/// Adds the list as the key kubernetes.podDefaults.
void describe_pod_defaults(field_table& table, std::vector<pod_default_settings>& items);
/// What is wrong with the entries as a whole.
void check_pod_defaults(const std::vector<pod_default_settings>& items, problem_list& problems);

}  // namespace argosy::settings
