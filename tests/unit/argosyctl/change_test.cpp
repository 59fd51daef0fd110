// SPDX-License-Identifier: Apache-2.0
// Goal: queue and cancel send exactly what was asked for, and refuse what would surprise. Method:
// the whole command line against a scripted server; the requests it received.
#include <fmt/format.h>

#include "google/protobuf/empty.pb.h"
#include "tests/unit/argosyctl/cli_fixture.hpp"

namespace argosy::ctl {

using google::protobuf::Empty;

class queue_verb : public cli_fixture {
 protected:
  void serve_queue(const std::string& name) {
    api::Queue queue;
    queue.set_name(name);
    queue.set_priority_factor(3);
    (*queue.mutable_labels())["team"] = "x";
    argosy::v1::ListQueuesResponse list;
    *list.add_queues()->mutable_queue() = queue;
    server->always("Query.ListQueues", list);
    for (const auto* method : {"CreateQueue", "UpdateQueue", "DeleteQueue"})
      server->always(fmt::format("QueueService.{}", method), Empty{});
    serve_jobs();
    server->on<api::QueueGetRequest, api::Queue>(
        "QueueService.GetQueue",
        [queue](const api::QueueGetRequest& request) -> result<api::Queue> {
          if (request.name() != queue.name()) return fail(ec::not_found, "no such queue");
          return queue;
        });
  }
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
  EXPECT_EQ(server->calls("QueueService.CreateQueue"), 0);
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

TEST_F(queue_verb, delete_refuses_while_jobs_live) {
  serve_queue("a");
  add_job(job_id(1), api::JobState::QUEUED);
  const auto got = run({"queue", "delete", "a"});
  EXPECT_EQ(got.code, exit_code::conflict);
  EXPECT_EQ(server->calls("QueueService.DeleteQueue"), 0);
  jobs.front().set_state(api::JobState::SUCCEEDED);
  EXPECT_EQ(run({"queue", "delete", "a"}).code, exit_code::success);
  EXPECT_EQ(run({"queue", "delete", "zzz"}).code, exit_code::not_found);
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
  EXPECT_TRUE(server->nth<api::Queue>("QueueService.UpdateQueue", 1).cordoned());
  EXPECT_EQ(run({"uncordon", "queue", "a"}).out, "queue/a updated\n");
  EXPECT_FALSE(server->nth<api::Queue>("QueueService.UpdateQueue", 2).cordoned());
  EXPECT_EQ(run({"delete", "queue", "a"}).out, "queue/a deleted\n");
  EXPECT_EQ(run({"create", "retry-policy", "p"}).code, exit_code::usage);
}

class cancel : public cli_fixture {
 protected:
  cancel() {
    server->always("Submit.CancelJobs", api::CancellationResult{});
    server->always("Submit.CancelJobSet", Empty{});
    serve_jobs();
  }
};

TEST_F(cancel, groups_ids_by_job_set_and_skips_the_ended) {
  add_job(job_id(1), api::JobState::QUEUED, "a", "s");
  add_job(job_id(2), api::JobState::RUNNING, "a", "t");
  add_job(job_id(3), api::JobState::SUCCEEDED, "a", "t");
  const auto got = run({"cancel", job_id(1), job_id(2), job_id(3), "--reason", "why not"});
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_EQ(got.out, "cancelled 2 jobs\n");
  EXPECT_EQ(got.err, "1 job had ended already\n");
  ASSERT_EQ(server->calls("Submit.CancelJobs"), 2);
  const auto first = server->nth<api::JobCancelRequest>("Submit.CancelJobs");
  EXPECT_EQ(first.job_set_id(), "s");
  EXPECT_EQ(first.job_ids(0), job_id(1));
  EXPECT_EQ(first.reason(), "why not");
}

TEST_F(cancel, a_job_set) {
  add_job(job_id(1), api::JobState::QUEUED);
  EXPECT_EQ(run({"cancel", "-q", "a", "--jobset", "s", "-o", "name"}).out,
            "job/" + job_id(1) + "\n");
  EXPECT_EQ(server->nth<api::JobSetCancelRequest>("Submit.CancelJobSet").job_set_id(), "s");
  EXPECT_EQ(run({"cancel", "job-set", "a", "s"}).code, exit_code::success);
  EXPECT_EQ(server->calls("Submit.CancelJobSet"), 2);
  EXPECT_EQ(run({"cancel", "job", "a", "s", job_id(1)}).out, "cancelled 1 job\n");
}

TEST_F(cancel, jobs_as_armadactl_names_them) {
  add_job(job_id(1), api::JobState::QUEUED);
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"cancel", "job", job_id(1)},
           {"cancel", "job", "--queue", "a", "--jobSet", "s", job_id(1)},
           {"cancel", "job", "--queue=a", "--jobSet=s", "--jobId=" + job_id(1)},
           {"cancel", "--job-id", job_id(1)}})
    EXPECT_EQ(run(words).out, "cancelled 1 job\n") << words.back();
  EXPECT_EQ(server->calls("Submit.CancelJobs"), 4);
  EXPECT_EQ(run({"cancel", "job-set", "--queue", "a", "--jobSet", "s"}).code, exit_code::success);
  EXPECT_EQ(server->calls("Submit.CancelJobSet"), 1);
  EXPECT_EQ(run({"cancel", "job", "b", "s", job_id(1)}).code, exit_code::not_found);
  EXPECT_EQ(server->calls("Submit.CancelJobs"), 4);
}

TEST_F(cancel, a_forgotten_id_never_means_the_whole_set) {
  add_job(job_id(1), api::JobState::QUEUED);
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"cancel", "job", "a", "s"},
           {"cancel", "job", "-q", "a", "--jobset", "s"},
           {"cancel", "job", "--queue=a", "--jobSet=s", "--jobId="},
           {"cancel", "job", "--queue=a", "--jobSet=s", "--jobId", ""},
           {"cancel", "--queue=a", "--jobSet=s", "--jobId="},
           {"cancel", "--queue=a", "--jobSet=s", "--jobId"},
           {"cancel", "--queue=a", "--jobSet=s", "--jobId", "--reason", "x"},
           {"cancel", "-q", "a", "--jobset", "s", ""}}) {
    const auto got = run(words);
    EXPECT_EQ(got.code, exit_code::usage) << fmt::format("{}", fmt::join(words, " "));
    EXPECT_EQ(got.out, "");
  }
  EXPECT_NE(run({"cancel", "job", "a", "s"}).err.find("write job-set instead of job"),
            std::string::npos);
  EXPECT_EQ(server->calls("Submit.CancelJobSet"), 0);
  EXPECT_EQ(server->calls("Submit.CancelJobs"), 0);
}

TEST_F(cancel, refuses_long_reasons_and_mixtures) {
  EXPECT_EQ(run({"cancel", job_id(1), "--reason", std::string(51, 'x')}).code, exit_code::usage);
  EXPECT_EQ(run({"cancel", job_id(1), "-q", "a"}).code, exit_code::usage);
  EXPECT_EQ(run({"cancel", job_id(1)}).code, exit_code::not_found);
  EXPECT_EQ(server->calls("Submit.CancelJobs"), 0);
}

TEST_F(cancel, waits_for_the_end) {
  add_job(job_id(1), api::JobState::RUNNING);
  add_event(job_id(1), api::JobState::RUNNING);
  add_event(job_id(1), api::JobState::CANCELLED, true);
  EXPECT_EQ(run({"cancel", job_id(1), "--wait"}).code, exit_code::success);
  EXPECT_TRUE(server->later.empty());
}

TEST_F(cancel, a_later_failure_is_a_partial_success) {
  add_job(job_id(1), api::JobState::QUEUED, "a", "s");
  add_job(job_id(2), api::JobState::QUEUED, "a", "t");
  int calls = 0;
  server->on<api::JobCancelRequest, api::CancellationResult>(
      "Submit.CancelJobs", [&](const auto&) -> result<api::CancellationResult> {
        if (++calls == 2) return fail(ec::overloaded, "too much");
        return api::CancellationResult{};
      });
  EXPECT_EQ(run({"cancel", job_id(1), job_id(2)}).code, exit_code::partial);
}

class reprioritize : public cli_fixture {
 protected:
  reprioritize() {
    server->always("Submit.ReprioritizeJobs", api::JobReprioritizeResponse{});
    serve_jobs();
    add_job(job_id(1), api::JobState::QUEUED, "a", "s");
    add_job(job_id(2), api::JobState::QUEUED, "a", "t");
  }
  [[nodiscard]] api::JobReprioritizeRequest sent(std::size_t index) const {
    return server->nth<api::JobReprioritizeRequest>("Submit.ReprioritizeJobs", index);
  }
};

TEST_F(reprioritize, jobs_by_their_sets) {
  const auto got = run({"reprioritize", "5.5", job_id(1), job_id(2)});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  EXPECT_EQ(got.out, "changed the priority of 2 jobs\n");
  EXPECT_EQ(sent(0).job_set_id(), "s");
  EXPECT_EQ(sent(0).new_priority(), 5.5);
  EXPECT_EQ(sent(1).job_ids(0), job_id(2));
}

TEST_F(reprioritize, a_job_set) {
  EXPECT_EQ(run({"reprioritize", "0", "-q", "a", "--jobset", "s", "-o", "name"}).out,
            "job/" + job_id(1) + "\n");
  EXPECT_EQ(sent(0).queue(), "a");
  EXPECT_EQ(sent(0).job_ids_size(), 0);
}

TEST_F(reprioritize, is_understood_in_armadactls_spelling) {
  EXPECT_EQ(run({"reprioritize", "job", "a", "s", job_id(1), "7"}).code, exit_code::success);
  EXPECT_EQ(sent(0).new_priority(), 7);
  EXPECT_EQ(sent(0).job_ids(0), job_id(1));
  EXPECT_EQ(run({"reprioritize", "job-set", "a", "t", "8"}).code, exit_code::success);
  EXPECT_EQ(sent(1).new_priority(), 8);
  EXPECT_EQ(sent(1).job_set_id(), "t");
}

TEST_F(reprioritize, a_forgotten_id_never_means_the_whole_set) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"reprioritize", "job", "a", "s", "5"},
           {"reprioritize", "job", "-q", "a", "--jobset", "s", "5"},
           {"reprioritize", "job", "--queue=a", "--jobSet=s", "--jobId=", "5"},
           {"reprioritize", "5", "--queue=a", "--jobSet=s", "--jobId="}})
    EXPECT_EQ(run(words).code, exit_code::usage) << fmt::format("{}", fmt::join(words, " "));
  EXPECT_EQ(server->calls("Submit.ReprioritizeJobs"), 0);
}

TEST_F(reprioritize, refuses_what_is_no_priority) {
  for (const auto* text : {"high", "1e3", "nan", "inf", "4294967296", "5x"})
    EXPECT_EQ(run({"reprioritize", text, job_id(1)}).code, exit_code::usage) << text;
  EXPECT_EQ(run({"reprioritize"}).code, exit_code::usage);
  EXPECT_EQ(run({"reprioritize", "5"}).code, exit_code::usage);
  EXPECT_EQ(server->calls("Submit.ReprioritizeJobs"), 0);
}

}  // namespace argosy::ctl
