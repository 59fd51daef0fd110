// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-agent/pod_trouble.hpp"

#include "runtime/base/check.hpp"

namespace argosy::agent {

namespace {

using backends::trouble_action;

pattern pattern_of(const std::string& text) {
  auto made = pattern::make(text);
  ARGOSY_CHECK(made);
  return std::move(*made);
}

std::optional<pattern> pattern_if_any(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional{pattern_of(text)};
}

template <class Check>
backends::check_rule rule_of(const Check& from, const std::string& expression) {
  return {pattern_of(expression), from.inverse, from.grace_period,
          from.action == settings::check_action::fail ? trouble_action::fail
                                                      : trouble_action::give_back};
}

backends::failure_rule rule_of(const settings::failure_rule_settings& from) {
  return {from.subcategory.empty() ? from.category : from.category + "/" + from.subcategory,
          from.hint,
          from.container_name,
          from.exit_codes_in,
          from.exit_codes_not_in,
          pattern_if_any(from.termination_message),
          from.reasons,
          pattern_if_any(from.pod_error),
          pattern_if_any(from.pod_event)};
}

}  // namespace

void set_trouble(const settings::pod_trouble_settings& from, backends::pod_rules& to) {
  to.create_patience = from.create_wait;
  to.delete_patience = from.ending_wait;
  auto& limits = to.trouble;
  limits.note_after = from.note_after;
  limits.image_wait = from.image_wait;
  limits.node_wait = from.node_wait;
  limits.kubelet_wait = from.kubelet_wait;
  limits.volume_wait = from.volume_wait;
  limits.start_wait = from.start_wait;
  limits.init_wait = from.init_wait;
  limits.ending_wait = from.ending_wait;
  limits.deadline_wait = from.deadline_wait;
  for (const auto& each : from.event_checks)
    limits.events.push_back(
        {rule_of(each, each.regexp), each.type == settings::event_type::warning});
  for (const auto& each : from.container_checks)
    limits.containers.push_back(
        {rule_of(each, each.reason_regexp), each.state == settings::container_state::terminated});
  for (const auto& each : from.fatal_submission_errors)
    to.refusals.fatal.push_back(pattern_of(each));
  to.refusals.quota_is_fatal = from.on_quota_exceeded == settings::quota_action::fail;
  for (const auto& each : from.failure_rules) to.failures.push_back(rule_of(each));
}

}  // namespace argosy::agent
