// SPDX-License-Identifier: Apache-2.0
// Goal: the owner of a waiting job learns what to change for it to start. Method: facts written
// down by hand, as round_history collects them.
#include "messages/rounds/remedies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace argosy::rounds {
namespace {

using scheduling::exclusion_cause;
using scheduling::reason;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

pool_facts facts_with(reason code, std::vector<scheduling::exclusion> causes = {}) {
  pool_facts out;
  out.pool = "default";
  out.code = code;
  out.config = std::make_shared<const scheduling::config>(scheduling::default_config());
  out.counts.causes = std::move(causes);
  return out;
}

TEST(remedies, name_what_the_owner_can_change_before_what_an_operator_can) {
  EXPECT_THAT(remedies(facts_with(reason::job_does_not_fit,
                                  {{exclusion_cause::quarantined, "", 2},
                                   {exclusion_cause::closed, "", 1},
                                   {exclusion_cause::no_room, "cpu", 3, 1000, 2000},
                                   {exclusion_cause::taint, "gpu=true:NoSchedule", 4},
                                   {exclusion_cause::selector, "zone=x", 1},
                                   {exclusion_cause::affinity, "", 5}})),
              ElementsAre("ask for 1 core at most (3 nodes)",
                          "tolerate the taint gpu=true:NoSchedule (4 nodes)",
                          "do without the label zone=x (1 node)",
                          "change its required node affinity (5 nodes)",
                          "have nodes released from quarantine (2 nodes)",
                          "have nodes opened that take no new jobs (1 node)"));
}

TEST(remedies, of_what_no_node_has_are_to_do_without) {
  EXPECT_THAT(
      remedies(facts_with(reason::job_does_not_fit, {{exclusion_cause::unscheduled, "gpu", 2}})),
      ElementsAre("do without gpu"));
  EXPECT_THAT(remedies(facts_with(reason::job_does_not_fit,
                                  {{exclusion_cause::pool_short, "licence", 2, 0, 4}})),
              ElementsAre("do without licence"));
  EXPECT_THAT(remedies(facts_with(reason::job_does_not_fit,
                                  {{exclusion_cause::pool_short, "licence", 2, 3, 4}})),
              ElementsAre("ask for 3 licence at most"));
}

TEST(remedies, offer_no_taint_of_ours) {
  EXPECT_THAT(remedies(facts_with(
                  reason::job_does_not_fit,
                  {{exclusion_cause::taint, "argosy.io/process=podSpec.volumes:NoSchedule", 2}})),
              ElementsAre("do without podSpec.volumes (2 nodes)", "have a cluster of pods join"));
  EXPECT_THAT(
      remedies(facts_with(reason::job_does_not_fit,
                          {{exclusion_cause::taint,
                            "argosy.io/process=podSpec.containers[0].command:NoSchedule", 1}})),
      ElementsAre("name podSpec.containers[0].command (1 node)", "have a cluster of pods join"));
  for (const auto* key : {"namespaces=jobs", "unlabelled=rack", "whatever"})
    EXPECT_THAT(remedies(facts_with(reason::job_does_not_fit,
                                    {{exclusion_cause::taint,
                                      std::string{"argosy.io/"} + key + ":NoSchedule", 1}})),
                IsEmpty())
        << key;
}

TEST(remedies, of_limits_name_the_limit) {
  EXPECT_THAT(remedies(facts_with(reason::queue_cordoned)), ElementsAre("have its queue opened"));
  EXPECT_THAT(remedies(facts_with(reason::queue_limit)),
              ElementsAre("have the limits of its queue raised, or end other jobs of the queue"));
  EXPECT_THAT(
      remedies(facts_with(reason::queue_total_limit)),
      ElementsAre("have the resourceLimits of its queue raised, or end other jobs of the queue"));
  EXPECT_THAT(remedies(facts_with(reason::resource_limit)),
              ElementsAre("end other jobs that use the same limited resource"));
  EXPECT_THAT(remedies(facts_with(reason::gang_exceeds_burst)),
              ElementsAre("make its gang smaller, or have the burst of the rate limit raised"));
}

TEST(remedies, are_none_where_only_waiting_helps) {
  EXPECT_THAT(remedies(facts_with(reason::global_rate_limit)), IsEmpty());
  EXPECT_THAT(
      remedies(facts_with(reason::job_does_not_fit, {{exclusion_cause::no_room, "cpu", 3, 0, 2000},
                                                     {exclusion_cause::has_room, "", 1}})),
      IsEmpty());
}

}  // namespace
}  // namespace argosy::rounds
