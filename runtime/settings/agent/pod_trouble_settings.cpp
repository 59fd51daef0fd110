// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/agent/pod_trouble_settings.hpp"

#include <algorithm>

#include "runtime/settings/shared_settings.hpp"

namespace argosy::settings {

namespace {

using namespace std::chrono_literals;
using backends::container_check;
using backends::event_check;
using backends::failure_rule;
using std::chrono::milliseconds;

constexpr auto longest = milliseconds{24h};

complaint check_patterns(const std::vector<pattern>& all) {
  if (std::ranges::none_of(all, &pattern::empty)) return std::nullopt;
  return "has an empty expression, which every error would fit";
}

complaint check_category(const std::string& name) {
  if (name.empty() || name.find('/') != std::string::npos) return "must be a word without '/'";
  return std::nullopt;
}

complaint check_events(const std::vector<event_check>& checks) {
  for (const auto& each : checks)
    if (each.rule.expression.empty()) return "needs a regexp for each check";
  return std::nullopt;
}

complaint check_containers(const std::vector<container_check>& checks) {
  for (const auto& each : checks)
    if (each.rule.expression.empty()) return "needs a reasonRegexp for each check";
  return std::nullopt;
}

complaint check_rules(const std::vector<failure_rule>& rules) {
  for (const auto& each : rules) {
    if (each.category.empty()) return "needs a category for each rule";
    if (!each.exit_codes_in.empty() && !each.exit_codes_not_in.empty())
      return "has exitCodesIn and exitCodesNotIn in the rule for '" + each.category +
             "', of which one is enough";
  }
  return std::nullopt;
}

void describe_limits(field_table& table, backends::trouble_rules& item) {
  table.value("kubernetes.noteAfter", item.note_after,
              "How long something may keep a pod from running, or its node may be silent, before "
              "the job's events say so, up to 24h.",
              between<milliseconds>(0s, longest));
  table.value("kubernetes.imageWait", item.image_wait,
              "How long a pod may wait for its images, or for a container that cannot be made, "
              "before its run fails, from 1s to 24h.",
              between<milliseconds>(1s, longest));
  table.value("kubernetes.nodeWait", item.node_wait,
              "How long Kubernetes may find no place for a pod before its run is given back, or "
              "fails if it asks for something that is not there, such as a claim, from 1s to 24h.",
              between<milliseconds>(1s, longest));
  table.value("kubernetes.kubeletWait", item.kubelet_wait,
              "How long the kubelet of its node may say nothing of a pod before its run is given "
              "back, from 1s to 24h.",
              between<milliseconds>(1s, longest));
  table.value("kubernetes.volumeWait", item.volume_wait,
              "How long a volume of a pod may not be there before its run fails (its secret or "
              "configMap is missing) or is given back (it cannot be mounted), from 1s to 24h. Only "
              "events say so.",
              between<milliseconds>(1s, longest));
  table.value("kubernetes.startWait", item.start_wait,
              "How long the containers of a pod may be in the making while nothing is known "
              "against them, for example for a large image, before its run is given back, up to "
              "24h. 0s means any time.",
              between<milliseconds>(0s, longest));
  table.value("kubernetes.initWait", item.init_wait,
              "How long a pod may be pending until its init containers have ended, before its run "
              "fails, up to 24h. 0s means any time.",
              between<milliseconds>(0s, longest));
  table.value("kubernetes.endingWait", item.ending_wait,
              "How long after its grace period a pod that is being ended may still be there before "
              "the job's events say so and it is deleted again, from 1s to 24h. Its run counts as "
              "alive until the pod is gone.",
              between<milliseconds>(1s, longest));
  table.value("kubernetes.deadlineWait", item.deadline_wait,
              "How long after its deadline and grace period a pod may run on before the agent ends "
              "it and its run fails, from 1s to 24h. Its kubelet should have ended it by itself.",
              between<milliseconds>(1s, longest));
  table.value("kubernetes.createWait", item.create_wait,
              "How long a pod that the API server does not take for now (it has too much to do, or "
              "is out of order) is sent again before its run is given back, up to 24h.",
              between<milliseconds>(0s, longest));
}

}  // namespace

void describe(field_table& table, event_check& item) {
  table.value("regexp", item.rule.expression, "");
  table.value("inverse", item.rule.inverse, "");
  table.value("type", item.type, "");
  table.value("gracePeriod", item.rule.grace_period, "", between<milliseconds>(0s, longest));
  table.value("action", item.rule.action, "");
}

void describe(field_table& table, container_check& item) {
  table.value("reasonRegexp", item.rule.expression, "");
  table.value("inverse", item.rule.inverse, "");
  table.value("state", item.state, "");
  table.value("gracePeriod", item.rule.grace_period, "", between<milliseconds>(0s, longest));
  table.value("action", item.rule.action, "");
}

void describe(field_table& table, failure_rule& item) {
  table.value<std::string>("category", item.category, "", check_category);
  table.value("subcategory", item.subcategory, "");
  table.value("hint", item.hint, "");
  table.value("containerName", item.container_name, "");
  table.value("exitCodesIn", item.exit_codes_in, "");
  table.value("exitCodesNotIn", item.exit_codes_not_in, "");
  table.value("terminationMessage", item.termination_message, "");
  table.value("reasons", item.reasons, "");
  table.value("podError", item.pod_error, "");
  table.value("podEvent", item.pod_event, "");
}

void describe_pod_trouble(field_table& table, backends::trouble_rules& item) {
  describe_limits(table, item);
  table.value("kubernetes.followEvents", item.follow_events,
              "Whether the events that Kubernetes tells of pods are followed. They say why a pod "
              "waits. It needs the right to list events; without it the agent logs a warning and "
              "does the rest.");
  table.value<std::vector<event_check>>(
      "kubernetes.eventChecks", item.event_checks,
      "These checks say when a pending pod is given up because an event of Kubernetes says "
      "something "
      "bad of it: [{regexp: \"failed to mount\", inverse: false, type: Warning, gracePeriod: 2m, "
      "action: "
      "Retry}]. Of each event the first check with its type (Warning or Normal) whose regexp is in "
      "its message counts, or with inverse, whose regexp is not. Once the pod has been pending for "
      "gracePeriod, its run fails (Fail) or is given back (Retry); Fail prevails.",
      check_events);
  table.value<std::vector<container_check>>(
      "kubernetes.containerChecks", item.container_checks,
      "The same for the reasons of a pending pod's containers that are Waiting or Terminated: "
      "[{reasonRegexp: \"^CreateContainer.*Error$\", inverse: false, state: Waiting, gracePeriod: "
      "30s, action: Fail}].",
      check_containers);
  table.value<std::vector<pattern>>(
      "kubernetes.fatalSubmissionErrors", item.fatal_submission_errors,
      "Regular expressions of errors with which the API server refuses a pod and which are for "
      "good whatever their status, for example [\"admission webhook .* denied\"]. The job fails.",
      check_patterns);
  table.value(
      "kubernetes.onQuotaExceeded", item.on_quota_exceeded,
      "The agent does this when the quota of the job's namespace is used up: retry gives the run "
      "back, and the namespace is closed for a while; fail has the job fail at once.");
  table.value<std::vector<failure_rule>>(
      "kubernetes.failureRules", item.failure_rules,
      "Sorts failed runs into categories, which retry policies and searches can name: [{category: "
      "gpu, subcategory: driver, exitCodesIn: [74]}]. The first rule counts of which everything "
      "holds that it names: containerName, exitCodesIn or exitCodesNotIn and terminationMessage "
      "are of one container that has ended; reasons are those of the run, its pod or a container "
      "(OOMKilled, Evicted, DeadlineExceeded, ErrImagePull...); podError and podEvent are in the "
      "message of the failure or of an event. hint is a sentence for the user. Without a rule that "
      "holds the category follows from the failure itself.",
      check_rules);
}

}  // namespace argosy::settings
