// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/explain/obstacle.hpp"

#include <array>
#include <string_view>

#include "runtime/scheduling/explain/amounts.hpp"
#include "runtime/scheduling/explain/exclusions.hpp"

namespace argosy::scheduling {

namespace {

std::string amount_up(std::int64_t steps, const obstacle& what, const config& conf) {
  return amount_of(steps, what.subject, conf, model::rounding::up);
}

/// "2 cores", "12 GiB", or "none".
std::string amount_down(std::int64_t steps, const obstacle& what, const config& conf) {
  if (steps == 0) return "none";
  return amount_text(steps, what.subject, conf, model::rounding::down);
}

/// The clause about the label of one job.
std::string label_clause(const obstacle& what) {
  if (what.subject.find('=') == std::string::npos)
    return "the node does not have the label " + what.subject +
           ", whose value the members of its gang must share";
  return "it asks for the label " + what.subject + ", and the node has " +
         (what.carried.empty() ? "no such label" : what.carried);
}

std::string jobs_that(std::uint64_t jobs, std::string_view one_does, std::string_view many_do) {
  return std::to_string(jobs)
      .append(jobs == 1 ? " job " : " jobs ")
      .append(jobs == 1 ? one_does : many_do);
}

std::string least_need(const obstacle& what, std::uint64_t jobs, const config& conf) {
  return ": " + amount_text(what.need, what.subject, conf, model::rounding::up) +
         (jobs == 1 ? "" : " or more");
}

}  // namespace

std::string text_of(const affinity_rule& rule) {
  static constexpr std::array<std::string_view, 7> names{
      "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "(an invalid rule)"};
  std::string values;
  for (const auto& value : rule.values) values += (values.empty() ? "" : ", ") + value;
  auto out = rule.label + " " + std::string{names.at(static_cast<std::size_t>(rule.op))};
  return values.empty() ? out : out + " (" + values + ")";
}

std::string sentence(const obstacle& what, const config& conf) {
  switch (what.kind) {
    case obstacle_kind::quarantined:
      return "the node is quarantined, since runs failed or were refused there";
    case obstacle_kind::closed:
      return "the node takes no new jobs";
    case obstacle_kind::overfull:
      return "the node takes no new jobs, since the jobs there need more than it has";
    case obstacle_kind::pool:
      return "it may run in " + what.subject + " only, and the node is of pool " + what.carried;
    case obstacle_kind::unscheduled:
      return "jobs that need " + what.subject +
             " are not started (unscheduledResources of the pool)";
    case obstacle_kind::taint:
      if (is_of_namespace(what.subject))
        return "the node takes no jobs of its namespace" + namespaces_in(what.subject);
      if (is_of_processes(what.subject))
        return "the node runs processes, as which " + not_for_processes(field_in(what.subject)) +
               " cannot be carried out";
      return "the node has the taint " + what.subject + ", which it does not tolerate";
    case obstacle_kind::label:
      return label_clause(what);
    case obstacle_kind::affinity:
      return "the node does not meet its required node affinity: " + what.subject;
    case obstacle_kind::too_small:
      return "it needs " + amount_up(what.need, what, conf) + ", and the node has " +
             amount_down(what.in_all, what, conf) + " in all";
    case obstacle_kind::no_room:
      return "it needs " + amount_up(what.need, what, conf) + ", and the node has " +
             amount_down(what.have, what, conf) + " free of " +
             amount_text(what.in_all, what.subject, conf, model::rounding::down);
  }
  return {};
}

std::string sentence(const obstacle& what, std::uint64_t jobs, const config& conf) {
  switch (what.kind) {
    case obstacle_kind::quarantined:
    case obstacle_kind::closed:
    case obstacle_kind::overfull:
      break;
    case obstacle_kind::pool:
      return jobs_that(jobs, "may", "may") + " run in " + what.subject + " only";
    case obstacle_kind::unscheduled:
      return jobs_that(jobs, "needs ", "need ") + what.subject +
             ", which is not given out (unscheduledResources of the pool)";
    case obstacle_kind::taint:
      if (is_of_namespace(what.subject))
        return jobs_that(jobs, "is", "are") + " of a namespace of which the node takes none" +
               namespaces_in(what.subject);
      if (is_of_processes(what.subject))
        return jobs_that(jobs, "has", "have") + " " + not_for_processes(field_in(what.subject)) +
               ", which processes cannot carry out";
      return jobs_that(jobs, "does", "do") + " not tolerate the taint " + what.subject;
    case obstacle_kind::label:
      return jobs_that(jobs, "asks", "ask") + " for the label " + what.subject + ", and the node " +
             (what.carried.empty() ? "has no such label" : "has " + what.carried);
    case obstacle_kind::affinity:
      return jobs_that(jobs, "requires ", "require ") + what.subject;
    case obstacle_kind::too_small:
      return jobs_that(jobs, "needs", "need") + " more " + what.subject + " than the node has (" +
             amount_down(what.in_all, what, conf) + ")" + least_need(what, jobs, conf);
    case obstacle_kind::no_room:
      return jobs_that(jobs, "needs", "need") + " more " + what.subject + " than is free (" +
             amount_down(what.have, what, conf) + ")" + least_need(what, jobs, conf);
  }
  return jobs_that(jobs, "is", "are") + " kept away by the node itself";
}

}  // namespace argosy::scheduling
