// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/remedies.hpp"

#include <fmt/format.h>

#include "runtime/scheduling/explain/amounts.hpp"
#include "runtime/scheduling/explain/exclusions.hpp"

namespace argosy::rounds {

namespace {

using scheduling::exclusion;
using scheduling::exclusion_cause;
using scheduling::reason;

std::string with_count(std::string clause, const exclusion& why) {
  return fmt::format("{} ({} {})", clause, why.nodes, why.nodes == 1 ? "node" : "nodes");
}

/// What the owner of the job can change; empty if he cannot.
std::string owners_remedy(const exclusion& why, const scheduling::config& conf) {
  const auto most = [&] {
    return scheduling::amount_of(why.most, why.subject, conf, model::rounding::down);
  };
  switch (why.cause) {
    case exclusion_cause::unscheduled:
      return "do without " + why.subject;
    case exclusion_cause::pool_short:
      return why.most == 0 ? "do without " + why.subject : "ask for " + most() + " at most";
    case exclusion_cause::too_small:
    case exclusion_cause::no_room:
      return why.most == 0 ? std::string{} : with_count("ask for " + most() + " at most", why);
    case exclusion_cause::taint:
      if (scheduling::is_of_processes(why.subject)) {
        auto change = scheduling::change_for_processes(scheduling::field_in(why.subject));
        return change.empty() ? change : with_count(std::move(change), why);
      }
      if (scheduling::is_internal(why.subject)) return {};
      return with_count("tolerate the taint " + why.subject, why);
    case exclusion_cause::selector:
      return with_count("do without the label " + why.subject, why);
    case exclusion_cause::affinity:
      return with_count("change its required node affinity", why);
    default:
      return {};
  }
}

/// What an operator can change about nodes; empty if he cannot.
std::string operators_remedy(const exclusion& why) {
  if (why.cause == exclusion_cause::quarantined)
    return with_count("have nodes released from quarantine", why);
  if (why.cause == exclusion_cause::closed)
    return with_count("have nodes opened that take no new jobs", why);
  if (why.cause == exclusion_cause::taint && scheduling::is_of_processes(why.subject))
    return "have a cluster of pods join";
  return {};
}

std::string limits_remedy(reason code) {
  switch (code) {
    case reason::queue_cordoned:
      return "have its queue opened";
    case reason::queue_limit:
      return "have the limits of its queue raised, or end other jobs of the queue";
    case reason::queue_total_limit:
      return "have the resourceLimits of its queue raised, or end other jobs of the queue";
    case reason::resource_limit:
      return "end other jobs that use the same limited resource";
    case reason::gang_exceeds_burst:
    case reason::gang_exceeds_queue_burst:
      return "make its gang smaller, or have the burst of the rate limit raised";
    default:
      return {};
  }
}

}  // namespace

std::vector<std::string> remedies(const pool_facts& facts) {
  std::vector<std::string> out;
  const auto add = [&out](std::string clause) {
    if (!clause.empty()) out.push_back(std::move(clause));
  };
  if (facts.code) add(limits_remedy(*facts.code));
  for (const auto& why : facts.counts.causes) add(owners_remedy(why, *facts.config));
  for (const auto& why : facts.counts.causes) add(operators_remedy(why));
  return out;
}

}  // namespace argosy::rounds
