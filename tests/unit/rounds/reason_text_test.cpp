// SPDX-License-Identifier: Apache-2.0
// Goal: a reason is a sentence that its owner understands, with human units, with "never" or "not
// now", and with what to do. Method: facts written down by hand, as round_history collects them.
#include "messages/rounds/reason_text.hpp"

#include <gtest/gtest.h>

#include <set>

namespace argosy::rounds {
namespace {

using scheduling::exclusion_cause;
using scheduling::reason;

const auto config = std::make_shared<const scheduling::config>(scheduling::default_config());
const waiting_job alone{"team-a", false};
const waiting_job member{"team-a", true};

constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

pool_facts facts(reason code, std::vector<scheduling::exclusion> causes = {}, bool ever = true) {
  pool_facts out;
  out.pool = "default";
  out.code = code;
  out.ever = ever;
  out.config = config;
  for (const auto& why : causes) out.counts.nodes += why.nodes;
  out.counts.causes = std::move(causes);
  return out;
}

pool_facts gang(std::uint32_t members, std::uint32_t minimum, std::uint32_t now,
                std::uint32_t ever) {
  auto out = facts(reason::gang_does_not_fit);
  out.gang.emplace();
  out.gang->members = members;
  out.gang->minimum = minimum;
  out.gang->fit_now = now;
  out.gang->fit_ever = ever;
  out.gang->next_needs = "1 core and 64 MiB of memory";
  return out;
}

TEST(reason_text, of_a_full_pool_tells_the_queues_share_of_it) {
  auto full = facts(reason::job_does_not_fit, {{exclusion_cause::no_room, "cpu", 2000, 0, 2000}});
  full.share = native::queue_share{0.077, 0.024, 1};
  EXPECT_EQ(sentence(alone, {full}), "no node has room for it now; it starts when other jobs end");
  EXPECT_EQ(pool_line(alone, full),
            "pool default: 2000 nodes have no cpu free, and it needs 2 cores; queue team-a uses "
            "2.4% of this pool, and its fair share is 7.7%");
}

TEST(reason_text, of_a_gang_above_a_burst_tells_of_nodes_if_they_are_too_few_as_well) {
  auto barred = gang(3, 3, 0, 3);
  barred.code = reason::gang_exceeds_burst;
  const std::string above{scheduling::sentence(reason::gang_exceeds_burst)};
  EXPECT_EQ(sentence(member, {barred}), above);
  EXPECT_EQ(pool_line(member, barred), "pool default: " + above);
  auto both = gang(3, 3, 0, 1);
  both.code = reason::gang_exceeds_burst;
  both.gang->label_carried = true;
  EXPECT_EQ(
      sentence(member, {both}),
      "it can never run as it is: at most 1 of the 3 members of its gang fit at once, even if "
      "every node were empty; ask for less, or have nodes added");
  EXPECT_EQ(pool_line(member, both),
            "pool default: it can never run here: at most 1 of the 3 members of its gang fit at "
            "once, even if every node were empty");
  EXPECT_EQ(sentence(member, {both, barred}), above) << "there a higher burst helps";
}

TEST(reason_text, of_a_job_that_is_too_large_says_by_how_much) {
  auto one = facts(reason::job_does_not_fit,
                   {{exclusion_cause::too_small, "memory", 3, 24'684'096LL << 10, 500 * gibibyte},
                    {exclusion_cause::taint, "gpu=true:NoSchedule", 1}},
                   false);
  one.share = native::queue_share{0.5, 0.5, 1};
  EXPECT_EQ(sentence(alone, {one}),
            "it can never run as it is: it needs 500 GiB of memory, and no node that it may use "
            "has more than 23.54 GiB; ask for less, or have a larger node added");
  EXPECT_EQ(pool_line(alone, one),
            "pool default: it can never run here; 3 nodes have too little memory: 23.54 GiB at "
            "most, and it needs 500 GiB; 1 node has the taint gpu=true:NoSchedule, which it does "
            "not tolerate");
}

TEST(reason_text, of_a_job_that_matches_nothing_says_what_to_change) {
  const auto one =
      facts(reason::job_does_not_fit,
            {{exclusion_cause::selector, "zone=x", 2}, {exclusion_cause::affinity, "", 1}}, false);
  EXPECT_EQ(sentence(alone, {one}),
            "it can never run as it is: no node matches its node selector, affinity and "
            "tolerations; change them, or have such a node added");
  const auto gpu =
      facts(reason::job_does_not_fit, {{exclusion_cause::unscheduled, "nvidia.com/gpu", 2}}, false);
  EXPECT_EQ(sentence(alone, {gpu}),
            "it can never run as it is: jobs that need nvidia.com/gpu are not started here");
  const auto licence =
      facts(reason::resource_limit, {{exclusion_cause::pool_short, "licence", 2, 4, 5}}, false);
  EXPECT_EQ(
      sentence(alone, {licence}),
      "it can never run as it is: the pool has 4 licence in all, and it needs 5; ask for less");
  const auto both = facts(reason::job_does_not_fit,
                          {{exclusion_cause::too_small, "cpu", 2, 1000, 2000},
                           {exclusion_cause::too_small, "memory", 1, gibibyte, 2 * gibibyte}},
                          false);
  EXPECT_EQ(sentence(alone, {both}),
            "it can never run as it is: no node could take it, even an empty one; change what it "
            "asks for, or have such a node added");
}

TEST(reason_text, of_a_pod_that_processes_cannot_carry_out_names_the_field) {
  const auto of = [](const std::string& field) {
    return facts(reason::job_does_not_fit,
                 {{exclusion_cause::taint, "argosy.io/process=" + field + ":NoSchedule", 2}},
                 false);
  };
  EXPECT_EQ(sentence(alone, {of("podSpec.containers[1]")}),
            "it can never run as it is: podSpec.containers[1] cannot be carried out by processes, "
            "and no cluster of pods has joined; change the pod, or have such a cluster join");
  EXPECT_EQ(sentence(alone, {of("podSpec.containers[0].command")}),
            "it can never run as it is: a pod without podSpec.containers[0].command cannot be "
            "carried out by processes, and no cluster of pods has joined; change the pod, or have "
            "such a cluster join");
  EXPECT_EQ(pool_line(alone, of("podSpec.volumes")),
            "pool default: it can never run here; 2 nodes run processes, as which podSpec.volumes "
            "cannot be carried out");
  auto members = gang(2, 2, 0, 0);
  members.counts = of("podSpec.volumes").counts;
  EXPECT_THAT(sentence(member, {members}), ::testing::HasSubstr("no cluster of pods has joined"));
  auto pods = facts(reason::job_does_not_fit, {{exclusion_cause::selector, "zone=x", 2}}, false);
  EXPECT_EQ(sentence(alone, {of("podSpec.volumes"), pods}),
            "it can never run as it is: no node matches its node selector, affinity and "
            "tolerations; change them, or have such a node added");
}

TEST(reason_text, is_that_of_the_most_promising_pool) {
  auto never =
      facts(reason::job_does_not_fit, {{exclusion_cause::too_small, "cpu", 1, 1000, 2000}}, false);
  never.pool = "a";
  auto closed = facts(reason::job_does_not_fit, {{exclusion_cause::closed, "", 1}});
  closed.pool = "b";
  auto full = facts(reason::job_does_not_fit, {{exclusion_cause::no_room, "cpu", 1, 500, 2000}});
  full.pool = "c";
  auto turn = facts(reason::not_reached);
  turn.pool = "d";
  std::vector pools{never, closed, full, turn};
  sort_by_promise(pools);
  std::string order;
  for (const auto& each : pools) order += each.pool;
  EXPECT_EQ(order, "dcba");
  EXPECT_EQ(sentence(alone, pools), std::string(scheduling::sentence(reason::not_reached)));
  EXPECT_EQ(sentence(alone, {closed, never}),
            "the nodes that could take it take no new jobs now; it starts when they do");
}

TEST(reason_text, of_nodes_that_take_no_new_jobs_does_not_speak_of_room) {
  scheduling::exclusion shut{exclusion_cause::taint, "argosy.io/namespaces=,jobs:NoSchedule", 2};
  shut.passes = true;
  scheduling::exclusion silent{exclusion_cause::taint, "node.kubernetes.io/not-ready:NoExecute", 2};
  silent.passes = true;
  for (const auto& why :
       {scheduling::exclusion{exclusion_cause::closed, "", 1},
        scheduling::exclusion{exclusion_cause::quarantined, "", 1}, shut, silent}) {
    auto one = facts(reason::job_does_not_fit, {why, {exclusion_cause::selector, "zone=x", 1}});
    EXPECT_EQ(sentence(alone, {one}),
              "the nodes that could take it take no new jobs now; it starts when they do");
    EXPECT_TRUE(is_about_closed_nodes(sentence(alone, {one})));
    auto mates = gang(3, 3, 0, 3);
    mates.counts = one.counts;
    EXPECT_EQ(sentence(member, {mates}),
              "the nodes that could take its gang take no new jobs now; it starts when they do");
    EXPECT_TRUE(is_about_closed_nodes(sentence(member, {mates})));
    one.counts.causes.push_back({exclusion_cause::no_room, "cpu", 1, 0, 2000});
    EXPECT_FALSE(is_about_closed_nodes(sentence(alone, {one})));
    EXPECT_EQ(sentence(alone, {one}), "no node has room for it now; it starts when other jobs end");
  }
}

TEST(reason_text, of_a_gang_counts_members) {
  const auto some = gang(3, 3, 2, 3);
  EXPECT_EQ(sentence(member, {some}),
            "2 of the 3 members of its gang fit now; it starts when there is room for all of them");
  EXPECT_EQ(pool_line(member, some),
            "pool default: 2 of the 3 members of its gang fit now; for the third, which needs 1 "
            "core and 64 MiB of memory, no node has room left");
  auto rack = gang(3, 3, 2, 3);
  rack.gang->where = "under rack=a";
  EXPECT_EQ(sentence(member, {rack}),
            "2 of the 3 members of its gang fit now under rack=a; it starts when there is room for "
            "all of them");
  EXPECT_EQ(sentence(member, {gang(8, 4, 1, 8)}),
            "1 of the 8 members of its gang fits now; it starts when there is room for 4 of them");
  EXPECT_EQ(sentence(member, {gang(8, 4, 0, 8)}),
            "none of the 8 members of its gang fits now; it starts when there is room for 4 of "
            "them");
  EXPECT_EQ(sentence(member, {gang(3, 3, 3, 3)}),
            "there is room for its gang by now; a round tries it again");
  EXPECT_EQ(sentence(member, {facts(reason::gang_does_not_fit)}),
            "there is no room for all members of its gang now; it starts when there is");
}

TEST(reason_text, of_a_gang_that_can_never_start_says_how_much_of_it_could) {
  EXPECT_EQ(sentence(member, {gang(8, 4, 1, 3)}),
            "it can never run as it is: at most 3 of the 8 members of its gang fit at once, even "
            "if every node were empty, and 4 have to start together; ask for less, or have nodes "
            "added");
  EXPECT_EQ(pool_line(member, gang(8, 4, 1, 3)),
            "pool default: it can never run here: at most 3 of the 8 members of its gang fit at "
            "once, even if every node were empty");
  EXPECT_EQ(pool_line(member, gang(8, 4, 0, 0)),
            "pool default: it can never run here: none of the 8 members of its gang fits, even if "
            "every node were empty");
  auto unlabelled = gang(2, 2, 0, 0);
  unlabelled.gang->label = "row";
  unlabelled.gang->label_carried = false;
  EXPECT_EQ(sentence(member, {unlabelled}),
            "it can never run as it is: no node has the label 'row', whose value the members of "
            "its gang must share; name another label, or have the nodes labelled");
  EXPECT_EQ(pool_line(member, unlabelled),
            "pool default: no node has the label 'row', whose value the members of its gang must "
            "share");
  unlabelled.gang->label_read = false;
  EXPECT_EQ(sentence(member, {unlabelled}),
            "it can never run as it is: the members of its gang must share a value of the label "
            "'row', and preset current reads only the labels of scheduling.indexedNodeLabels");
  auto rack = gang(3, 3, 1, 2);
  rack.gang->label = "rack";
  EXPECT_EQ(sentence(member, {rack}),
            "it can never run as it is: at most 2 of the 3 members of its gang fit at once under "
            "one value of the label 'rack', even if every node were empty; ask for less, or have "
            "nodes added");
}

TEST(reason_text, of_a_cordoned_queue_names_the_command) {
  const auto told = facts(reason::queue_cordoned);
  EXPECT_EQ(sentence(alone, {told}),
            "its queue is cordoned and starts no jobs; open it with: argosyctl queue update team-a "
            "--uncordon");
  EXPECT_EQ(pool_line(alone, told), "pool default: " + sentence(alone, {told}));
}

TEST(reason_text, has_words_for_every_reason_and_no_name_of_the_code) {
  std::set<std::string> texts;
  for (auto code = reason::placed; code <= reason::queue_resource_rate_limit;
       code = static_cast<reason>(static_cast<int>(code) + 1)) {
    for (const auto& job : {alone, member}) {
      for (const auto& text : {sentence(job, {facts(code)}), pool_line(job, facts(code))}) {
        EXPECT_FALSE(text.empty());
        EXPECT_EQ(text.find('_'), std::string::npos) << text;
      }
    }
  }
}

TEST(reason_text, of_a_namespace_that_nobody_serves_says_so) {
  const auto one =
      facts(reason::job_does_not_fit,
            {{exclusion_cause::taint, "argosy.io/namespaces=jobs:NoSchedule", 2}}, false);
  EXPECT_EQ(sentence(alone, {one}),
            "it can never run as it is: no cluster serves its namespace; submit it to another one, "
            "or have an agent serve this one");
  EXPECT_EQ(pool_line(alone, one),
            "pool default: it can never run here; 2 nodes take no jobs of its namespace (only of "
            "jobs)");
}

}  // namespace
}  // namespace argosy::rounds
