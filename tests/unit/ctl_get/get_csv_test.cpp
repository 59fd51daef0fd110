// SPDX-License-Identifier: Apache-2.0
// Goal: every list can be read by programs as CSV, and has just the columns that somebody names.
// Method: the whole command line against a scripted server; exact output.
#include <gmock/gmock.h>

#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using api::JobState;
using ::testing::HasSubstr;

class get_csv : public cli_fixture {
 protected:
  void serve_queues() {
    argosy::v1::ListQueuesResponse queues;
    int queued = 3;
    for (const auto* name : {"b", "a"}) {
      auto& queue = *queues.add_queues();
      queue.mutable_queue()->set_name(name);
      queue.set_queued(static_cast<std::uint32_t>(queued--));
    }
    server->always("Query.ListQueues", queues);
  }
  static auto lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }
};

TEST_F(get_csv, has_all_columns_and_quotes_what_needs_it) {
  argosy::v1::ListClustersResponse clusters;
  auto& cluster = *clusters.add_clusters();
  cluster.set_name("east");
  cluster.set_pool("p,1");
  cluster.set_state("connected");
  cluster.set_agent_version("1.2 (abc)");
  cluster.set_cordon("cordoned by \"ann\":\nmove\x1b[1m");
  auto& west = *clusters.add_clusters();
  west.set_name("west");
  west.set_state("connected");
  west.set_lacks("no right");
  server->always("Query.ListClusters", clusters);
  where.colours = true;
  EXPECT_EQ(
      run({"get", "clusters", "-o", "csv"}).out,
      "CLUSTER,POOL,BACKEND,STATE,NODES,RUNS,HEARD,INCARNATION,VERSION,REASON\r\n"
      "east,\"p,1\",,\"connected, cordoned\",0,0,-,0,1.2 (abc),\"cordoned by \"\"ann\"\":\nmove"
      "\\u{1b}[1m\"\r\n"
      "west,,,connected,0,0,-,0,,no right\r\n");
}

TEST_F(get_csv, follows_headers_order_and_chosen_columns) {
  serve_queues();
  EXPECT_EQ(run({"get", "queues", "-o", "csv=queued,QUEUE", "--sort-by=queue"}).out,
            "QUEUED,QUEUE\r\n2,a\r\n3,b\r\n");
  EXPECT_EQ(run({"get", "queues", "-o", "csv=queue", "--no-headers"}).out, "b\r\na\r\n");
}

TEST_F(get_csv, chooses_columns_of_a_table_in_their_order) {
  serve_queues();
  EXPECT_EQ(run({"get", "queues", "-o", "cols=held,Queue"}).out, "HELD  QUEUE\n   0  b\n   0  a\n");
  EXPECT_EQ(run({"get", "queues", "-o", "cols=QUEUE", "--sort-by=-factor", "--no-headers"}).out,
            "b\na\n")
      << "a column that is not shown sorts as well";
  where.out_is_terminal = true;
  where.width = 10;
  EXPECT_THAT(run({"get", "queues", "-o", "cols=fair-share,ACTUAL_SHARE"}).out,
              HasSubstr("FAIR SHARE  ACTUAL SHARE\n"));
}

TEST_F(get_csv, names_the_columns_if_one_is_unknown) {
  serve_queues();
  serve_jobs();
  for (const auto* as : {"cols=QUEUE,colour", "csv=colour"}) {
    const auto got = run({"get", "queues", "-o", as});
    EXPECT_EQ(got.code, exit_code::usage);
    EXPECT_EQ(got.out, "");
    EXPECT_THAT(got.err, HasSubstr("there is no column 'colour'; the columns are queue, factor, "));
    EXPECT_EQ(run({"get", "jobs", "-o", as}).code, exit_code::usage);
  }
  EXPECT_EQ(server->calls("Query.ListJobs"), 0U);
  for (const auto* as : {"cols=", "cols=QUEUE,,STATE", "cols", "csv="})
    EXPECT_EQ(run({"get", "queues", "-o", as}).code, exit_code::usage) << as;
  EXPECT_EQ(run({"version", "-o", "csv"}).code, exit_code::usage);
}

TEST_F(get_csv, of_very_many_jobs_is_one_file) {
  for (int i = 0; i < 2'500; ++i) add_job(job_id(i), JobState::QUEUED);
  serve_jobs();
  const auto csv = run({"get", "jobs", "-o", "csv"}).out;
  EXPECT_EQ(lines(csv), 2'501);
  EXPECT_EQ(csv.find("JOB SET"), csv.rfind("JOB SET")) << "one line of titles";
  EXPECT_THAT(csv, HasSubstr("\r\n," + job_id(7) + ",a,s,queued,65s,,"));
  where.out_is_terminal = true;
  where.width = 80;
  const auto table = run({"get", "jobs", "-o", "cols=job,state"}).out;
  EXPECT_EQ(lines(table), 2'501) << "columns that were named are never grouped";
  EXPECT_THAT(table, HasSubstr("\n" + job_id(2'499) + "  queued\n"));
  EXPECT_EQ(run({"get", "jobs", "-o", "csv=queue", "--state", "running"}).out, "QUEUE\r\n");
}

TEST_F(get_csv, is_not_chosen_for_all_verbs_with_columns) {
  serve_queues();
  variables["ARGOSY_OUTPUT"] = "csv";
  EXPECT_THAT(run({"get", "queues"}).out, HasSubstr("QUEUE,FACTOR,"));
  for (const auto* usual : {"cols=HELD", "cols="}) {
    variables["ARGOSY_OUTPUT"] = usual;
    EXPECT_THAT(run({"get", "queues"}).out, HasSubstr("QUEUE  FACTOR"));
  }
}

}  // namespace argosy::ctl
