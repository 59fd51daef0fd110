// SPDX-License-Identifier: Apache-2.0
// Goal: queue sends exactly what was asked for, meets no other change unseen, and refuses what
// would surprise. Method: the whole command line against a scripted server that keeps one queue;
// the requests it received.
#include <fmt/format.h>

#include "google/protobuf/empty.pb.h"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using google::protobuf::Empty;

class queue_verb : public cli_fixture {
 protected:
  /// Serves the queue of this name, which updates change.
  void serve_queue(const std::string& name) {
    kept = {};
    kept.set_name(name);
    kept.set_priority_factor(3);
    (*kept.mutable_labels())["team"] = "x";
    argosy::v1::ListQueuesResponse list;
    *list.add_queues()->mutable_queue() = kept;
    server->always("Query.ListQueues", list);
    server->always("QueueService.DeleteQueue", Empty{});
    serve_jobs();
    server->on<api::Queue, Empty>("QueueService.CreateQueue",
                                  [this](const api::Queue& queue) -> result<Empty> {
                                    if (queue.name() == kept.name())
                                      return fail(ec::already_exists, "it exists");
                                    return Empty{};
                                  });
    server->on<api::Queue, Empty>("QueueService.UpdateQueue",
                                  [this](const api::Queue& queue) -> result<Empty> {
                                    kept = queue;
                                    return Empty{};
                                  });
    server->on<api::QueueGetRequest, api::Queue>(
        "QueueService.GetQueue", [this](const api::QueueGetRequest& request) -> result<api::Queue> {
          if (request.name() != kept.name()) return fail(ec::not_found, "no such queue");
          return kept;
        });
  }

  /// Gives the queue these owners, in the form in which the server shows them.
  void own(std::initializer_list<std::pair<const char*, const char*>> subjects) {
    auto& permission = *kept.add_permissions();
    for (const auto& [kind, name] : subjects) {
      auto& subject = *permission.add_subjects();
      subject.set_kind(kind);
      subject.set_name(name);
    }
    for (const auto* verb : {"submit", "cancel", "preempt", "reprioritize", "watch"})
      permission.add_verbs(verb);
  }

  [[nodiscard]] api::Queue updated(std::size_t index = 0) const {
    return server->nth<api::Queue>("QueueService.UpdateQueue", index);
  }
  [[nodiscard]] std::string headers_of(const std::string& method) const {
    for (const auto& request : server->requests)
      if (request.method == method) return request.header_text();
    return "not called";
  }

  api::Queue kept;
};

TEST_F(queue_verb, create_sends_the_settings) {
  serve_queue("other");
  const auto got = run(
      {"queue", "create", "a", "--priority-factor", "2.5", "--cordon", "--labels", "k=v,team=y"});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  EXPECT_EQ(got.out, "queue/a created\n");
  const auto sent = server->nth<api::Queue>("QueueService.CreateQueue");
  EXPECT_EQ(sent.name(), "a");
  EXPECT_EQ(sent.priority_factor(), 2.5);
  EXPECT_TRUE(sent.cordoned());
  EXPECT_EQ(sent.labels().at("team"), "y");
  EXPECT_EQ(run({"queue", "create", "b", "-o", "name"}).out, "queue/b\n");
  EXPECT_EQ(server->nth<api::Queue>("QueueService.CreateQueue", 1).priority_factor(), 1);
}

TEST_F(queue_verb, create_refuses_an_existing_name) {
  serve_queue("a");
  const auto got = run({"queue", "create", "a"});
  EXPECT_EQ(got.code, exit_code::conflict);
  EXPECT_EQ(got.err,
            "error: the queue 'a' exists already; change it with: argosyctl queue update a\n");
}

TEST_F(queue_verb, create_lets_the_server_refuse_a_name_that_came_meanwhile) {
  serve_queue("other");
  EXPECT_EQ(run({"queue", "create", "a"}).code, exit_code::success);
  EXPECT_EQ(headers_of("QueueService.CreateQueue"), "argosy-mode: create\n");
}

TEST_F(queue_verb, the_help_of_update_names_the_flag_that_opens_a_queue) {
  const auto help = run({"queue", "update", "--help"});
  EXPECT_NE(help.out.find("--cordon, --uncordon"), std::string::npos) << help.out;
}

TEST_F(queue_verb, update_changes_only_what_is_named) {
  serve_queue("a");
  EXPECT_EQ(run({"queue", "update", "a", "--cordon"}).code, exit_code::success);
  auto sent = server->nth<api::Queue>("QueueService.UpdateQueue");
  EXPECT_TRUE(sent.cordoned());
  EXPECT_EQ(sent.priority_factor(), 3);
  EXPECT_EQ(sent.labels().at("team"), "x");
  EXPECT_EQ(run({"queue", "update", "a", "--cordon=false"}).code, exit_code::success);
  EXPECT_FALSE(server->nth<api::Queue>("QueueService.UpdateQueue", 1).cordoned());
  const auto missing = run({"queue", "update", "ab"});
  EXPECT_EQ(missing.code, exit_code::not_found);
  EXPECT_NE(missing.err.find("did you mean 'a'?"), std::string::npos);
}

TEST_F(queue_verb, update_meets_no_other_change_unseen) {
  serve_queue("a");
  server->reply_headers["QueueService.GetQueue"] = {{"argosy-version", "41"}};
  EXPECT_EQ(run({"queue", "update", "a", "--cordon"}).code, exit_code::success);
  EXPECT_EQ(headers_of("QueueService.UpdateQueue"), "argosy-mode: update\nargosy-expect: 41\n");
}

TEST_F(queue_verb, update_begins_again_when_another_was_faster) {
  serve_queue("a");
  int calls = 0;
  server->on<api::Queue, Empty>("QueueService.UpdateQueue",
                                [&](const api::Queue& queue) -> result<Empty> {
                                  if (++calls == 1) {
                                    (*kept.mutable_labels())["team"] = "y";
                                    return fail(ec::conflict, "it has changed");
                                  }
                                  kept = queue;
                                  return Empty{};
                                });
  EXPECT_EQ(run({"queue", "update", "a", "--cordon"}).out, "queue/a updated\n");
  EXPECT_TRUE(kept.cordoned());
  EXPECT_EQ(kept.labels().at("team"), "y") << "the other change is kept";
}

TEST_F(queue_verb, update_makes_no_queue_that_was_deleted_meanwhile) {
  serve_queue("a");
  server->refuse("QueueService.UpdateQueue", {ec::not_found, "no such queue"});
  EXPECT_EQ(run({"queue", "update", "a", "--cordon"}).code, exit_code::not_found);
}

TEST_F(queue_verb, update_says_when_there_is_nothing_to_change) {
  serve_queue("a");
  EXPECT_EQ(run({"queue", "update", "a", "--priority-factor", "3"}).out, "queue/a unchanged\n");
  EXPECT_EQ(run({"queue", "update", "a", "--labels", "team=x"}).out, "queue/a unchanged\n");
  const auto nothing = run({"queue", "update", "a"});
  EXPECT_EQ(nothing.code, exit_code::usage);
  EXPECT_NE(nothing.err.find("name what of queue 'a' is to change"), std::string::npos);
  EXPECT_EQ(server->calls("QueueService.UpdateQueue"), 0);
}

TEST_F(queue_verb, owners_are_replaced) {
  serve_queue("a");
  own({{"User", "alice"}, {"Group", "ops"}});
  EXPECT_EQ(run({"queue", "update", "a", "--owners", "bob,carol"}).out, "queue/a updated\n");
  EXPECT_EQ(updated().permissions_size(), 0);
  EXPECT_EQ(updated().user_owners_size(), 2);
  EXPECT_EQ(updated().user_owners(0), "bob");
  ASSERT_EQ(updated().group_owners_size(), 1) << "groups were not named";
  EXPECT_EQ(updated().group_owners(0), "ops");
}

TEST_F(queue_verb, an_empty_owner_is_nobody) {
  serve_queue("a");
  own({{"User", "alice"}});
  EXPECT_EQ(run({"queue", "update", "a", "--owners", ""}).out, "queue/a updated\n");
  EXPECT_EQ(updated().user_owners_size(), 0);
  EXPECT_EQ(updated().permissions_size(), 0);
  EXPECT_EQ(run({"queue", "create", "b", "--owners", ""}).code, exit_code::success);
  EXPECT_EQ(server->nth<api::Queue>("QueueService.CreateQueue").user_owners_size(), 0);
}

TEST_F(queue_verb, owners_stay_when_something_else_is_changed) {
  serve_queue("a");
  own({{"User", "alice"}});
  kept.add_permissions()->add_verbs("watch");
  EXPECT_EQ(run({"queue", "update", "a", "--cordon"}).code, exit_code::success);
  ASSERT_EQ(updated().user_owners_size(), 1);
  EXPECT_EQ(updated().user_owners(0), "alice");
  EXPECT_EQ(updated().permissions_size(), 1) << "other permissions are not touched";
}

TEST_F(queue_verb, labels_are_added_changed_and_removed) {
  serve_queue("a");
  (*kept.mutable_labels())["old"] = "1";
  EXPECT_EQ(run({"queue", "update", "a", "--labels", "old-,team=y,new=2"}).code,
            exit_code::success);
  EXPECT_EQ(updated().labels().size(), 2);
  EXPECT_EQ(updated().labels().at("team"), "y");
  EXPECT_EQ(updated().labels().at("new"), "2");
  for (const auto* bad : {"x", "=y", "x=", "-"})
    EXPECT_EQ(run({"queue", "update", "a", "--labels", bad}).code, exit_code::usage) << bad;
}

TEST_F(queue_verb, delete_lets_the_server_refuse_what_came_meanwhile) {
  serve_queue("a");
  server->refuse("QueueService.DeleteQueue", {ec::conflict, "queue 'a' has 1 jobs"});
  const auto got = run({"queue", "delete", "a"});
  EXPECT_EQ(got.code, exit_code::conflict);
  EXPECT_EQ(got.out, "");
  EXPECT_EQ(headers_of("QueueService.DeleteQueue"), "argosy-mode: strict\n");
}

TEST_F(queue_verb, delete_refuses_while_jobs_live) {
  serve_queue("a");
  add_job(job_id(1), api::JobState::QUEUED);
  const auto got = run({"queue", "delete", "a"});
  EXPECT_EQ(got.code, exit_code::conflict);
  EXPECT_EQ(server->calls("QueueService.DeleteQueue"), 0);
  jobs.front().set_state(api::JobState::SUCCEEDED);
  EXPECT_EQ(run({"queue", "delete", "a"}).code, exit_code::success);
  const auto absent = run({"queue", "delete", "zzz"});
  EXPECT_EQ(absent.code, exit_code::not_found);
  EXPECT_EQ(absent.err.find("create"), std::string::npos) << absent.err;
}

TEST_F(queue_verb, create_reads_the_queues_of_a_file) {
  serve_queue("other");
  const std::string yaml =
      "apiVersion: armadaproject.io/v1beta1\nkind: Queue\nname: a\npriorityFactor: 2.5\n"
      "permissions:\n- subjects: [{kind: Group, name: g}]\n  verbs: [submit]\n"
      "resourceLimitsByPriorityClassName:\n  armada-default:\n"
      "    maximumResourceFraction: {cpu: 0.5}\n---\nkind: Queue\nname: b\n";
  const auto got = run({"queue", "create", "-f", "-"}, yaml);
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  EXPECT_EQ(got.out, "queue/a created\nqueue/b created\n");
  const auto first = server->nth<api::Queue>("QueueService.CreateQueue");
  EXPECT_EQ(first.priority_factor(), 2.5);
  EXPECT_EQ(first.permissions(0).subjects(0).name(), "g");
  EXPECT_EQ(first.resource_limits_by_priority_class_name()
                .at("armada-default")
                .maximum_resource_fraction()
                .at("cpu"),
            0.5);
  EXPECT_EQ(server->nth<api::Queue>("QueueService.CreateQueue", 1).priority_factor(), 1);
  EXPECT_EQ(run({"create", "-f", "-", "-o", "name"}, yaml).out, "queue/a\nqueue/b\n");
}

TEST_F(queue_verb, create_checks_all_queues_of_a_file_before_anything_is_sent) {
  serve_queue("b");
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {"kind: Queue\nname: a\n---\nkind: Queue\nname: b\n", "'b' exists already"},
      {"kind: Queue\nname: a\npriorityFacto: 2\n", "stdin:3:1"},
      {"kind: Queue\nname: a\npriorityFactor: 0\n", "stdin:1:1"},
      {"kind: RetryPolicy\nname: a\n", "stdin:1:7"},
      {"kind: Queue\nname: a\n---\nkind: Queue\nname: a\n", "twice"},
      {"", "no queue"}};
  for (const auto& [yaml, message] : mistakes) {
    const auto got = run({"queue", "create", "-f", "-"}, yaml);
    EXPECT_NE(got.err.find(message), std::string::npos) << got.err;
    EXPECT_NE(got.code, exit_code::success);
    EXPECT_EQ(got.out, "");
  }
  EXPECT_EQ(run({"queue", "create", "x", "-f", "-"}).code, exit_code::usage);
  EXPECT_EQ(run({"queue", "create", "--cordon", "-f", "-"}).code, exit_code::usage);
  EXPECT_EQ(run({"queue", "create", "c", "--dry-run"}).code, exit_code::success);
  EXPECT_EQ(server->calls("QueueService.CreateQueue"), 0);
}

TEST_F(queue_verb, is_understood_in_armadactls_spelling) {
  serve_queue("a");
  EXPECT_EQ(run({"create", "queue", "b", "--priority-factor", "2", "--owners", "x,y"}).out,
            "queue/b created\n");
  EXPECT_EQ(server->nth<api::Queue>("QueueService.CreateQueue").user_owners_size(), 2);
  EXPECT_EQ(run({"update", "queue", "a", "--priority-factor", "2"}).out, "queue/a updated\n");
  EXPECT_EQ(run({"cordon", "queues", "a"}).out, "queue/a updated\n");
  EXPECT_TRUE(updated(1).cordoned());
  EXPECT_EQ(run({"uncordon", "queue", "a"}).out, "queue/a updated\n");
  EXPECT_FALSE(updated(2).cordoned());
  EXPECT_EQ(run({"delete", "queue", "a"}).out, "queue/a deleted\n");
  EXPECT_EQ(run({"create", "retry-policy", "p"}).code, exit_code::usage);
}

TEST_F(queue_verb, sets_the_limits_of_all_classes_together) {
  serve_queue("a");
  EXPECT_EQ(run({"queue", "update", "a", "--resource-limits", "cpu=0.5,memory=1"}).code,
            exit_code::success);
  EXPECT_EQ(updated().resource_limits().at("cpu"), 0.5);
  EXPECT_EQ(updated().resource_limits().at("memory"), 1);
  for (const auto* wrong : {"cpu", "cpu=", "cpu=2", "=1", "cpu=x", "cpu=0.5x"}) {
    const auto got = run({"queue", "update", "a", "--resource-limits", wrong});
    EXPECT_EQ(got.code, exit_code::usage) << wrong;
    EXPECT_THAT(got.err, ::testing::HasSubstr("--resource-limits")) << wrong;
  }
}

TEST_F(queue_verb, names_retry_policies) {
  serve_queue("a");
  EXPECT_EQ(run({"queue", "update", "a", "--retry-policies", "p,r"}).code, exit_code::success);
  EXPECT_THAT(updated().retry_policies(), ::testing::ElementsAre("p", "r"));
  EXPECT_EQ(run({"queue", "update", "a", "--retry-policies", ""}).code, exit_code::success);
  EXPECT_EQ(updated(1).retry_policies_size(), 0);
}

}  // namespace argosy::ctl
