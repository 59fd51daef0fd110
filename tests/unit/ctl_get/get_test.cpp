// SPDX-License-Identifier: Apache-2.0
// Goal: get lists what the server has in every format, by the rules for scripts. Method: the whole
// command line against a scripted server; exact output.
#include <fmt/format.h>

#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

class get : public cli_fixture {};

TEST_F(get, jobs_as_a_table) {
  auto& job = add_job(job_id(1), api::JobState::RUNNING);
  job.set_name("train");
  job.set_cluster("local");
  job.set_node("n1");
  add_job(job_id(2), api::JobState::QUEUED).set_reason("no room\x1b[2J");
  serve_jobs();
  const auto got = run({"get", "jobs"});
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_EQ(got.out,
            fmt::format("NAME   {:<26}  QUEUE  JOB SET  STATE    AGE  NODE      REASON\n"
                        "train  {}  a      s        running  65s  local/n1  -\n"
                        "-      {}  a      s        queued   65s  -         no room\\u{{1b}}[2J\n",
                        "JOB", job_id(1), job_id(2)));
  EXPECT_EQ(got.err, "");
}

TEST_F(get, jobs_of_several_pages_are_never_grouped_or_cut_for_scripts) {
  for (int i = 0; i < 401; ++i) add_job(job_id(i), api::JobState::QUEUED);
  serve_jobs();
  auto names = run({"get", "jobs", "-o", "name"});
  EXPECT_EQ(std::count(names.out.begin(), names.out.end(), '\n'), 401);
  EXPECT_TRUE(names.out.starts_with("job/" + job_id(0) + "\njob/" + job_id(1) + "\n"));
  auto json = run({"get", "jobs", "-o", "json"});
  EXPECT_TRUE(json.out.starts_with("{\"items\":[{\"jobId\":\"" + job_id(0)));
  EXPECT_EQ(std::count(json.out.begin(), json.out.end(), '\n'), 401);
  EXPECT_NE(json.out.find("\"state\":\"QUEUED\""), std::string::npos);
}

TEST_F(get, one_job_is_a_bare_object) {
  add_job(job_id(1), api::JobState::QUEUED);
  add_job(job_id(2), api::JobState::QUEUED);
  serve_jobs();
  const auto got = run({"get", "job", job_id(2), "-o", "json"});
  EXPECT_TRUE(got.out.starts_with("{\"jobId\":\"" + job_id(2) + "\"")) << got.out;
  EXPECT_NE(got.out.find("\"cancelReason\":\"\""), std::string::npos);
}

TEST_F(get, a_job_id_alone_is_enough) {
  add_job(job_id(7), api::JobState::QUEUED);
  serve_jobs();
  EXPECT_EQ(run({"get", job_id(7), "-o", "name"}).out, "job/" + job_id(7) + "\n");
  EXPECT_EQ(run({"get", "-o", "name", "01kaz"}).out, "job/" + job_id(7) + "\n");
  EXPECT_EQ(run({"get", "job/" + job_id(7), "-o", "name"}).out, "job/" + job_id(7) + "\n");
  EXPECT_EQ(run({"get", "jobs", "-", "-o", "name"}, job_id(7) + "\n").out,
            "job/" + job_id(7) + "\n");
}

TEST_F(get, flags_may_stand_before_the_kind) {
  add_job(job_id(7), api::JobState::QUEUED);
  serve_jobs();
  EXPECT_EQ(run({"get", "-o", "name", "jobs"}).out, "job/" + job_id(7) + "\n");
  EXPECT_EQ(run({"get", "--limit", "3", "jobs", "-o", "name"}).out, "job/" + job_id(7) + "\n");
}

TEST_F(get, no_more_named_jobs_than_the_limit) {
  add_job(job_id(1), api::JobState::SUCCEEDED);
  for (int i = 2; i < 5; ++i) add_job(job_id(i), api::JobState::QUEUED);
  serve_jobs();
  const std::vector<std::string> all{"get", "jobs", job_id(1), job_id(4), job_id(2), job_id(3)};
  const auto with = [&](const std::vector<std::string>& more) {
    auto words = all;
    words.insert(words.end(), more.begin(), more.end());
    return run(words).out;
  };
  EXPECT_EQ(with({"--limit", "2", "-o", "name"}),
            fmt::format("job/{}\njob/{}\n", job_id(1), job_id(4)));
  EXPECT_EQ(with({"--limit", "2", "--active", "-o", "name"}),
            fmt::format("job/{}\njob/{}\n", job_id(4), job_id(2)));
  const auto rows = with({"--limit", "9", "--no-headers"});
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 4);
}

TEST_F(get, an_ambiguous_prefix_lists_the_matches) {
  add_job(job_id(1), api::JobState::QUEUED);
  add_job(job_id(2), api::JobState::QUEUED);
  serve_jobs();
  const auto got = run({"get", "job", "01KAZ3"});
  EXPECT_EQ(got.code, exit_code::usage);
  EXPECT_EQ(got.out, "");
  EXPECT_NE(got.err.find(job_id(1)), std::string::npos);
  EXPECT_NE(got.err.find(job_id(2)), std::string::npos);
}

TEST_F(get, an_unknown_job_is_not_found) {
  serve_jobs();
  EXPECT_EQ(run({"get", "job", job_id(1)}).code, exit_code::not_found);
  EXPECT_EQ(run({"get", "job", "01"}).code, exit_code::not_found);
  EXPECT_EQ(run({"get", "job", "@last"}).code, exit_code::not_found);
  EXPECT_EQ(run({"get", "job", "not!an!id"}).code, exit_code::usage);
}

TEST_F(get, filters_go_to_the_server) {
  serve_jobs();
  EXPECT_EQ(run({"get", "jobs", "-q", "a", "--jobset", "s", "--state", "queued,RUNNING", "--active",
                 "--limit", "5"})
                .code,
            exit_code::success);
  const auto sent = server->nth<argosy::v1::ListJobsRequest>("Query.ListJobs");
  EXPECT_EQ(sent.queue(), "a");
  EXPECT_EQ(sent.job_set(), "s");
  EXPECT_EQ(sent.states_size(), 2);
  EXPECT_TRUE(sent.active_only());
  EXPECT_EQ(sent.limit(), 5);
  EXPECT_EQ(run({"get", "jobs", "--state", "asleep"}).code, exit_code::usage);
}

TEST_F(get, queues_in_all_formats) {
  argosy::v1::ListQueuesResponse queues;
  auto& queue = *queues.add_queues();
  queue.mutable_queue()->set_name("ml");
  queue.mutable_queue()->set_priority_factor(2);
  queue.set_running(3);
  queue.set_fair_share(0.25);
  server->always("Query.ListQueues", queues);
  EXPECT_NE(run({"get", "queues", "--help"}).out.find("where the queue has most"),
            std::string::npos);
  EXPECT_EQ(run({"get", "queues", "-o", "name"}).out, "queue/ml\n");
  const auto json = run({"get", "queue", "ml", "-o", "json"}).out;
  EXPECT_TRUE(json.starts_with("{\"name\":\"ml\",\"priorityFactor\":2,")) << json;
  EXPECT_NE(json.find("\"running\":3"), std::string::npos);
  EXPECT_NE(run({"get", "queues"}).out.find("25.0%"), std::string::npos);
  const auto missing = run({"get", "queue", "mll"});
  EXPECT_EQ(missing.code, exit_code::not_found);
  EXPECT_NE(missing.err.find("did you mean 'ml'?"), std::string::npos);
}

TEST_F(get, nodes_clusters_and_pools) {
  argosy::v1::ListNodesResponse nodes;
  auto& node = *nodes.add_nodes();
  node.set_cluster("c1");
  node.set_name("n1");
  node.set_state("ready");
  auto& total = *node.add_total();
  total.set_resource("cpu");
  total.set_amount(32'000);
  server->always("Query.ListNodes", nodes);
  argosy::v1::ListClustersResponse clusters;
  clusters.add_clusters()->set_name("c1");
  server->always("Query.ListClusters", clusters);
  argosy::v1::ListPoolsResponse pools;
  pools.add_pools()->set_name("default");
  server->always("Query.ListPools", pools);
  EXPECT_EQ(run({"get", "nodes", "-o", "name"}).out, "node/c1/n1\n");
  EXPECT_NE(run({"get", "n"}).out.find("0/32"), std::string::npos);
  EXPECT_EQ(run({"get", "clusters", "-o", "name"}).out, "cluster/c1\n");
  EXPECT_EQ(run({"get", "c", "c1", "-o", "name"}).out, "cluster/c1\n");
  EXPECT_EQ(run({"get", "pools", "-o", "name"}).out, "pool/default\n");
}

TEST_F(get, nodes_are_ordered_by_cluster_and_name) {
  argosy::v1::ListNodesResponse nodes;
  for (const auto& [cluster, name] :
       {std::pair{"b", "n1"}, {"a", "n10"}, {"a", "n9"}, {"b", "n0"}}) {
    auto& node = *nodes.add_nodes();
    node.set_cluster(cluster);
    node.set_name(name);
  }
  server->always("Query.ListNodes", nodes);
  EXPECT_EQ(run({"get", "nodes", "-o", "name"}).out,
            "node/a/n9\nnode/a/n10\nnode/b/n0\nnode/b/n1\n");
}

TEST_F(get, lists_come_in_pages) {
  server->on<argosy::v1::ListNodesRequest, argosy::v1::ListNodesResponse>(
      "Query.ListNodes",
      [](const argosy::v1::ListNodesRequest& request) -> result<argosy::v1::ListNodesResponse> {
        const auto number = request.cursor().empty() ? 1 : std::stoi(request.cursor()) + 1;
        argosy::v1::ListNodesResponse out;
        auto& node = *out.add_nodes();
        node.set_cluster("c");
        node.set_name("n" + std::to_string(number));
        if (number < 3) out.set_cursor(std::to_string(number));
        return out;
      });
  EXPECT_EQ(run({"get", "nodes", "-o", "name"}).out, "node/c/n1\nnode/c/n2\nnode/c/n3\n");
}

TEST_F(get, sorts_by_a_column) {
  add_job(job_id(1), api::JobState::QUEUED, "a");
  add_job(job_id(2), api::JobState::QUEUED, "b");
  serve_jobs();
  EXPECT_EQ(run({"get", "jobs", "-o", "name", "--sort-by=-queue"}).out,
            "job/" + job_id(2) + "\njob/" + job_id(1) + "\n");
  EXPECT_EQ(run({"get", "jobs", "--sort-by", "colour"}).code, exit_code::usage);
}

TEST_F(get, says_once_that_values_of_jobs_of_others_are_hidden) {
  add_job(job_id(1), api::JobState::QUEUED);
  add_job(job_id(2), api::JobState::QUEUED);
  serve_jobs();
  EXPECT_EQ(run({"get", "jobs", "-o", "yaml"}).err, "");
  server->on<api::JobDetailsRequest, api::JobDetailsResponse>(
      "Jobs.GetJobDetails",
      [](const api::JobDetailsRequest& request) -> result<api::JobDetailsResponse> {
        api::JobDetailsResponse out;
        for (const auto& id : request.job_ids()) {
          auto& details = (*out.mutable_job_details())[id];
          details.set_job_id(id);
          auto& variable =
              *details.mutable_job_spec()->mutable_pod_spec()->add_containers()->add_env();
          variable.set_name("PASSWORD");
          variable.set_value("***");
        }
        return out;
      });
  const auto got = run({"get", "jobs", "-o", "yaml"});
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_EQ(got.err,
            "values of environment variables are hidden from you ('***'); give them before you "
            "submit such a job again\n");
}

TEST_F(get, an_interruption_has_its_own_code) {
  add_job(job_id(1), api::JobState::QUEUED);
  add_job(job_id(2), api::JobState::QUEUED);
  serve_jobs();
  server->before = [this](std::string_view method) {
    if (method == "Jobs.GetJobDetails") interrupted = true;
  };
  for (const auto* as : {"json", "jsonl"}) {
    interrupted = false;
    EXPECT_EQ(run({"get", "jobs", "-o", as}).code, exit_code::interrupted) << as;
  }
  interrupted = false;
  server->refuse("Query.ListJobs", {ec::cancelled, "closing"});
  EXPECT_EQ(run({"get", "jobs"}).code, exit_code::server_error) << "nobody pressed Ctrl-C";
}

TEST_F(get, a_server_that_is_away_is_reported_once) {
  connection = fail(ec::unreachable, "nobody is there");
  const auto got = run({"get", "jobs", "--timeout", "10ms"});
  EXPECT_EQ(got.code, exit_code::unreachable);
  EXPECT_EQ(got.out, "");
  EXPECT_EQ(got.err, "error: nobody is there (the address is that of ARGOSY_SERVER)\n");
}

}  // namespace argosy::ctl
