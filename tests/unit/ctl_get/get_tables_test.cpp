// SPDX-License-Identifier: Apache-2.0
// Goal: tables of jobs and job sets are the same in a pipe whatever their number, fit a terminal
// without cutting a number, and say how jobs ended. Method: the whole command line against a
// scripted server; exact output.
#include <fmt/format.h>

#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using api::JobState;

class get_tables : public cli_fixture {
 protected:
  void on_terminal(std::size_t width) {
    where.out_is_terminal = true;
    where.width = width;
  }
  void add_many() {
    for (int i = 0; i < 201; ++i)
      add_job(job_id(i), i < 100 ? JobState::SUCCEEDED : JobState::QUEUED, "a",
              i % 2 == 0 ? "even" : "odd");
    serve_jobs();
    serve_job_sets();
  }
  [[nodiscard]] static auto lines(const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  }
};

TEST_F(get_tables, in_a_pipe_has_a_row_for_every_job_however_many) {
  add_many();
  const auto got = run({"get", "jobs", "--no-headers"});
  EXPECT_EQ(lines(got.out), 201);
  EXPECT_TRUE(got.out.starts_with("-  " + job_id(0) + "  a  even  succeeded"))
      << got.out.substr(0, 200);
  EXPECT_EQ(got.err, "");
  EXPECT_EQ(lines(run({"get", "jobs", "-o", "wide"}).out), 202);
}

TEST_F(get_tables, of_jobs_say_whose_cluster_is_silent) {
  for (int i = 0; i < 2; ++i) {
    auto& job = add_job(job_id(i), JobState::RUNNING);
    job.set_cluster("far");
    job.set_node("n1");
    job.set_cluster_silent(true);
    if (i == 0) job.set_cluster_heard_ns(now_ns - 20'000'000'000);
    if (i == 1) job.set_reason("is being cancelled");
  }
  add_job(job_id(2), JobState::RUNNING).set_cluster("near");
  serve_jobs();
  const auto got = run({"get", "jobs", "--no-headers"}).out;
  EXPECT_NE(got.find("far/n1  its cluster is silent for 20s\n"), std::string::npos) << got;
  EXPECT_NE(got.find("far/n1  is being cancelled; its cluster is silent\n"), std::string::npos)
      << got;
  EXPECT_NE(got.find("near    -\n"), std::string::npos) << got;
}

TEST_F(get_tables, of_pools_count_apart_what_is_silent) {
  argosy::v1::ListPoolsResponse pools;
  auto& pool = *pools.add_pools();
  pool.set_name("default");
  pool.set_clusters(2);
  pool.set_nodes(3);
  pool.set_silent_clusters(1);
  pool.set_silent_nodes(2);
  const auto put = [](auto& list, const char* resource, std::int64_t amount) {
    auto& one = *list.Add();
    one.set_resource(resource);
    one.set_amount(amount);
  };
  put(*pool.mutable_total(), "cpu", 32'000);
  put(*pool.mutable_used(), "cpu", 20'000);
  put(*pool.mutable_silent_total(), "cpu", 24'000);
  put(*pool.mutable_silent_used(), "cpu", 15'000);
  server->always("Query.ListPools", pools);
  EXPECT_EQ(run({"get", "pools"}).out,
            "POOL     CLUSTERS  NODES  SILENT  CPU  MEMORY\n"
            "default         2      3       2  5/8       -\n");
}

TEST_F(get_tables, of_pools_name_the_namespaces_that_are_closed) {
  argosy::v1::ListPoolsResponse pools;
  auto& pool = *pools.add_pools();
  pool.set_name("default");
  pool.set_clusters(2);
  pool.set_nodes(3);
  (*pool.mutable_closed_nodes())["team-a"] = 3;
  (*pool.mutable_closed_nodes())["jobs"] = 1;
  server->always("Query.ListPools", pools);
  const auto wide = run({"get", "pools", "-o", "wide"}).out;
  EXPECT_NE(wide.find("CLOSED\n"), std::string::npos) << wide;
  EXPECT_NE(wide.find("jobs on 1 of 3, team-a on 3 of 3\n"), std::string::npos) << wide;
  const auto described = run({"describe", "pool", "default"}).out;
  EXPECT_NE(described.find("jobs on 1 of 3, team-a on 3 of 3\n"), std::string::npos) << described;
}

TEST_F(get_tables, on_a_terminal_has_job_sets_when_there_are_very_many) {
  add_many();
  on_terminal(120);
  const auto got = run({"get", "jobs", "--no-headers"});
  EXPECT_EQ(got.out,
            "a  even  101  51  0  50  0  0  65s  [####......]\n"
            "a  odd   100  50  0  50  0  0  65s  [#####.....]\n");
  EXPECT_NE(got.err.find("--all shows the jobs one by one"), std::string::npos) << got.err;
  EXPECT_EQ(lines(run({"get", "jobs", "--no-headers", "--all"}).out), 201);
  EXPECT_EQ(lines(run({"get", "jobs", "--no-headers", "--limit", "201"}).out), 201);
}

TEST_F(get_tables, has_job_sets_where_they_are_chosen) {
  add_many();
  const auto got = run({"get", "jobs", "--by-set", "--no-headers"});
  EXPECT_EQ(lines(got.out), 2);
  EXPECT_EQ(got.err, "");
  EXPECT_EQ(run({"get", "jobs", "--by-set", "-o", "name"}).out, "jobset/a/even\njobset/a/odd\n");
  EXPECT_EQ(run({"get", "jobs", "--by-set", "--all"}).code, exit_code::usage);
  EXPECT_EQ(run({"get", "jobs", "--by-set", job_id(1)}).code, exit_code::usage);
}

TEST_F(get_tables, has_all_numbers_of_the_sets_that_a_selection_is_in) {
  add_many();
  add_job(job_id(500), JobState::SUCCEEDED, "a", "done");
  on_terminal(120);
  const auto got = run({"get", "jobs", "--by-set", "--state", "queued", "--no-headers"});
  EXPECT_EQ(got.out,
            "a  even  101  51  0  50  0  0  65s  [####......]\n"
            "a  odd   100  50  0  50  0  0  65s  [#####.....]\n");
  EXPECT_EQ(lines(run({"get", "jobs", "--by-set", "--active", "--no-headers"}).out), 2);
  EXPECT_EQ(lines(run({"get", "jobs", "--by-set", "--jobset", "odd", "--no-headers"}).out), 1);
}

TEST_F(get_tables, of_very_many_jobs_are_one_table) {
  for (int i = 0; i < 2'500; ++i) add_job(job_id(i), JobState::QUEUED);
  jobs.back().set_queue("a-longer-queue");
  serve_jobs();
  const auto got = run({"get", "jobs", "-o", "wide"});
  EXPECT_EQ(lines(got.out), 2'501);
  EXPECT_EQ(got.out.find("JOB SET"), got.out.rfind("JOB SET")) << "one line of titles";
}

TEST_F(get_tables, say_when_there_is_nothing) {
  serve_jobs();
  const auto got = run({"get", "jobs", "--jobset", "nope", "--state", "running,failed"});
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_EQ(got.err, "there are no jobs in job set 'nope' in state running or failed\n");
  EXPECT_EQ(run({"get", "jobs", "--jobset", "nope", "-o", "json"}).err, "");
  EXPECT_EQ(run({"get", "jobs", "-q", "a", "--active"}).err,
            "there are no jobs of queue 'a' that have not ended\n");
  server->always("Query.FindJobs", argosy::v1::FindJobsResponse{});
  EXPECT_EQ(run({"get", "jobs", "--owner", "nobody"}).err, "there are no jobs of user 'nobody'\n");
  EXPECT_EQ(run({"get", "jobs", "--owner", "me", "-l", "x=y"}).err,
            "there are no jobs of yours that meet the conditions\n");
}

TEST_F(get_tables, refuse_states_that_no_job_is_ever_in) {
  serve_jobs();
  for (const auto* state : {"unknown", "submitted", "queued,unknown", "asleep"}) {
    const auto got = run({"get", "jobs", "--state", state});
    EXPECT_EQ(got.code, exit_code::usage) << state;
    EXPECT_NE(got.err.find("the states are queued, leased"), std::string::npos) << got.err;
  }
  EXPECT_EQ(server->calls("Query.ListJobs"), 0);
}

TEST_F(get_tables, of_jobs_fit_a_narrow_terminal) {
  auto& job = add_job(job_id(1), JobState::RUNNING, "a-queue-of-mine", "a-job-set-of-mine");
  job.set_cluster("local");
  job.set_node("node-with-a-long-name");
  job.set_reason("a long reason why it waits");
  serve_jobs();
  on_terminal(40);
  EXPECT_EQ(run({"get", "jobs"}).out,
            "JOB            STATE    REASON\n01kaz3v9qp8m2  running  a long reason w…\n");
  on_terminal(60);
  EXPECT_EQ(run({"get", "jobs"}).out,
            "JOB            QUEUE       JOB SET      STATE    REASON\n"
            "01kaz3v9qp8m2  a-queue-o…  a-job-set-…  running  a long rea…\n");
}

TEST_F(get_tables, of_jobs_tell_nodes_apart_in_80_columns) {
  for (int i = 1; i < 3; ++i) {
    auto& job =
        add_job(fmt::format("01kaz3v9qp8m{}n4r6t8w000001", i), JobState::RUNNING, "q-a", "flood");
    job.set_cluster("sim-1");
    job.set_node(fmt::format("node-{:04}", 100 + i));
  }
  serve_jobs();
  on_terminal(60);
  EXPECT_EQ(run({"get", "jobs", "--no-headers"}).out,
            "-  01kaz3v9qp8m1n4r  q-a  flood  running  65s  …0101  -\n"
            "-  01kaz3v9qp8m2n4r  q-a  flood  running  65s  …0102  -\n");
}

TEST_F(get_tables, of_queues_cut_no_number_on_a_narrow_terminal) {
  argosy::v1::ListQueuesResponse queues;
  auto& queue = *queues.add_queues();
  queue.mutable_queue()->set_name("q-a");
  queue.mutable_queue()->set_priority_factor(1);
  queue.set_queued(15'012);
  queue.set_held(4'711);
  queue.set_running(9'912);
  queue.set_succeeded(1'234'567);
  queue.set_preempted(77);
  queue.set_fair_share(0.25);
  queue.set_actual_share(0.512);
  server->always("Query.ListQueues", queues);
  on_terminal(80);
  const auto table = run({"get", "queues"}).out;
  for (const auto* part : {"15012", "HELD", "4711", "9912", "1234567", "PREE", "77", "51.2%"})
    EXPECT_NE(table.find(part), std::string::npos) << part << "\n" << table;
  EXPECT_EQ(table.find("PENDING"), std::string::npos) << "none is pending\n" << table;
  const auto wide = run({"get", "queues", "-o", "wide"}).out;
  for (const auto* part :
       {"15012", "HELD", "4711", "9912", "1234567", "25.0%", "51.2%", "LABELS", "CPU HOURS"})
    EXPECT_NE(wide.find(part), std::string::npos) << part << "\n" << wide;
  EXPECT_EQ(wide.find("…"), std::string::npos) << wide;
}

TEST_F(get_tables, of_queues_say_of_which_pool_the_shares_are) {
  argosy::v1::ListQueuesResponse queues;
  auto& queue = *queues.add_queues();
  queue.mutable_queue()->set_name("q-a");
  queue.set_share_pool("small");
  queue.set_fair_share(0.4);
  queue.set_actual_share(0.75);
  const auto add = [&](const std::string& pool, double fair, double actual) {
    auto& share = *queue.add_shares();
    share.set_pool(pool);
    share.set_fair_share(fair);
    share.set_actual_share(actual);
  };
  add("large", 2.0 / 3, 0);
  add("small", 0.4, 0.75);
  server->always("Query.ListQueues", queues);
  EXPECT_EQ(run({"get", "queues"}).out,
            "QUEUE  FACTOR  STATE  QUEUED  RUNNING  SUCCEEDED  FAILED  POOL   FAIR SHARE  "
            "ACTUAL SHARE\n"
            "q-a         0  open        0        0          0       0  small       40.0%  "
            "       75.0%\n");
  EXPECT_NE(
      run({"get", "queues", "-o", "wide"}).out.find("large 0.0% of 66.7%, small 75.0% of 40.0%"),
      std::string::npos);
}

TEST_F(get_tables, of_job_sets_say_how_they_ended) {
  argosy::v1::ListJobSetsResponse sets;
  const auto add = [&](const std::string& name,
                       std::initializer_list<std::pair<const char*, int>> counts) {
    auto& set = *sets.add_job_sets();
    set.set_queue("a");
    set.set_job_set(name);
    set.set_submitted_ns(now_ns);
    for (const auto& [state, count] : counts) (*set.mutable_jobs_by_state())[state] = count;
  };
  add("cancelled", {{"SUCCEEDED", 429}, {"CANCELLED", 19'571}});
  add("running", {{"SUCCEEDED", 1}, {"RUNNING", 3}});
  server->always("Query.ListJobSets", sets);
  EXPECT_EQ(
      run({"get", "jobsets"}).out,
      "QUEUE  JOB SET     JOBS  QUEUED  RUNNING  SUCCEEDED  FAILED  CANCELLED  AGE  PROGRESS\n"
      "a      cancelled  20000       0        0        429       0      19571   0s  "
      "[#xxxxxxxxx]\n"
      "a      running        4       0        3          1       0          0   0s  "
      "[##>>>>>>>>]\n");
  EXPECT_EQ(run({"get", "js", "-o", "name"}).out, "jobset/a/cancelled\njobset/a/running\n");
  on_terminal(80);
  const auto narrow = run({"get", "jobsets"}).out;
  for (const auto* part : {"19571", "[#xxxxxxxxx]", "CANC"})
    EXPECT_NE(narrow.find(part), std::string::npos) << part << "\n" << narrow;
}

TEST_F(get_tables, of_job_sets_show_what_is_rare_where_there_is_some) {
  add_job(job_id(1), JobState::PREEMPTED);
  serve_job_sets();
  EXPECT_NE(run({"get", "jobsets"}).out.find("PREEMPTED"), std::string::npos)
      << "the numbers of a row add up; programs name the columns that they read";
  EXPECT_NE(run({"get", "jobsets", "-o", "wide"}).out.find("PREEMPTED"), std::string::npos);
  on_terminal(200);
  const auto table = run({"get", "jobsets"}).out;
  EXPECT_NE(table.find("PREEMPTED"), std::string::npos);
  EXPECT_EQ(table.find("REJECTED"), std::string::npos);
}

}  // namespace argosy::ctl
