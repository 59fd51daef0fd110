// SPDX-License-Identifier: Apache-2.0
// Goal: explain --node, --reverse and --history ask for what is meant, show it on one screen and as
// objects, and refuse flags that do not go together. Method: the whole command line against a
// scripted server.
#include <gmock/gmock.h>

#include "messages/proto/argosy/explain.pb.h"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using ::testing::HasSubstr;

class explain_of_a_node : public cli_fixture {
 protected:
  explain_of_a_node() {
    add_job(job_id(1), api::JobState::QUEUED);
    serve_jobs();
    server->on<argosy::v1::ListNodesRequest, argosy::v1::ListNodesResponse>(
        "Query.ListNodes", [](const auto& request) -> result<argosy::v1::ListNodesResponse> {
          argosy::v1::ListNodesResponse out;
          for (const auto& [cluster, name] :
               {std::pair{"east", "n7"}, {"east", "n8"}, {"west", "n8"}}) {
            if (!request.cluster().empty() && request.cluster() != cluster) continue;
            auto& node = *out.add_nodes();
            node.set_cluster(cluster);
            node.set_name(name);
          }
          return out;
        });
    argosy::v1::ListQueuesResponse queues;
    queues.add_queues()->mutable_queue()->set_name("team-a");
    server->always("Query.ListQueues", queues);
    api::Queue queue;
    queue.set_name("team-a");
    server->always("QueueService.GetQueue", queue);
    server->always("Explain.ExplainJobOnNode", on_node());
    server->always("Explain.ExplainNode", of_node());
    server->always("Explain.ExplainJobHistory", history());
  }
  static void add_cpu(argosy::v1::NodeRoom& room, double asked) {
    room.set_resource("cpu");
    room.set_asked(asked);
    room.set_total(8);
    room.set_free(1.5);
    for (const auto& [priority, free] : {std::pair{20'000, 1.5}, {30'000, 4.0}}) {
      room.add_at_priority()->set_priority(priority);
      room.mutable_at_priority()->rbegin()->set_free(free);
    }
  }
  argosy::v1::JobOnNode on_node() {
    argosy::v1::JobOnNode out;
    out.set_job_id(job_id(1));
    out.set_queue("team-a");
    out.set_state("QUEUED");
    out.set_cluster("east");
    out.set_node("n7");
    out.set_pool("main");
    out.set_priority(30'000);
    out.set_verdict("the node is quarantined; 1 thing more stands in its way");
    auto& first = *out.add_obstacles();
    first.set_code("NODE_QUARANTINED");
    first.set_text("the node is quarantined\x1b[31m");
    first.set_until_ns(now_ns + 120'000'000'000);
    auto& second = *out.add_obstacles();
    second.set_code("NO_ROOM");
    second.set_text("it needs 4 cores");
    add_cpu(*out.add_room(), 4);
    auto& memory = *out.add_room();
    memory.set_resource("memory");
    memory.set_asked(1024);
    memory.set_total(4096);
    memory.set_free(4096);
    out.add_notes("A note.");
    return out;
  }
  argosy::v1::NodeExplanation of_node() {
    argosy::v1::NodeExplanation out;
    out.set_cluster("east");
    out.set_node("n7");
    out.set_pool("main");
    out.set_state("ready");
    out.set_verdict("3 of 5 waiting jobs fit there");
    add_cpu(*out.add_room(), 0);
    out.set_waiting(9);
    out.set_looked_at(5);
    out.set_could_run(3);
    auto& job = *out.add_jobs();
    job.set_job_id(job_id(1));
    job.set_queue("team-a");
    job.set_place_in_queue(2);
    job.set_by_preemption(true);
    out.add_others()->set_why("2 jobs need more cpu");
    return out;
  }
  argosy::v1::JobHistory history() {
    argosy::v1::JobHistory out;
    out.set_job_id(job_id(1));
    out.set_queue("team-a");
    out.set_state("QUEUED");
    out.set_submitted_ns(now_ns - 600'000'000'000);
    out.set_rounds_since(60);
    out.set_rounds_decided(58);
    out.set_rounds_differing(2);
    out.set_stopped("Rounds before 13 were left out.");
    for (const auto& [code, rounds] :
         {std::pair{"JOB_DOES_NOT_FIT", 55}, {"QUEUE_RATE_LIMIT", 3}}) {
      auto& cause = *out.add_causes();
      cause.set_pool("main");
      cause.set_code(code);
      cause.set_why(std::string{"it is "} + code);
      cause.set_rounds(static_cast<std::uint64_t>(rounds));
      auto& span = *out.add_spans();
      span.set_pool("main");
      span.set_code(code);
      span.set_why(std::string{"it is "} + code);
      span.set_rounds(static_cast<std::uint64_t>(rounds));
      span.set_first_round(13);
      span.set_last_round(67);
      span.set_first_ns(now_ns - 500'000'000'000);
      span.set_last_ns(now_ns - 60'000'000'000);
    }
    return out;
  }
};

TEST_F(explain_of_a_node, shows_what_stands_in_the_way_of_a_job_with_figures) {
  const auto got = run({"explain", job_id(1), "--node", "n7"});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  EXPECT_EQ(got.out, "Job " + job_id(1) +
                         " of queue team-a is QUEUED; node n7 of cluster east (pool main):\n"
                         "  the node is quarantined; 1 thing more stands in its way\n"
                         "In its way there:\n"
                         "  the node is quarantined\\u{1b}[31m (NODE_QUARANTINED, for 2m more)\n"
                         "  it needs 4 cores (NO_ROOM)\n"
                         "Resources; its priority is 30000:\n"
                         "  cpu: asks for 4, 1.5 free of 8 (at priority 20000: 1.5, at 30000: 4)\n"
                         "  memory: asks for 1Ki, 4Ki free of 4Ki\n"
                         "A note.\n");
  const auto asked = server->nth<argosy::v1::ExplainJobOnNodeRequest>("Explain.ExplainJobOnNode");
  EXPECT_EQ(asked.job_id(), job_id(1));
  EXPECT_EQ(asked.cluster(), "east");
  EXPECT_EQ(asked.node(), "n7");
}

TEST_F(explain_of_a_node, finds_the_node_by_its_cluster_and_suggests_names) {
  EXPECT_EQ(run({"explain", job_id(1), "--node", "west/n8"}).code, exit_code::success);
  EXPECT_EQ(run({"explain", job_id(1), "--node", "n8", "--cluster", "west"}).code,
            exit_code::success);
  const auto two = run({"explain", job_id(1), "--node", "n8"});
  EXPECT_EQ(two.code, exit_code::usage);
  EXPECT_THAT(two.err, HasSubstr("east, west"));
  const auto unknown = run({"explain", job_id(1), "--node", "n77"});
  EXPECT_EQ(unknown.code, exit_code::not_found);
  EXPECT_THAT(unknown.err, HasSubstr("n7"));
}

TEST_F(explain_of_a_node, in_reverse_shows_which_jobs_fit_and_why_the_others_do_not) {
  const auto got = run({"explain", "--reverse", "--node", "n7", "-q", "team-a", "--limit", "7"});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  EXPECT_EQ(got.out,
            "Node n7 of cluster east (pool main) is ready\n"
            "  3 of 5 waiting jobs fit there\n"
            "Resources:\n"
            "  cpu: 1.5 free of 8 (at priority 20000: 1.5, at 30000: 4)\n"
            "These jobs fit, each alone:\n"
            "  " +
                job_id(1) +
                "  team-a, place 2, if jobs of lower priority leave: no round has looked "
                "at it yet\n"
                "  and 2 more\n"
                "The others do not fit:\n"
                "  2 jobs need more cpu\n"
                "Only 5 of 9 waiting jobs were looked at, the first of each queue.\n");
  const auto asked = server->nth<argosy::v1::ExplainNodeRequest>("Explain.ExplainNode");
  EXPECT_EQ(asked.queue(), "team-a");
  EXPECT_EQ(asked.limit(), 7U);
}

TEST_F(explain_of_a_node, shows_the_history_of_a_job_by_cause_and_by_time) {
  const auto got = run({"explain", job_id(1), "--history", "--rounds", "58"});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  EXPECT_EQ(got.out,
            "Job " + job_id(1) +
                " of queue team-a is QUEUED, submitted 10m ago\n"
                "  58 of the 60 rounds since then were decided again\n"
                "  55 rounds of pool main: it is JOB_DOES_NOT_FIT (JOB_DOES_NOT_FIT)\n"
                "  3 rounds of pool main: it is QUEUE_RATE_LIMIT (QUEUE_RATE_LIMIT)\n"
                "One after the other:\n"
                "  rounds 13 to 67 of pool main, 8m20s to 60s ago: 55 rounds, it is "
                "JOB_DOES_NOT_FIT\n"
                "  rounds 13 to 67 of pool main, 8m20s to 60s ago: 3 rounds, it is "
                "QUEUE_RATE_LIMIT\n"
                "2 rounds could not be decided again just as they were, so that details may "
                "differ.\n"
                "Rounds before 13 were left out.\n");
  EXPECT_EQ(
      server->nth<argosy::v1::ExplainJobHistoryRequest>("Explain.ExplainJobHistory").rounds_max(),
      58U);
}

TEST_F(explain_of_a_node, prints_objects_too) {
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"explain", job_id(1), "--node", "n7"},
                                             {"explain", "--reverse", "--node", "n7"},
                                             {"explain", job_id(1), "--history"}}) {
    auto json = words;
    json.insert(json.end(), {"-o", "json"});
    EXPECT_THAT(run(json).out, ::testing::StartsWith("{\"")) << words[1];
    auto yaml = words;
    yaml.insert(yaml.end(), {"-o", "yaml"});
    EXPECT_THAT(run(yaml).out, HasSubstr("queue: team-a\n")) << words[1];
  }
}

TEST_F(explain_of_a_node, refuses_flags_that_do_not_go_together) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"explain"},
           {"explain", "--node", "n7"},
           {"explain", "--reverse"},
           {"explain", job_id(1), "--reverse", "--node", "n7"},
           {"explain", job_id(1), "-q", "team-a"},
           {"explain", job_id(1), "--node", ""},
           {"explain", job_id(1), "--node", "n7", "--limit", "3"},
           {"explain", job_id(1), "--node", "n7", "--history"},
           {"explain", job_id(1), "--node", "n7", "--round", "3"},
           {"explain", job_id(1), "--cluster", "east"},
           {"explain", job_id(1), "--history", "--at", "2h"},
           {"explain", job_id(1), "--history", "--rounds", "0"},
           {"explain", job_id(1), "--history", "--rounds", "999999"},
           {"explain", job_id(1), "--rounds", "5"},
           {"explain", "--reverse", "--node", "n7", "--limit", "0"}})
    EXPECT_EQ(run(words).code, exit_code::usage) << ::testing::PrintToString(words);
}

TEST_F(explain_of_a_node, of_an_unknown_queue_is_refused) {
  server->refuse("QueueService.GetQueue", {ec::not_found, "queue 'team-x' does not exist"});
  EXPECT_EQ(run({"explain", "--reverse", "--node", "n7", "-q", "team-x"}).code,
            exit_code::not_found);
}

}  // namespace argosy::ctl
