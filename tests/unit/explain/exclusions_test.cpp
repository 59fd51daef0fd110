// SPDX-License-Identifier: Apache-2.0
// Goal: a waiting job's owner reads which taint, label or resource excludes how many nodes.
// Method: small worlds in SNAP1; the first queued job's shape is explained.
#include "runtime/scheduling/explain/exclusions.hpp"

#include <set>

#include "tests/support/world_fixture.hpp"

namespace argosy::scheduling {

namespace {

/// The sentence of each cause for the job j1. All nodes are in the fixture's pool `default`.
lines explained(const std::string& text, preset name = preset::argosy) {
  auto world = read_snap1(text, bench_config(name)).value();
  const auto what = schedule(world.jobs_and_nodes, world.conf, world.params);
  if (what.refusals.empty()) {
    ADD_FAILURE() << "the job was placed";
    return {};
  }
  const auto counts = explain(world.jobs_and_nodes, world.conf, world.params.pool,
                              world.jobs_and_nodes.job_id(what.refusals.front().job_index));
  lines out;
  std::uint32_t sum = 0;
  for (const auto& why : counts.causes) {
    out.push_back(sentence(why, world.conf));
    sum += why.nodes;
  }
  EXPECT_EQ(sum, counts.nodes);
  return out;
}

std::string closed(int count) {
  return std::to_string(count) + (count == 1 ? " node takes" : " nodes take") +
         " no new jobs (cordoned, quarantined, out of contact, or overfull)";
}

}  // namespace

TEST(explain, names_taints_labels_and_what_is_lacking) {
  EXPECT_EQ(
      explained("N 0 n0 e 4000 8589934592 0 zone=a gpu=true:NoSchedule\n"
                "N 1 n1 e 4000 8589934592 0 zone=a gpu=true:NoSchedule\n"
                "N 2 n2 e 4000 8589934592 0 zone=a gpu=true:NoSchedule\n"
                "N 3 n3 e 8000 17179869184 0 zone=b -\n"
                "N 4 n4 e 8000 17179869184 0 - -\n"
                "N 5 n5 e 1000 1073741824 0 zone=a -\n"
                "N 6 n6 e 1500 1073741824 0 zone=a -\n"
                "N 7 n7 e 8000 1073741824 0 zone=a - unschedulable\n"
                "Q q 1\n"
                "J j1 q std 0 1 2000 1073741824 0 zone=a - - - 0 -\n"),
      (lines{"3 nodes have the taint gpu=true:NoSchedule, which it does not tolerate",
             "2 nodes lack the label zone=a",
             "2 nodes have too little cpu: 1.5 cores at most, and it needs 2 cores", closed(1)}));
}

TEST(explain, counts_nodes_without_the_label_that_a_gang_must_share) {
  const std::string nodes =
      "N 0 n0 e 4000 1000 0 rack=a -\nN 1 n1 e 1000 1000 0 rack=a -\nN 2 n2 e 4000 1000 0 - -\n"
      "Q q 1\n";
  const auto gang = [](const std::string& label) {
    std::string text;
    for (const auto* id : {"j1", "j2", "j3"})
      text += "J " + std::string(id) + " q std 0 1 2000 1 0 - - - g 3 " + label + "\n";
    return text;
  };
  EXPECT_EQ(explained(nodes + gang("rack")),
            (lines{"1 node lacks the label rack",
                   "1 node has too little cpu: 1 core at most, and it needs 2 cores",
                   "1 node has room"}));
  EXPECT_EQ(explained(nodes + gang("row")), lines{"3 nodes lack the label row"});
}

TEST(explain, tells_room_that_is_taken_from_nodes_that_are_too_small) {
  EXPECT_EQ(explained("N 0 n0 e 4000 8589934592 0 - -\n"
                      "N 1 n1 e 4000 8589934592 0 - -\n"
                      "N 2 n2 e 8000 1073741824 0 - -\n"
                      "Q q 1\n"
                      "J r0 q std-np 0 1 3000 1073741824 0 - - - - 0 -\n"
                      "R r0 0 1 1000\n"
                      "J r1 q std-np 0 1 2500 1073741824 0 - - - - 0 -\n"
                      "R r1 1 1 1000\n"
                      "J j1 q std 0 1 2000 2147483648 0 - - - - 0 -\n"),
            (lines{"2 nodes have too little cpu free: 1.5 cores at most, and it needs 2 cores",
                   "1 node has too little memory: 1 GiB at most, and it needs 2 GiB"}));
}

TEST(explain, says_that_nothing_is_free) {
  EXPECT_EQ(explained("N 0 n0 e 4000 8589934592 1 - -\n"
                      "N 1 n1 e 2000 8589934592 1 - -\n"
                      "Q q 1\n"
                      "J r0 q std-np 0 1 4000 1 0 - - - - 0 -\nR r0 0 1 1000\n"
                      "J r1 q std-np 0 1 2000 1 0 - - - - 0 -\nR r1 1 1 1000\n"
                      "J j1 q std 0 1 2000 1 0 - - - - 0 -\n"),
            lines{"2 nodes have no cpu free, and it needs 2 cores"});
  EXPECT_EQ(explained("N 0 n0 e 4000 1000 2 - -\nQ q 1\nJ j1 q std 0 1 1 1 4 - - - - 0 -\n"),
            lines{"1 node has too few nvidia.com/gpu: 2 at most, and it needs 4"});
}

TEST(explain, names_an_affinity_and_a_cordon) {
  EXPECT_EQ(explained("N 0 n0 e 4000 8589934592 0 zone=a -\n"
                      "N 1 n1 e 4000 8589934592 0 zone=b - unschedulable\n"
                      "Q q 1\n"
                      "J r1 q std-np 0 1 1000 1073741824 0 - - - - 0 -\n"
                      "R r1 1 1 1000\n"
                      "J j1 q std 0 1 2000 1073741824 0 - - zone:In:b|c - 0 -\n"),
            (lines{closed(1), "1 node does not match its required node affinity"}));
}

TEST(explain, counts_idle_nodes_that_are_closed) {
  const std::string shut =
      "N 0 n0 e 4000 1000 0 - - unschedulable\nN 1 n1 e 4000 1000 0 - - unschedulable\n";
  const std::string small = "N 2 n2 e 1000 1000 0 - -\n";
  const std::string job = "Q q 1\nJ j1 q std 0 1 2000 1 0 - - - - 0 -\n";
  EXPECT_EQ(explained(shut + job), lines{closed(2)});
  EXPECT_EQ(explained(shut + small + job),
            (lines{closed(2), "1 node has too little cpu: 1 core at most, and it needs 2 cores"}));
  // Nodes that this pool may use count as well, and no other nodes do.
  const std::string lent =
      "C awayPools lender\nN 0 n0 e 4000 1000 0 - - unschedulable - lender\n"
      "N 1 n1 e 4000 1000 0 - - unschedulable - other\n";
  EXPECT_EQ(explained(lent + small + job),
            (lines{closed(1), "1 node has too little cpu: 1 core at most, and it needs 2 cores"}));
}

TEST(explain, names_a_resource_that_is_not_scheduled) {
  EXPECT_EQ(explained("C unscheduledResources nvidia.com/gpu\n"
                      "N 0 n0 e 4000 1000 8 - -\nN 1 n1 e 4000 1000 8 - - unschedulable\n"
                      "Q q 1\nJ j1 q std 0 1 2000 1 1 - - - - 0 -\n"),
            lines{"2 nodes are not asked, since jobs that need nvidia.com/gpu are not started "
                  "(scheduling.unscheduledResources)"});
}

TEST(explain, takes_soft_taints_as_each_preset_does) {
  const std::string world =
      "N 0 n0 e 1000 8589934592 0 - x=y:PreferNoSchedule\n"
      "Q q 1\n"
      "J j1 q std 0 1 2000 1073741824 0 - - - - 0 -\n";
  EXPECT_EQ(explained(world),
            (lines{"1 node has too little cpu: 1 core at most, and it needs 2 cores"}));
  EXPECT_EQ(explained(world, preset::current),
            (lines{"1 node has the taint x=y:PreferNoSchedule, which it does not tolerate"}));
}

TEST(reason, has_a_name_and_a_sentence_of_its_own) {
  std::set<std::string_view> texts;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(reason::not_reached); ++i) {
    texts.insert(to_string(static_cast<reason>(i)));
    texts.insert(sentence(static_cast<reason>(i)));
  }
  EXPECT_EQ(texts.size(), 2 * (static_cast<std::size_t>(reason::not_reached) + 1));
}

TEST(reason, is_told_of_a_job_with_its_queue) {
  const auto world = read_snap1(
                         "Q q 1 cordoned\nJ j1 q std 0 1 1000 1024 0 - - - - 0 -\n"
                         "N 0 n0 e 4000 8589934592 0 - -\n",
                         bench_config(preset::argosy))
                         .value();
  const auto made = schedule(world.jobs_and_nodes, world.conf, world.params);
  ASSERT_EQ(made.refusals.size(), 1u);
  const auto& job = world.jobs_and_nodes.job_id(made.refusals.front().job_index);
  EXPECT_EQ(render(world.jobs_and_nodes, made.refusals.front()),
            "job " + to_string(job) + " of queue 'q': its queue is cordoned");
}

TEST(explain, says_nothing_of_pools_and_jobs_that_are_not_there) {
  const auto world = read_snap1(
                         "N 0 n0 e 1000 8589934592 0 - -\nQ q 1\n"
                         "J j q std 0 1 2000 1 0 - - - - 1 -\n",
                         bench_config(preset::argosy))
                         .value();
  const auto& from = world.jobs_and_nodes;
  EXPECT_EQ(explain(from, world.conf, world.params.pool, from.job_id(0)).nodes, 1u);
  EXPECT_EQ(explain(from, world.conf, "nowhere", from.job_id(0)).nodes, 0u);
  EXPECT_EQ(explain(from, world.conf, world.params.pool, ulid{}).nodes, 0u);
}

}  // namespace argosy::scheduling
