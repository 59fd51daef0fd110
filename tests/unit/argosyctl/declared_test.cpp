// SPDX-License-Identifier: Apache-2.0
// Goal: what a server has is one file; a file is applied as a whole, twice is once, and its
// mistakes are all told before anything changes. Method: the whole command line against a scripted
// server that keeps queues and policies.
#include <gmock/gmock.h>

#include <algorithm>

#include "google/protobuf/empty.pb.h"
#include "messages/codec/api/queue_codec.hpp"
#include "messages/proto/argosy/settings.pb.h"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using google::protobuf::Empty;
using ::testing::AllOf;
using ::testing::HasSubstr;

class declared : public cli_fixture {
 protected:
  declared() {
    serve_jobs();
    server->always("Settings.Get", argosy::v1::GetSettingsResponse{});
    server->on<argosy::v1::ListQueuesRequest, argosy::v1::ListQueuesResponse>(
        "Query.ListQueues", [this](const auto&) -> result<argosy::v1::ListQueuesResponse> {
          argosy::v1::ListQueuesResponse out;
          for (const auto& [name, queue] : queues) {
            // As the real server, this one shows owners as a permission.
            codec::to_wire(*codec::from_wire(queue), *out.add_queues()->mutable_queue());
          }
          return out;
        });
    server->on<api::RetryPolicyListRequest, api::RetryPolicyList>(
        "RetryPolicyService.GetRetryPolicies", [this](const auto&) -> result<api::RetryPolicyList> {
          api::RetryPolicyList out;
          for (const auto& [name, policy] : policies) *out.add_retry_policies() = policy;
          return out;
        });
    const auto set_queue = [this](const api::Queue& queue) -> result<Empty> {
      if (queue.name() == refused) return fail(ec::unavailable, "not now");
      queues[queue.name()] = queue;
      return Empty{};
    };
    server->on<api::Queue, Empty>("QueueService.CreateQueue", set_queue);
    server->on<api::Queue, Empty>("QueueService.UpdateQueue", set_queue);
    server->on<api::QueueDeleteRequest, Empty>(
        "QueueService.DeleteQueue", [this](const api::QueueDeleteRequest& of) -> result<Empty> {
          queues.erase(of.name());
          return Empty{};
        });
    const auto set_policy = [this](const api::RetryPolicy& policy) -> result<Empty> {
      policies[policy.name()] = policy;
      return Empty{};
    };
    server->on<api::RetryPolicy, Empty>("RetryPolicyService.CreateRetryPolicy", set_policy);
    server->on<api::RetryPolicy, Empty>("RetryPolicyService.UpdateRetryPolicy", set_policy);
    server->on<api::RetryPolicyDeleteRequest, Empty>(
        "RetryPolicyService.DeleteRetryPolicy",
        [this](const api::RetryPolicyDeleteRequest& of) -> result<Empty> {
          policies.erase(of.name());
          return Empty{};
        });
  }

  std::map<std::string, api::Queue> queues;
  std::map<std::string, api::RetryPolicy> policies;
  std::string refused;

  const std::string file =
      "kind: Queue\n"
      "name: a\n"
      "priorityFactor: 2\n"
      "userOwners: [ann, bob]\n"
      "labels: {tier: gold, n: \"1\"}\n"
      "retryPolicies: [twice]\n"
      "resourceLimitsByPriorityClassName:\n"
      "  high: {maximumResourceFraction: {cpu: 0.5}}\n"
      "permissions:\n"
      "  - subjects: [{kind: Group, name: ops}]\n"
      "    verbs: [cancel]\n"
      "---\n"
      "kind: RetryPolicy\n"
      "name: twice\n"
      "retryLimit: 2\n"
      "defaultAction: Fail\n"
      "rules:\n"
      "  - action: Retry\n"
      "    onCategory: user_error\n";
};

TEST_F(declared, a_file_applied_twice_changes_nothing_the_second_time) {
  auto done = run({"apply", "-f", "-"}, file);
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_EQ(done.out, "retry-policy/twice created\nqueue/a created\n");
  server->requests.clear();
  done = run({"apply", "-f", "-"}, file);
  EXPECT_EQ(done.out, "retry-policy/twice unchanged\nqueue/a unchanged\n") << done.err;
  EXPECT_EQ(server->calls("QueueService.UpdateQueue"), 0u);
  EXPECT_EQ(server->calls("RetryPolicyService.UpdateRetryPolicy"), 0u);
  EXPECT_EQ(run({"diff", "-f", "-"}, file).code, exit_code::success);
}

TEST_F(declared, what_is_exported_is_what_is_there) {
  EXPECT_EQ(run({"apply", "-f", "-"}, file).code, exit_code::success);
  const auto text = run({"export"});
  EXPECT_EQ(text.code, exit_code::success) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("kind: RetryPolicy\nname: twice\n"),
                              HasSubstr("action: Retry\n"), HasSubstr("userOwners:\n- ann\n- bob"),
                              HasSubstr("kind: Queue\nname: a\npriorityFactor: 2")));
  const auto compared = run({"diff", "-f", "-", "--prune"}, text.out);
  EXPECT_EQ(compared.code, exit_code::success) << compared.out << compared.err << text.out;
  queues.clear();
  policies.clear();
  EXPECT_EQ(run({"apply", "-f", "-"}, text.out).code, exit_code::success);
  EXPECT_EQ(run({"export"}).out, text.out);
}

TEST_F(declared, diff_shows_each_field_and_changes_nothing) {
  EXPECT_EQ(run({"apply", "-f", "-"}, file).code, exit_code::success);
  auto other = file;
  other.replace(other.find("Factor: 2"), 9, "Factor: 4");
  other.replace(other.find("tier: gold"), 10, "rack: red ");
  const auto done = run({"diff", "-f", "-"}, other + "---\nkind: Queue\nname: b\n");
  EXPECT_EQ(static_cast<int>(done.code), 1);
  EXPECT_EQ(done.out,
            "queue/a would be changed\n"
            "  labels.rack: (not set) -> \"red\"\n"
            "  labels.tier: \"gold\" -> (not set)\n"
            "  priorityFactor: 2 -> 4\n"
            "queue/b would be created\n"
            "  priorityFactor: (not set) -> 1\n")
      << done.err;
  EXPECT_EQ(queues.size(), 1u);
  const auto applied = run({"apply", "-f", "-", "--dry-run"}, other);
  EXPECT_EQ(applied.out, "retry-policy/twice unchanged\nqueue/a changed (dry run)\n");
  EXPECT_EQ(queues["a"].priority_factor(), 2);
  EXPECT_EQ(run({"apply", "-f", "-", "-o", "name"}, other).out, "retry-policy/twice\nqueue/a\n");
  EXPECT_EQ(queues["a"].priority_factor(), 4);
}

TEST_F(declared, all_mistakes_are_told_before_anything_is_sent) {
  const std::string wrong =
      "kind: Queue\nname: a\npriorityFactor: many\nuserOwner: [x]\n"
      "---\nkind: Quue\nname: b\n"
      "---\nname: c\n"
      "---\nkind: Queue\nname: d\npriorityFactor: -0.5\n"
      "---\nkind: Queue\nname: e\n---\nkind: Queue\nname: e\n";
  const auto done = run({"apply", "-f", "-"}, wrong);
  EXPECT_EQ(done.code, exit_code::usage);
  EXPECT_THAT(done.err,
              AllOf(HasSubstr("error: stdin:3:17: "), HasSubstr("error: stdin:4:1: "),
                    HasSubstr("error: stdin:6:7: kind 'Quue'"),
                    HasSubstr("error: stdin:9:1: no kind"), HasSubstr("error: stdin:11:1: "),
                    HasSubstr("error: stdin:19:7: the queue 'e' stands at stdin:16:7 already")));
  EXPECT_EQ(connects, 0);
  EXPECT_EQ(run({"diff", "-f", "-"}, wrong).code, exit_code::usage);
  EXPECT_EQ(run({"apply", "-f", (home / "none").string()}).code, exit_code::usage);
  EXPECT_EQ(run({"apply", "-f", "-"}, "").code, exit_code::usage);
}

TEST_F(declared, a_policy_that_nobody_has_is_a_mistake_of_the_file) {
  const auto done = run({"apply", "-f", "-"},
                        "kind: Queue\nname: b\n---\nkind: Queue\nname: a\n"
                        "retryPolicies: [no]\n");
  EXPECT_EQ(done.code, exit_code::usage);
  EXPECT_THAT(done.err, HasSubstr("stdin:4:1: the queue 'a' names the retry policy 'no'"));
  EXPECT_TRUE(queues.empty());
}

TEST_F(declared, prune_asks_and_deletes_what_the_file_lacks) {
  EXPECT_EQ(run({"apply", "-f", "-"}, file).code, exit_code::success);
  const std::string one = "kind: Queue\nname: b\n";
  auto done = run({"apply", "-f", "-", "--prune"}, one);
  EXPECT_EQ(done.code, exit_code::usage);
  EXPECT_THAT(done.err, HasSubstr("would delete queue/a, retry-policy/twice; say --yes"));
  EXPECT_FALSE(queues.contains("b"));
  add_job(job_id(1), api::JobState::QUEUED);
  done = run({"apply", "-f", "-", "--prune", "--yes"}, one);
  EXPECT_EQ(done.code, exit_code::conflict);
  EXPECT_FALSE(queues.contains("b")) << "nothing is half applied";
  jobs.clear();
  EXPECT_EQ(static_cast<int>(run({"diff", "-f", "-", "--prune"}, one).code), 1);
  done = run({"apply", "-f", "-", "--prune", "--yes"}, one);
  EXPECT_EQ(done.out, "queue/b created\nqueue/a deleted\nretry-policy/twice deleted\n") << done.err;
  EXPECT_TRUE(policies.empty());
}

TEST_F(declared, what_was_done_is_told_when_the_server_stops_in_between) {
  refused = "b";
  auto done = run({"apply", "-f", "-"}, "kind: Queue\nname: a\n---\nkind: Queue\nname: b\n");
  EXPECT_EQ(done.code, exit_code::partial);
  EXPECT_EQ(done.out, "queue/a created\n");
  EXPECT_THAT(done.err, HasSubstr("queue/b: not now"));
  connection = fail(ec::unreachable, "no server");
  EXPECT_EQ(run({"diff", "-f", "-", "--timeout", "10ms"}, file).code, exit_code::usage)
      << "kubectl: more than 1";
}

}  // namespace argosy::ctl
