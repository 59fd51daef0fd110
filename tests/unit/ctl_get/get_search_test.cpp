// SPDX-License-Identifier: Apache-2.0
// Goal: get jobs finds jobs by conditions and counts them by the values of a field. Method: the
// whole command line against a scripted server that keeps what it was asked.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>

#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using argosy::v1::FindJobsRequest;
using argosy::v1::FindJobsResponse;
using argosy::v1::GroupJobsRequest;
using argosy::v1::GroupJobsResponse;
using ::testing::HasSubstr;

class get_search : public cli_fixture {
 protected:
  void serve() {
    server->on<FindJobsRequest, FindJobsResponse>(
        "Query.FindJobs", [this](const FindJobsRequest& request) -> result<FindJobsResponse> {
          asked.push_back(request);
          FindJobsResponse out;
          const auto from = request.cursor().empty() ? 0u : 2u;
          for (auto i = from; i < std::min<std::size_t>(from + 2, jobs.size()); ++i)
            *out.add_jobs()->mutable_summary() = jobs[i];
          if (from + 2 < jobs.size()) out.set_cursor("next");
          out.set_incomplete(incomplete);
          out.set_looked_at(77);
          return out;
        });
  }

  /// The conditions of the last request, one text each.
  std::vector<std::string> conditions() const {
    std::vector<std::string> out;
    for (const auto& each : asked.back().conditions()) {
      auto text = each.field() + "." + each.key() + " " + each.match() + " ";
      for (const auto& value : each.values()) text += value + ",";
      out.push_back(text);
    }
    return out;
  }

  std::vector<FindJobsRequest> asked;
  bool incomplete = false;
};

TEST_F(get_search, by_all_the_flags) {
  add_job(job_id(1), api::JobState::FAILED);
  serve();
  const auto got = run({"get",          "jobs",
                        "--where",      "age<1d",
                        "-q",           "a",
                        "--jobset",     "s",
                        "--state",      "failed,preempted",
                        "-l",           "app=train,debug",
                        "--annotation", "team=sea",
                        "--owner",      "ann",
                        "--node",       "east/n1",
                        "--pool",       "gpu"});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].where(), "age<1d");
  EXPECT_TRUE(asked[0].ascending());
  EXPECT_THAT(conditions(),
              ::testing::ElementsAre("queue.  a,", "jobSet.  s,", "owner.  ann,", "cluster.  east,",
                                     "node.  n1,", "pool.  gpu,", "label.app exact train,",
                                     "label.debug exists ", "annotation.team exact sea,",
                                     "state. anyOf FAILED,PREEMPTED,"));
}

TEST_F(get_search, that_finds_nothing_says_which_name_nobody_has) {
  argosy::v1::ListClustersResponse clusters;
  clusters.add_clusters()->set_name("east");
  server->always("Query.ListClusters", clusters);
  argosy::v1::ListNodesResponse nodes;
  for (const auto* cluster : {"east", "west"}) {
    auto& node = *nodes.add_nodes();
    node.set_cluster(cluster);
    node.set_name("n1");
  }
  server->always("Query.ListNodes", nodes);
  argosy::v1::ListPoolsResponse pools;
  pools.add_pools()->set_name("gpu");
  server->always("Query.ListPools", pools);
  serve();
  server->always("Query.GroupJobs", GroupJobsResponse{});
  for (const auto& [flag, wrong, text] :
       std::vector<std::array<std::string, 3>>{{"--cluster", "eest", "did you mean 'east'?"},
                                               {"--node", "n2", "there is no node 'n2'"},
                                               {"--node", "east/n2", "there is no node 'east/n2'"},
                                               {"--pool", "gpo", "did you mean 'gpu'?"}})
    for (const auto& how : {"--all", "--group-by=queue", "--sort-by=age", "-ojson"}) {
      const auto got = run({"get", "jobs", flag, wrong, how});
      EXPECT_EQ(got.code, exit_code::not_found) << flag << how;
      EXPECT_THAT(got.err, HasSubstr(text));
    }
  for (const auto& [flag, right] : std::vector<std::array<std::string, 2>>{
           {"--cluster", "east"}, {"--node", "n1"}, {"--pool", "gpu"}})
    EXPECT_EQ(run({"get", "jobs", flag, right}).code, exit_code::success) << flag;
}

TEST_F(get_search, takes_all_pages_and_no_more_than_the_limit) {
  for (int i = 0; i < 4; ++i) add_job(job_id(i), api::JobState::SUCCEEDED);
  serve();
  const auto all = run({"get", "jobs", "--owner", "me", "-o", "name"});
  EXPECT_EQ(all.out, fmt::format("job/{}\njob/{}\njob/{}\njob/{}\n", job_id(0), job_id(1),
                                 job_id(2), job_id(3)));
  EXPECT_EQ(asked[0].where(), " owner:me");
  const auto some = run({"get", "jobs", "--owner", "me", "-o", "name", "--limit", "3"});
  EXPECT_EQ(std::count(some.out.begin(), some.out.end(), '\n'), 3);
}

TEST_F(get_search, says_that_nothing_was_found) {
  serve();
  EXPECT_THAT(run({"get", "jobs", "--owner", "ann"}).err, HasSubstr("no jobs of user 'ann'"));
}

TEST_F(get_search, says_when_the_server_had_not_the_time) {
  add_job(job_id(1), api::JobState::SUCCEEDED);
  incomplete = true;
  serve();
  const auto got = run({"get", "jobs", "--where", "reason:*x*", "-o", "name"});
  EXPECT_EQ(got.code, exit_code::unreachable);
  EXPECT_THAT(got.err, HasSubstr("time to look at 77 jobs only"));
}

TEST_F(get_search, refuses_what_does_not_go_together) {
  serve();
  const auto named = run({"get", "jobs", job_id(1), "--owner", "ann"});
  EXPECT_EQ(named.code, exit_code::usage);
  EXPECT_THAT(named.err, HasSubstr("leave one of both out"));
  EXPECT_EQ(run({"get", "jobs", "--by-set", "-l", "a=b"}).code, exit_code::usage);
  EXPECT_EQ(run({"get", "jobs", "--owner", "a", "--active", "--state", "failed"}).code,
            exit_code::usage);
  EXPECT_TRUE(asked.empty());
}

TEST_F(get_search, counts_jobs_by_a_field) {
  GroupJobsRequest request;
  server->on<GroupJobsRequest, GroupJobsResponse>(
      "Query.GroupJobs", [&](const GroupJobsRequest& from) -> result<GroupJobsResponse> {
        request = from;
        GroupJobsResponse out;
        auto& group = *out.add_groups();
        group.set_name("sea");
        group.set_count(5);
        (*group.mutable_jobs_by_state())["QUEUED"] = 2;
        (*group.mutable_jobs_by_state())["FAILED"] = 3;
        out.add_groups()->set_name("");
        out.set_groups_in_all(2);
        return out;
      });
  const auto got = run({"get", "jobs", "-q", "a", "--group-by", "annotation.team"});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  EXPECT_EQ(request.group_by(), "annotation");
  EXPECT_EQ(request.key(), "team");
  EXPECT_EQ(request.conditions(0).values(0), "a");
  EXPECT_THAT(got.out, HasSubstr("ANNOTATION.TEAM"));
  EXPECT_THAT(got.out, ::testing::ContainsRegex("sea +5 +2 +0 +0 +3 +0"));
  EXPECT_THAT(got.out, ::testing::ContainsRegex("- +0 +0 +0"));
  const auto json = run({"get", "jobs", "--group-by", "queue", "-o", "json"});
  EXPECT_THAT(json.out, HasSubstr("\"name\":\"sea\",\"count\":\"5\""));
}

TEST_F(get_search, has_a_topic_of_help) {
  EXPECT_THAT(run({"help", "conditions"}).out, HasSubstr("state:failed,preempted"));
}

}  // namespace argosy::ctl
