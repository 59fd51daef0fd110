// SPDX-License-Identifier: Apache-2.0
// Goal: jobs, runs, events and queues appear on Armada's API as its clients expect them.
// Method: model values with all fields set are converted; the protobuf fields are compared.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "messages/codec/api/event_codec.hpp"
#include "messages/codec/api/job_codec.hpp"
#include "messages/codec/api/queue_codec.hpp"
#include "messages/proto/api/event.pb.h"
#include "messages/proto/api/job.pb.h"
#include "messages/proto/argosy/log.pb.h"
#include "tests/unit/codec/model_fixture.hpp"

namespace argosy::codec {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const model::run_key second_run{id_of(1), 2};

std::shared_ptr<model::job_header> header_with_spec() {
  log::v1::JobSpec spec;
  spec.mutable_pod_spec()->add_containers()->set_name("main");
  (*spec.mutable_labels())["l"] = "1";
  (*spec.mutable_annotations())["a"] = "2";
  spec.add_ingress()->add_ports(80);
  spec.add_services()->set_name("s");
  spec.set_scheduler("sched");
  spec.set_external_job_uri("x://1");
  spec.add_owner_groups("everyone");
  auto header = some_header();
  header->spec = std::make_shared<const std::string>(spec.SerializeAsString());
  return header;
}

model::run_record some_run() {
  return {2,
          model::run_state::failed,
          model::cluster_name{"c"},
          model::node_name{"n"},
          model::pool_name{"p"},
          0,
          9,
          1'000'000'001,
          2'000'000'000,
          3'000'000'000,
          4'000'000'000,
          {3, 0, "Error", ""},
          ""};
}

TEST(job_codec, states_have_the_names_of_the_api) {
  for (int i = 0; i <= static_cast<int>(model::job_state::rejected); ++i) {
    const auto state = static_cast<model::job_state>(i);
    EXPECT_EQ(api::JobState_Name(to_wire(state)), to_string(state));
  }
}

TEST(job_codec, a_job_with_its_specification) {
  api::Job job;
  ASSERT_TRUE(to_wire(*header_with_spec(), job));
  EXPECT_EQ(job.id(), to_string(id_of(1)));
  EXPECT_EQ(job.job_set_id(), "set");
  EXPECT_EQ(job.queue(), "research");
  EXPECT_EQ(job.priority(), 17);
  EXPECT_EQ(job.pod_spec().containers(0).name(), "main");
  EXPECT_EQ(job.created().seconds(), 1'700'000'000);
  EXPECT_EQ(job.created().nanos(), 1);
  EXPECT_EQ(job.namespace_(), "ns");
  EXPECT_EQ(job.owner(), "alice");
  EXPECT_EQ(job.labels().at("l"), "1");
  EXPECT_EQ(job.annotations().at("a"), "2");
  EXPECT_EQ(job.client_id(), "client");
  EXPECT_EQ(job.ingress(0).ports(0), 80U);
  EXPECT_EQ(job.services(0).name(), "s");
  EXPECT_EQ(job.scheduler(), "sched");
  EXPECT_EQ(job.scheduling_resource_requirements().requests().at("cpu").string(), "1500m");
  EXPECT_EQ(job.scheduling_resource_requirements().limits().at("memory").string(), "1Mi");
  EXPECT_EQ(job.queue_ownership_user_groups_size(), 0);

  auto spoilt = header_with_spec();
  spoilt->spec = std::make_shared<const std::string>("\xff");
  EXPECT_FALSE(to_wire(*spoilt, job));
}

TEST(job_codec, details) {
  model::job_record record;
  record.header = header_with_spec();
  record.state = model::job_state::cancelled;
  record.changed_ns = 5'000'000'000;
  record.reason = "typo";
  record.requestor = "bob";
  auto first = some_run();
  first.number = 1;
  record.runs = {first, some_run()};
  api::JobDetails details;
  ASSERT_TRUE(to_wire(record, false, false, details));
  EXPECT_FALSE(details.has_job_spec());
  EXPECT_EQ(details.job_runs_size(), 0);
  ASSERT_TRUE(to_wire(record, true, true, details));
  EXPECT_EQ(details.state(), api::CANCELLED);
  EXPECT_EQ(details.cancel_user(), "bob");
  EXPECT_EQ(details.cancel_reason(), "typo");
  EXPECT_EQ(details.cancel_ts().seconds(), 5);
  EXPECT_EQ(details.last_transition_ts().seconds(), 5);
  EXPECT_EQ(details.latest_run_id(), run_id(second_run));
  EXPECT_EQ(details.job_spec().owner(), "alice");
  ASSERT_EQ(details.job_runs_size(), 2);
  EXPECT_EQ(details.job_runs(0).run_id(), run_id(second_run));
  EXPECT_EQ(details.job_runs(0).leased_ts().nanos(), 1);
  EXPECT_EQ(details.job_runs(0).finished_ts().seconds(), 4);
  EXPECT_EQ(details.job_runs(0).cluster(), "c");
  EXPECT_EQ(details.job_runs(0).node(), "n");
}

TEST(job_codec, finds_the_job_of_a_run_by_its_id) {
  for (const std::uint32_t number : {1u, 2u, 64u}) {
    const auto jobs = jobs_of_run(run_id({id_of(7), number}));
    EXPECT_NE(std::find(jobs.begin(), jobs.end(), id_of(7)), jobs.end()) << number;
  }
  for (const auto* text :
       {"", "x", "01010101-0101-0101-0101-01010101010", "no run at all",
        "01010101-0101-0101-0101-0101010101033", "0101010100101-0101-0101-010101010103"})
    EXPECT_TRUE(jobs_of_run(text).empty()) << text;
}

TEST(job_codec, run_ids_are_unique_and_look_like_uuids) {
  EXPECT_EQ(run_id({id_of(1), 2}), "01010101-0101-0101-0101-010101010103");
  EXPECT_NE(run_id({id_of(1), 2}), run_id({id_of(1), 3}));
  EXPECT_NE(run_id({id_of(1), 2}), run_id({id_of(2), 2}));
}

std::vector<api::EventMessage> shown_as(model::event_payload payload) {
  static const auto header = header_with_spec();
  static const auto record = some_run();
  const auto messages =
      to_wire(model::event{6'000'000'007, "research", std::move(payload)}, header.get(), &record);
  EXPECT_TRUE(messages);
  return messages ? *messages : std::vector<api::EventMessage>{};
}

TEST(event_codec, submission_is_submitted_and_queued) {
  const auto messages = shown_as(model::job_submitted{some_header()});
  ASSERT_EQ(messages.size(), 2U);
  const auto& submitted = messages[0].submitted();
  EXPECT_EQ(submitted.job_id(), to_string(id_of(1)));
  EXPECT_EQ(submitted.job_set_id(), "set");
  EXPECT_EQ(submitted.queue(), "research");
  EXPECT_EQ(submitted.created().seconds(), 6);
  EXPECT_EQ(submitted.created().nanos(), 7);
  EXPECT_EQ(submitted.job().pod_spec().containers(0).name(), "main");
  EXPECT_TRUE(messages[1].has_queued());
}

TEST(event_codec, life_of_a_run) {
  const auto leased = shown_as(model::job_leased{
      second_run, model::cluster_name{"c"}, model::node_name{"n"}, model::pool_name{"p"}, 0, 1});
  ASSERT_EQ(leased.size(), 1U);
  EXPECT_EQ(leased[0].leased().cluster_id(), "c");
  EXPECT_EQ(leased[0].leased().pool(), "p");
  const auto pending = shown_as(model::run_pending{second_run});
  EXPECT_EQ(pending.at(0).pending().cluster_id(), "c");
  EXPECT_EQ(pending.at(0).pending().pod_namespace(), "ns");
  const auto running = shown_as(model::run_running{second_run});
  EXPECT_EQ(running.at(0).running().node_name(), "n");
  EXPECT_EQ(running.at(0).running().pool(), "p");
  EXPECT_EQ(shown_as(model::run_succeeded{second_run, {}}).at(0).succeeded().node_name(), "n");
  const auto failed =
      shown_as(model::run_failed{second_run, {137, 9, "OOMKilled", "too much"}}).at(0);
  EXPECT_EQ(failed.failed().reason(), "too much");
  EXPECT_EQ(failed.failed().cause(), api::OOM);
  EXPECT_EQ(failed.failed().failure_category(), "oom");
  EXPECT_EQ(failed.failed().container_statuses(0).exitcode(), 137);
  EXPECT_FALSE(failed.failed().retryable());
  const auto retried = shown_as(model::run_retried{second_run, {7, 0, "Error", "no"}, "p"}).at(0);
  EXPECT_TRUE(retried.failed().retryable());
  EXPECT_EQ(retried.failed().failure_category(), "user_error");
  EXPECT_EQ(retried.failed().reason(), "no");
  const auto exceeded =
      shown_as(model::run_failed{second_run, {137, 9, "StorageExceeded", "too much"}}).at(0);
  EXPECT_EQ(exceeded.failed().cause(), api::Evicted);
  const auto sorted =
      shown_as(model::run_failed{second_run, {137, 9, "Evicted", "", "gpu/driver"}}).at(0);
  EXPECT_EQ(sorted.failed().cause(), api::Evicted);
  EXPECT_EQ(sorted.failed().failure_category(), "gpu");
  EXPECT_EQ(sorted.failed().failure_subcategory(), "driver");
  EXPECT_EQ(shown_as(model::lease_returned{second_run, "full"}).at(0).lease_returned().reason(),
            "full");
  EXPECT_TRUE(shown_as(model::lease_expired{second_run}).at(0).has_lease_expired());
}

TEST(event_codec, a_failed_pod_has_the_ends_of_its_containers_by_name) {
  const auto of_process = shown_as(model::run_failed{second_run, {7, 0, "Error", "no"}}).at(0);
  ASSERT_EQ(of_process.failed().container_statuses_size(), 1);
  model::run_outcome outcome{74, 0, "Error", "no licence"};
  outcome.containers = {{"worker", 74, "Error", "no licence"}, {"side", 0, "Completed", ""}};
  const auto failed = shown_as(model::run_failed{second_run, outcome}).at(0);
  ASSERT_EQ(failed.failed().container_statuses_size(), 2);
  EXPECT_EQ(failed.failed().container_statuses(0).name(), "worker");
  EXPECT_EQ(failed.failed().container_statuses(0).exitcode(), 74);
  EXPECT_EQ(failed.failed().container_statuses(1).name(), "side");
  EXPECT_EQ(failed.failed().container_statuses(1).exitcode(), 0);
}

TEST(event_codec, tells_of_the_pod_by_its_uid_and_of_its_addresses) {
  EXPECT_TRUE(shown_as(model::run_noted{second_run, "slow disk"}).empty());
  const auto shown = shown_as(model::run_noted{second_run, {}, {"uid", {{80, "a:1"}}}});
  ASSERT_EQ(shown.size(), 1U);
  EXPECT_EQ(shown[0].ingress_info().ingress_addresses().at(80), "a:1");
  EXPECT_EQ(shown[0].ingress_info().cluster_id(), "c");
  auto run = some_run();
  run.pod.uid = "uid";
  const auto header = header_with_spec();
  const model::event running{1, "research", model::run_running{second_run}};
  EXPECT_EQ(to_wire(running, header.get(), &run)->at(0).running().kubernetes_id(), "uid");
}

TEST(event_codec, tells_what_a_pod_used_in_the_quantities_of_its_cluster) {
  const model::run_usage usage{{{"cpu", "123456789n"}}, {{"cpu", "1"}}, {{"cpu", "77"}}};
  const auto shown = shown_as(model::run_noted{second_run, {}, {}, usage});
  ASSERT_EQ(shown.size(), 1U);
  const auto& used = shown[0].utilisation();
  EXPECT_EQ(used.maxresourcesforperiod().at("cpu").string(), "123456789n");
  EXPECT_EQ(used.avgresourcesforperiod().at("cpu").string(), "1");
  EXPECT_EQ(used.total_cumulative_usage().at("cpu").string(), "77");
  EXPECT_EQ(used.cluster_id(), "c");
}

TEST(event_codec, ends_by_others) {
  EXPECT_EQ(shown_as(model::job_cancelling{id_of(1), "bob", "r"}).at(0).cancelling().requestor(),
            "bob");
  EXPECT_EQ(shown_as(model::job_cancelled{id_of(1), "bob", "r"}).at(0).cancelled().reason(), "r");
  EXPECT_EQ(shown_as(model::run_preempting{second_run, {}, "r"}).at(0).preempting().reason(), "r");
  const auto preempted = shown_as(model::job_preempted{second_run, id_of(9), "urgent"});
  ASSERT_EQ(preempted.size(), 2U);
  EXPECT_EQ(preempted[0].preempted().preempting_job_id(), to_string(id_of(9)));
  EXPECT_EQ(preempted[0].preempted().run_id(), run_id(second_run));
  EXPECT_EQ(preempted[1].failed().reason(), "urgent");
  EXPECT_FALSE(preempted[1].failed().retryable());
  const auto rejected = shown_as(model::job_rejected{id_of(1), "too big"}).at(0);
  EXPECT_EQ(rejected.failed().cause(), api::Rejected);
  const auto moved = shown_as(model::job_reprioritized{id_of(1), 3, "ann"});
  ASSERT_EQ(moved.size(), 2U);
  EXPECT_EQ(moved[0].reprioritizing().new_priority(), 3);
  EXPECT_EQ(moved[1].reprioritized().new_priority(), 3);
  EXPECT_EQ(moved[1].reprioritized().requestor(), "ann");
}

TEST(event_codec, what_is_about_no_job_is_not_shown) {
  EXPECT_TRUE(shown_as(model::queue_deleted{}).empty());
  EXPECT_TRUE(shown_as(model::cluster_left{"c", "r"}).empty());
  EXPECT_TRUE(shown_as(model::round_decided{}).empty());
}

TEST(event_codec, without_header_and_run) {
  const auto messages = to_wire(
      model::event{1, "q", model::run_failed{second_run, {3, 0, "Error", ""}}}, nullptr, nullptr);
  ASSERT_TRUE(messages);
  EXPECT_EQ(messages->at(0).failed().queue(), "q");
  EXPECT_EQ(messages->at(0).failed().cluster_id(), "");
  EXPECT_EQ(messages->at(0).failed().reason(), "exit code 3");
}

TEST(event_codec, history_follows_from_the_record) {
  model::job_record job;
  job.header = some_header();
  job.state = model::job_state::failed;
  job.runs.push_back(some_run());
  job.runs.front().state = model::run_state::lease_expired;
  job.runs.push_back(some_run());
  job.runs[0].number = 1;
  job.runs[1].number = 2;
  std::vector<api::EventMessage::EventsCase> kinds;
  for (const auto& message : history(job)) kinds.push_back(message.events_case());
  using kind = api::EventMessage;
  EXPECT_THAT(kinds, ElementsAre(kind::kSubmitted, kind::kQueued, kind::kLeased, kind::kPending,
                                 kind::kRunning, kind::kLeaseExpired, kind::kLeased, kind::kPending,
                                 kind::kRunning, kind::kFailed));
  job.runs.erase(job.runs.begin());
  job.runs[0].state = model::run_state::lease_returned;
  job.runs[0].outcome.message = "no";
  EXPECT_EQ(history(job).back().lease_returned().reason(),
            "no; 1 run before it came back in the same way and left no record");
  job.state = model::job_state::cancelled;
  job.changed_ns = 9;
  job.runs.clear();
  EXPECT_EQ(history(job).back().cancelled().created().nanos(), 9);
}

TEST(queue_codec, settings_come_back) {
  auto settings = some_settings();
  settings.owners.clear();
  settings.group_owners.clear();
  api::Queue queue;
  to_wire(settings, queue);
  const auto read = from_wire(queue);
  ASSERT_TRUE(read) << read.error().detail;
  EXPECT_EQ(*read, settings);
}

TEST(queue_codec, owners_become_the_first_permission) {
  api::Queue queue;
  to_wire(some_settings(), queue);
  EXPECT_EQ(queue.user_owners_size(), 0);
  ASSERT_EQ(queue.permissions_size(), 2);
  const auto& owners = queue.permissions(0);
  EXPECT_THAT(owners.verbs(), ElementsAre("submit", "cancel", "preempt", "reprioritize", "watch"));
  EXPECT_EQ(owners.subjects(0).kind(), "User");
  EXPECT_EQ(owners.subjects(0).name(), "alice");
  EXPECT_EQ(owners.subjects(1).kind(), "Group");
  // What was read can be written back and says the same.
  const auto again = from_wire(queue);
  ASSERT_TRUE(again);
  api::Queue second;
  to_wire(*again, second);
  EXPECT_EQ(second.permissions_size(), 2);
}

TEST(queue_codec, owners_come_back_in_fields_of_their_own_when_asked_for) {
  api::Queue queue;
  to_wire(some_settings(), queue, owner_form::fields);
  EXPECT_THAT(queue.user_owners(), ElementsAre("alice"));
  EXPECT_EQ(queue.group_owners_size(), 1);
  EXPECT_EQ(queue.permissions_size(), 1);
  const auto again = from_wire(queue);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, some_settings());
}

TEST(queue_codec, owners_and_the_permission_made_of_them_are_one) {
  api::Queue queue;
  to_wire(some_settings(), queue);
  for (const auto& name : some_settings().owners) queue.add_user_owners(name);
  for (const auto& name : some_settings().group_owners) queue.add_group_owners(name);
  const auto again = from_wire(queue);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, some_settings());
}

TEST(queue_codec, refuses_wrong_settings) {
  const auto refused = [](const std::function<void(api::Queue&)>& change) {
    api::Queue queue;
    queue.set_name("q");
    queue.set_priority_factor(1);
    change(queue);
    const auto read = from_wire(queue);
    return read ? "accepted" : read.error().detail;
  };
  EXPECT_EQ(refused([](auto&) {}), "accepted");
  EXPECT_THAT(refused([](auto& q) { q.set_name(""); }), HasSubstr("queue name is empty"));
  EXPECT_THAT(refused([](auto& q) { q.set_name("big one"); }), HasSubstr("queue name 'big one'"));
  EXPECT_THAT(refused([](auto& q) { q.set_name("a\nb"); }), HasSubstr("queue name 'a?b'"));
  for (const double factor : {0.0, -1.0, std::nan(""), double{INFINITY}})
    EXPECT_THAT(refused([&](auto& q) { q.set_priority_factor(factor); }),
                HasSubstr("must be a number above 0"));
  EXPECT_THAT(refused([](auto& q) { (*q.mutable_labels())[""] = "v"; }),
              HasSubstr("labels need a key and a value"));
  EXPECT_THAT(refused([](auto& q) { (*q.mutable_labels())["k"] = ""; }),
              HasSubstr("labels need a key and a value"));
  EXPECT_THAT(refused([](auto& q) { q.add_permissions()->add_subjects()->set_kind("Robot"); }),
              HasSubstr("permissions[0].subjects: the kind is 'User' or 'Group'"));
  EXPECT_THAT(refused([](auto& q) {
                (*(*q.mutable_resource_limits_by_priority_class_name())["pc"]
                      .mutable_maximum_resource_fraction())["cpu"] = -0.1;
              }),
              HasSubstr("maximum_resource_fraction[\"cpu\"] must be between 0 and 1"));
  for (const double part : {-0.1, 1.1, std::nan("")})
    EXPECT_THAT(refused([&](auto& q) { (*q.mutable_resource_limits())["cpu"] = part; }),
                HasSubstr("resource_limits[\"cpu\"] must be between 0 and 1"));
}

TEST(queue_codec, refuses_names_that_mean_nothing_with_those_that_do) {
  const limit_names known{{"cpu", "memory"}, {"high", "low"}};
  const auto refused = [&](const std::function<void(api::Queue&)>& change) {
    api::Queue queue;
    queue.set_name("q");
    queue.set_priority_factor(1);
    change(queue);
    const auto read = from_wire(queue);
    if (!read) return read.error().detail;
    const auto valid = check_limit_names(*read, known);
    return valid ? "accepted" : valid.error().detail;
  };
  const auto limit = [](api::Queue & q, const std::string& name) -> auto& {
    return (*q.mutable_resource_limits_by_priority_class_name())[name];
  };
  EXPECT_EQ(refused([&](auto& q) {
              (*q.mutable_resource_limits())["cpu"] = 0.5;
              (*limit(q, "low").mutable_maximum_resource_fraction())["memory"] = 0.5;
              q.add_permissions()->add_verbs("watch");
            }),
            "accepted");
  EXPECT_EQ(refused([](auto& q) { (*q.mutable_resource_limits())["cpuu"] = 0.5; }),
            "resource_limits names the resource 'cpuu', which is none of cpu, memory; did you mean "
            "'cpu'?");
  EXPECT_EQ(refused([&](auto& q) { limit(q, "hihg"); }),
            "resource_limits_by_priority_class_name names the priority class 'hihg', which is none "
            "of high, low; did you mean 'high'?");
  EXPECT_THAT(refused([&](auto& q) {
                (*limit(q, "low").mutable_maximum_resource_fraction())["gpu"] = 0.5;
              }),
              HasSubstr("class_name[\"low\"] names the resource 'gpu', which is none of cpu"));
  EXPECT_THAT(refused([&](auto& q) {
                (*(*limit(q, "low").mutable_maximum_resource_fraction_by_pool())["p"]
                      .mutable_maximum_resource_fraction())["gpu"] = 0.5;
              }),
              HasSubstr("class_name[\"low\"] names the resource 'gpu'"));
  EXPECT_EQ(refused([](auto& q) { q.add_permissions()->add_verbs("submitt"); }),
            "permissions[0].verbs names the verb 'submitt', which is none of submit, cancel, "
            "preempt, reprioritize, watch; did you mean 'submit'?");
}

TEST(queue_codec, refuses_long_texts_and_large_settings_by_name) {
  const std::string text(1'025, 'x');
  const auto limit = [](api::Queue & q, const std::string& name) -> auto& {
    return (*q.mutable_resource_limits_by_priority_class_name())[name];
  };
  const std::vector<std::pair<std::string, std::function<void(api::Queue&)>>> cases{
      {"user_owners[1]",
       [&](auto& q) {
         q.add_user_owners("alice");
         q.add_user_owners(text);
       }},
      {"group_owners[0]", [&](auto& q) { q.add_group_owners(text); }},
      {"permissions[0].verbs[0]", [&](auto& q) { q.add_permissions()->add_verbs(text); }},
      {"permissions[0].subjects[0]",
       [&](auto& q) {
         auto& subject = *q.add_permissions()->add_subjects();
         subject.set_kind("User");
         subject.set_name(text);
       }},
      {"retry_policies[0]", [&](auto& q) { q.add_retry_policies(text); }},
      {"labels", [&](auto& q) { (*q.mutable_labels())[text] = "v"; }},
      {"resource_limits_by_priority_class_name",
       [&](auto& q) { (*limit(q, text).mutable_maximum_resource_fraction())["cpu"] = 0.5; }},
      {"maximum_resource_fraction",
       [&](auto& q) { (*limit(q, "pc").mutable_maximum_resource_fraction())[text] = 0.5; }},
      {"maximum_resource_fraction_by_pool",
       [&](auto& q) {
         (*(*limit(q, "pc").mutable_maximum_resource_fraction_by_pool())[text]
               .mutable_maximum_resource_fraction())["cpu"] = 0.5;
       }},
  };
  for (const auto& [place, change] : cases) {
    api::Queue queue;
    queue.set_name("q");
    queue.set_priority_factor(1);
    change(queue);
    const auto read = from_wire(queue);
    ASSERT_FALSE(read) << place;
    EXPECT_EQ(read.error().code, ec::invalid_argument);
    EXPECT_THAT(read.error().detail, AllOf(HasSubstr(place), HasSubstr("1025 bytes"),
                                           HasSubstr("at most 1024 are allowed")));
  }
  api::Queue large;
  large.set_name("q");
  large.set_priority_factor(1);
  for (int i = 0; i < 300; ++i) large.add_user_owners(std::string(1'000, 'x'));
  const auto read = from_wire(large);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ec::too_large);
  EXPECT_THAT(read.error().detail, AllOf(HasSubstr("queue 'q'"), HasSubstr("262144")));
}

}  // namespace
}  // namespace argosy::codec
