// SPDX-License-Identifier: Apache-2.0
// Goal: a job that is larger than a quota, that a policy refuses, or for which something is missing
// leaves the clusters where that is so one by one, and fails when no other is left, with the last
// words. Method: a queue that hears of refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/ledger/queue/job_rules.hpp"
#include "runtime/ledger/retry/retry_shape.hpp"
#include "runtime/model/affinity.hpp"
#include "tests/unit/queue_ledger/queue_fixture.hpp"

namespace argosy::ledger {
namespace {

using model::run_phase;

struct large_job : ::testing::Test {
  large_job() {
    EXPECT_TRUE(q.submit({job_named(1)}));
    EXPECT_TRUE(q.lease({1}));
  }
  /// The cluster refuses the run, and these others serve its namespace.
  void refuse(std::uint32_t run, const model::cluster_name& cluster,
              const std::vector<model::cluster_name>& others,
              const char* category = model::refusal_above_quota) {
    model::run_outcome outcome{std::nullopt, 0, model::reason_cluster_refused, numbers, category};
    if (!others.empty()) {
      outcome.reason = model::reason_refused_here;
      outcome.reach = in_clusters(others);
    }
    ASSERT_TRUE(q.report(1, run_phase::refused, run, outcome, cluster));
  }
  /// Whether rounds may place the job in that cluster.
  bool may_go_to(const model::cluster_name& cluster) const {
    return model::matches(model::affinity_of(*q.stored(1).header->shape),
                          [&](const std::string& key) {
                            return key == model::cluster_label ? &cluster.str() : nullptr;
                          });
  }

  const std::string numbers = "exceeded quota: q, requested: cpu=20, used: cpu=2, limited: cpu=10";
  queue_driver q;
};

TEST_F(large_job, fails_at_once_where_no_other_cluster_serves_its_namespace) {
  refuse(1, "c", {});
  EXPECT_EQ(q.stored(1).state, model::job_state::failed);
  EXPECT_EQ(q.stored(1).runs.back().outcome.reason, model::reason_quota_exceeded);
  EXPECT_EQ(q.stored(1).reason, numbers);
}

TEST_F(large_job, goes_to_each_cluster_once) {
  refuse(1, "c", {"d", "e"});
  ASSERT_EQ(q.state(1), "QUEUED");
  EXPECT_FALSE(may_go_to("c"));
  EXPECT_TRUE(may_go_to("d"));
  EXPECT_TRUE(may_go_to("new"));
  EXPECT_EQ(q.stored(1).runs.back().outcome.message, "request is larger than a quota: " + numbers);
  ASSERT_TRUE(q.lease({1}, "d"));
  refuse(2, "d", {"c", "e"});
  ASSERT_EQ(q.state(1), "QUEUED");
  EXPECT_FALSE(may_go_to("c"));
  EXPECT_FALSE(may_go_to("d"));
  ASSERT_TRUE(q.lease({1}, "e"));
  refuse(3, "e", {"c", "d"});
  EXPECT_EQ(q.stored(1).state, model::job_state::failed);
  EXPECT_EQ(q.stored(1).reason, numbers);
}

TEST_F(large_job, that_admission_refuses_goes_to_each_cluster_once) {
  refuse(1, "c", {"d"}, model::refusal_by_admission);
  ASSERT_EQ(q.state(1), "QUEUED");
  EXPECT_FALSE(may_go_to("c"));
  EXPECT_EQ(q.stored(1).runs.back().outcome.message, "its cluster does not admit it: " + numbers);
  ASSERT_TRUE(q.lease({1}, "d"));
  refuse(2, "d", {"c"}, model::refusal_by_admission);
  EXPECT_EQ(q.stored(1).state, model::job_state::failed);
  EXPECT_EQ(q.stored(1).runs.back().outcome.reason, model::reason_submission_refused);
  EXPECT_EQ(q.stored(1).runs.back().outcome.category, "");
  EXPECT_EQ(q.stored(1).reason, numbers);
}

TEST_F(large_job, for_which_something_is_missing_goes_to_each_cluster_once) {
  const auto lack = [&](std::uint32_t run, const model::cluster_name& cluster,
                        const model::cluster_name& other) {
    model::run_outcome outcome{std::nullopt, 0, model::reason_cannot_begin,
                               "no claim in " + cluster, "user_error"};
    if (!other.empty()) outcome.reach = in_clusters({other});
    ASSERT_TRUE(q.report(1, run_phase::failed, run, outcome, cluster));
  };
  lack(1, "c", "d");
  ASSERT_EQ(q.state(1), "QUEUED");
  EXPECT_FALSE(may_go_to("c"));
  EXPECT_EQ(q.stored(1).runs.back().outcome.message,
            "its cluster lacks what it asks for: no claim in c");
  ASSERT_TRUE(q.lease({1}, "d"));
  lack(2, "d", "c");
  EXPECT_EQ(q.stored(1).state, model::job_state::failed);
  EXPECT_EQ(q.stored(1).runs.back().outcome.reason, model::reason_cannot_begin);
  EXPECT_EQ(q.stored(1).runs.back().outcome.category, "user_error");
  EXPECT_TRUE(q.stored(1).runs.back().outcome.reach.empty());
  EXPECT_EQ(q.stored(1).reason, "no claim in d");
}

TEST_F(large_job, fails_at_once_if_it_is_to_fail_fast_and_something_is_missing) {
  auto job = job_named(2);
  job.fail_fast = true;
  ASSERT_TRUE(q.submit({job}));
  ASSERT_TRUE(q.lease({2}));
  model::run_outcome outcome{std::nullopt, 0, model::reason_cannot_begin, "no claim"};
  outcome.reach = in_clusters({"d"});
  ASSERT_TRUE(q.report(2, run_phase::failed, 1, outcome, "c"));
  EXPECT_EQ(q.stored(2).state, model::job_state::failed);
}

TEST_F(large_job, fails_at_once_if_it_names_nodes_and_something_is_missing) {
  auto job = job_named(3);
  auto shape = *job.shape;
  shape.node_selector = {{"zone", "a"}};
  job.shape = std::make_shared<const model::job_shape>(shape);
  ASSERT_TRUE(q.submit({job}));
  ASSERT_TRUE(q.lease({3}));
  model::run_outcome outcome{std::nullopt, 0, model::reason_cannot_begin, "no claim"};
  outcome.reach = in_clusters({"d"});
  ASSERT_TRUE(q.report(3, run_phase::failed, 1, outcome, "c"));
  EXPECT_EQ(q.stored(3).state, model::job_state::failed) << "d may have no such nodes";
}

TEST_F(large_job, fails_at_once_if_it_names_nodes_and_its_account_is_missing) {
  auto job = job_named(3);
  auto shape = *job.shape;
  shape.node_selector = {{"zone", "a"}};
  job.shape = std::make_shared<const model::job_shape>(shape);
  ASSERT_TRUE(q.submit({job}));
  ASSERT_TRUE(q.lease({3}));
  model::run_outcome outcome{std::nullopt, 0, model::reason_refused_here, "no account"};
  outcome.reach = in_clusters({"d"});
  ASSERT_TRUE(q.report(3, run_phase::refused, 1, outcome, "c"));
  EXPECT_EQ(q.stored(3).state, model::job_state::failed) << "d may have no such nodes";
}

TEST_F(large_job, whose_account_is_missing_goes_to_each_cluster_once) {
  refuse(1, "c", {"d"}, "");
  ASSERT_EQ(q.state(1), "QUEUED");
  EXPECT_FALSE(may_go_to("c"));
  ASSERT_TRUE(q.lease({1}, "d"));
  refuse(2, "d", {"c"}, "");
  EXPECT_EQ(q.stored(1).state, model::job_state::failed);
  EXPECT_EQ(q.stored(1).runs.back().outcome.reason, model::reason_submission_refused);
  EXPECT_EQ(q.stored(1).reason, numbers);
}

TEST_F(large_job, is_not_tried_for_ever_however_many_clusters_there_are) {
  const std::vector<model::cluster_name> all{"c", "d", "e", "f", "g", "h"};
  for (std::uint32_t run = 1; q.state(1) == "LEASED"; ++run) {
    ASSERT_LE(run, 4U);
    auto others = all;
    others.erase(others.begin() + run - 1);
    refuse(run, all[run - 1], others);
    if (q.state(1) == "QUEUED") ASSERT_TRUE(q.lease({1}, all[run]));
  }
  EXPECT_EQ(q.stored(1).state, model::job_state::failed);
  EXPECT_THAT(q.stored(1).reason, ::testing::HasSubstr(numbers));
}

TEST_F(large_job, ends_as_was_asked) {
  ASSERT_TRUE(q.cancel({1}));
  refuse(1, "c", {});
  EXPECT_EQ(q.stored(1).state, model::job_state::cancelled);
}

}  // namespace
}  // namespace argosy::ledger
