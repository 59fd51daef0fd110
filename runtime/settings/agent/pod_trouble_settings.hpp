// SPDX-License-Identifier: Apache-2.0
// The settings of an agent that say what becomes of pods in trouble: for how long they may wait,
// which errors are for good, and into which categories failures are sorted.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/settings/field_table.hpp"

namespace argosy::settings {

/// What is done with the run of a pod that waits: it fails, or is given back.
enum class check_action : std::uint8_t { fail, retry };
[[nodiscard]] std::span<const std::string_view> enum_names(check_action);
enum class event_type : std::uint8_t { warning, normal };
[[nodiscard]] std::span<const std::string_view> enum_names(event_type);
enum class container_state : std::uint8_t { waiting, terminated };
[[nodiscard]] std::span<const std::string_view> enum_names(container_state);
enum class quota_action : std::uint8_t { retry, fail };
[[nodiscard]] std::span<const std::string_view> enum_names(quota_action);

struct event_check_settings {
  std::string regexp;
  bool inverse = false;
  event_type type = event_type::warning;
  std::chrono::milliseconds grace_period{0};
  check_action action = check_action::fail;
};
void describe(field_table& table, event_check_settings& item);

struct container_check_settings {
  std::string reason_regexp;
  bool inverse = false;
  container_state state = container_state::waiting;
  std::chrono::milliseconds grace_period{0};
  check_action action = check_action::fail;
};
void describe(field_table& table, container_check_settings& item);

struct failure_rule_settings {
  std::string category;
  std::string subcategory;
  std::string hint;
  std::string container_name;
  id_list exit_codes_in;
  id_list exit_codes_not_in;
  std::string termination_message;
  std::vector<std::string> reasons;
  std::string pod_error;
  std::string pod_event;
};
void describe(field_table& table, failure_rule_settings& item);

struct pod_trouble_settings {
  std::chrono::milliseconds note_after{10'000};
  std::chrono::milliseconds image_wait{300'000};
  std::chrono::milliseconds node_wait{300'000};
  std::chrono::milliseconds kubelet_wait{300'000};
  std::chrono::milliseconds volume_wait{300'000};
  std::chrono::milliseconds start_wait{3'600'000};
  std::chrono::milliseconds init_wait{300'000};
  std::chrono::milliseconds ending_wait{30'000};
  std::chrono::milliseconds deadline_wait{30'000};
  std::chrono::milliseconds create_wait{60'000};
  bool follow_events = true;
  std::vector<event_check_settings> event_checks;
  /// An image whose name is none never comes.
  std::vector<container_check_settings> container_checks{{"^InvalidImageName$"}};
  std::vector<std::string> fatal_submission_errors;
  quota_action on_quota_exceeded = quota_action::retry;
  std::vector<failure_rule_settings> failure_rules;
};

/// Adds the fields "kubernetes.noteAfter" and so on.
void describe_pod_trouble(field_table& table, pod_trouble_settings& item);

}  // namespace argosy::settings
