// SPDX-License-Identifier: Apache-2.0
// This file declares the sections `api`, `grpc` and `rest` of argosyd's settings: what requests of
// users may contain, what jobs get that leave something out, and where clients that speak gRPC or
// REST are served.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/access/pods/pod_policy.hpp"
#include "runtime/model/server_limits.hpp"
#include "runtime/settings/access/access_settings.hpp"
#include "runtime/settings/scheduling_settings.hpp"
#include "runtime/settings/shared_settings.hpp"

namespace argosy::settings {

/// What callers may do who do not say who they are. The same names as runtime/access knows.
enum class anonymous_role : std::uint8_t { none, viewer, submitter, operator_ };

[[nodiscard]] std::span<const std::string_view> enum_names(anonymous_role);

struct grpc_settings {
  /// "HOST:PORT", port 0 for any free one that is kept across restarts, or "off".
  std::string listen = "off";
  /// Files (PEM); both or none.
  std::string certificate;
  std::string key;
  std::uint32_t streams_max = 2'500;  ///< How many calls a connection may have under way.
  anonymous_role anonymous = anonymous_role::none;
};

/// A view of the web page under a name by which everybody finds it.
struct saved_view {
  std::string name;
  std::string address;  ///< The fragment of the page's address: "#/jobs?where=state:failed".
};

struct rest_settings {
  bool enabled = false;
  std::vector<std::string> origins;
  /// Whether fields of requests that are not known are passed over, as Armada does.
  bool ignore_unknown_fields = false;
  std::vector<saved_view> views;
};

struct argosyd_settings;

/// Tolerations that jobs get by something that they name.
struct named_tolerations {
  std::string name;
  std::vector<toleration_settings> tolerations;
};

struct api_settings {
  model::request_limits limits;
  model::submission_rules rules;
  /// When this is empty, jobs may name all of scheduling.priorityClasses.
  std::vector<std::string> priority_classes;
  std::vector<toleration_settings> default_tolerations{to_settings(model::default_toleration)};
  std::vector<named_tolerations> tolerations_by_class;
  std::vector<named_tolerations> tolerations_by_resource;
  std::vector<access::pod_policy> pod_policies;
  std::uint32_t past_jobs_max = 20'000;
};

void describe(field_table& table, named_tolerations& item);
void describe(field_table& table, saved_view& item);
/// The section also sets limits of queues and the retention of client ids.
void describe_api(field_table& table, argosyd_settings& item);
void describe_grpc(field_table& table, grpc_settings& item);
void describe_rest(field_table& table, rest_settings& item);
/// Checks the rules between keys of this section, and with those of the section `scheduling`.
void check_api(const argosyd_settings& item, problem_list& problems);

}  // namespace argosy::settings
