// SPDX-License-Identifier: Apache-2.0
// Goal: what becomes of a pod in trouble follows from what is known of it, from the time and from
// the limits, and whoever reads the message knows what happened and what to do.
// Method: a table of pods, each looked at before and after its limit.
#include "runtime/backends/kubernetes/trouble/pod_trouble.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace argosy::backends {
namespace {

using namespace std::chrono_literals;
using model::run_phase;
using nlohmann::json;
using ::testing::HasSubstr;

pattern expression(const std::string& text) {
  return *pattern::make(text);
}

struct trouble_case {
  const char* name;
  const char* status;
  boot_time limit;  ///< Until then nothing is done, and then the action.
  trouble_action action;
  const char* kind;
  const char* reason;
  const char* message;  ///< A part of it.
};

const trouble_case trouble_cases[] = {
    {"no_place", R"({"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",
       "reason":"Unschedulable","message":"0/3 nodes are available: 3 Insufficient cpu."}]})",
     300s, trouble_action::give_back, "place", "BackendError", "0/3 nodes are available"},
    {"kubelet_says_nothing", R"({"phase":"Pending"})", 301s, trouble_action::give_back, "kubelet",
     "BackendError", "the kubelet of node 'n' has not taken the pod up (for longer than 301s)"},
    {"image_never_comes", R"({"phase":"Pending","containerStatuses":[{"name":"main","state":{
       "waiting":{"reason":"ImagePullBackOff","message":"Back-off"}}}]})",
     302s, trouble_action::fail, "image", "ImagePullBackOff",
     "container 'main' waits with reason ImagePullBackOff: Back-off"},
    {"container_cannot_be_made", R"({"phase":"Pending","containerStatuses":[{"name":"main","state":{
       "waiting":{"reason":"CreateContainerConfigError","message":"no secret"}}}]})",
     302s, trouble_action::fail, "container", "CreateContainerConfigError", "no secret"},
    {"init_container_goes_on", R"({"phase":"Pending","initContainerStatuses":[{"name":"fetch",
       "state":{"running":{}}}]})",
     303s, trouble_action::fail, "init", "InitDeadlineExceeded", "within 303s"},
    {"deadline", R"({"phase":"Running"})", 60s + 7s + 30s, trouble_action::fail, "deadline",
     "DeadlineExceeded", "longer than its deadline of 1m"},
    {"no_volume", R"({"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",
       "reason":"Unschedulable",
       "message":"0/3 nodes are available: persistentvolumeclaim \"x\" not found. preemption: 0/3."}
       ]})",
     300s, trouble_action::fail, "place", "CannotBegin",
     "0/3 nodes are available: persistentvolumeclaim \"x\" not found (for longer than 5m)"},
    {"volume_elsewhere", R"({"phase":"Pending","conditions":[{"type":"PodScheduled",
       "status":"False","reason":"Unschedulable",
       "message":"0/3 nodes are available: 3 node(s) had volume node affinity conflict."}]})",
     300s, trouble_action::give_back, "place", "RefusedHere", "volume node affinity"},
    {"nothing_is_made", R"({"phase":"Pending","startTime":"2026-11-22T10:00:00Z"})", 305s,
     trouble_action::give_back, "creating", "RefusedHere", "were not made within 305s"},
    {"no_scheduler_by_a_users_word", R"({"phase":"Pending","conditions":[{"type":"PodScheduled",
       "status":"False","reason":"x","message":"Kubernetes has not placed the pod"}]})",
     300s, trouble_action::give_back, "place", "RefusedHere", "has not placed the pod"},
};

struct pod_trouble_table : ::testing::Test {
  pod_trouble_table() {
    limits.node_wait = 300s;
    limits.kubelet_wait = 301s;
    limits.image_wait = 302s;
    limits.init_wait = 303s;
    limits.volume_wait = 304s;
    limits.start_wait = 305s;
  }

  void read(const char* status, const char* more = "{}") {
    json pod{{"metadata", {{"name", "p"}, {"namespace", "jobs"}}},
             {"spec",
              {{"nodeName", "n"},
               {"terminationGracePeriodSeconds", 7},
               {"activeDeadlineSeconds", 60},
               {"containers", {{{"name", "main"}}}}}},
             {"status", json::parse(status)}};
    if (std::string_view{status}.find("initContainerStatuses") != std::string_view::npos)
      pod["spec"]["initContainers"] = {{{"name", "fetch"}}};
    pod.merge_patch(json::parse(more));
    view = read_pod(pod);
    facts = {};
    facts.pod = &view;
    facts.events = &events;
    facts.pending_since = facts.wait_since = facts.running_since = start;
  }

  pod_trouble after(boot_time span) const { return check_pod(facts, limits, start + span); }

  const boot_time start = 1h;
  pod_view view;
  pod_events events;
  trouble_facts facts;
  trouble_rules limits;
};

TEST_F(pod_trouble_table, each_check_acts_at_its_limit_and_not_before) {
  for (const auto& each : trouble_cases) {
    SCOPED_TRACE(each.name);
    read(each.status);
    const auto before = after(each.limit - 1ns);
    EXPECT_LE(before.action, trouble_action::note);
    EXPECT_EQ(before.again, start + each.limit);
    const auto found = after(each.limit);
    EXPECT_EQ(found.action, each.action);
    EXPECT_EQ(found.kind, each.kind);
    EXPECT_EQ(found.reason, each.reason);
    EXPECT_THAT(found.message, HasSubstr(each.message));
  }
}

TEST_F(pod_trouble_table, a_scheduler_that_says_nothing_is_the_clusters_trouble) {
  read(R"({"phase":"Pending"})", R"({"spec":{"nodeName":null}})");
  EXPECT_EQ(after(300s).reason, "ClusterRefused");
  EXPECT_EQ(after(300s).category, "server");
  EXPECT_THAT(after(300s).message, HasSubstr("Kubernetes has not placed the pod"));
  read(R"({"phase":"Pending"})",
       R"({"spec":{"nodeName":null,"schedulerName":"Kubernetes has not placed the pod"}})");
  EXPECT_EQ(after(300s).reason, "CannotBegin") << "its job names one that there is not";
}

/// A pod as it was made with these requests, and as the API server has it.
std::string pod_with(const json& made, const json& there, const json& overhead = nullptr) {
  const auto requesting = [](const json& requests) {
    return json{
        {"spec", {{"containers", {{{"name", "main"}, {"resources", {{"requests", requests}}}}}}}}};
  };
  auto out = requesting(there);
  out["spec"]["overhead"] = overhead;
  out["metadata"]["annotations"]["argosy.io/requests"] = requests_text(requesting(made));
  return out.dump();
}

std::string unplaced_by(const std::string& why) {
  return json{{"phase", "Pending"},
              {"conditions",
               {{{"type", "PodScheduled"},
                 {"status", "False"},
                 {"reason", "Unschedulable"},
                 {"message", "0/3 nodes are available: " + why + "."}}}}}
      .dump();
}

TEST_F(pod_trouble_table, what_the_cluster_adds_to_a_pod_is_no_fault_of_a_node) {
  struct row {
    json made;
    json there;
    json overhead;
    const char* why;
    const char* reason;
  };
  const json one{{"cpu", "1"}};
  const json with_x{{"cpu", "1"}, {"example.com/x", "1"}};
  const row rows[] = {
      {one, with_x, nullptr, "1 Insufficient example.com/x", "RefusedHere"},
      {one, with_x, nullptr, "1 Insufficient example.com/x, 2 node(s) were unschedulable",
       "RefusedHere"},
      {one, with_x, nullptr, "1 Insufficient cpu", "BackendError"},
      {one, with_x, nullptr, "1 Insufficient example.com/xyz", "BackendError"},
      {with_x, with_x, nullptr, "1 Insufficient example.com/x", "BackendError"},
      {json::object(), one, nullptr, "1 Insufficient cpu", "RefusedHere"},
      {one, {{"cpu", "2"}}, nullptr, "1 Insufficient cpu", "RefusedHere"},
      {one, {{"cpu", "1000m"}}, nullptr, "1 Insufficient cpu", "BackendError"},
      {one, one, {{"cpu", "250m"}}, "1 Insufficient cpu", "RefusedHere"},
      {one, with_x, nullptr, "1 Too many pods", "BackendError"},
  };
  for (const auto& each : rows) {
    SCOPED_TRACE(each.there.dump() + each.why);
    read(unplaced_by(each.why).c_str(), pod_with(each.made, each.there, each.overhead).c_str());
    const auto found = after(300s);
    EXPECT_EQ(found.action, trouble_action::give_back);
    EXPECT_EQ(found.reason, each.reason);
    EXPECT_EQ(found.message.find("the cluster has added it to the pod") != std::string::npos,
              found.reason == "RefusedHere");
  }
  const char* refused = R"({"phase":"Failed","reason":"OutOfexample.com/x","message":"m"})";
  read(refused, pod_with(one, with_x).c_str());
  EXPECT_EQ(view.outcome.reason, "RefusedHere");
  EXPECT_THAT(view.outcome.message, HasSubstr("a LimitRange or a webhook of the namespace"));
  read(refused, pod_with(with_x, with_x).c_str());
  EXPECT_EQ(view.outcome.reason, "BackendError");
}

TEST_F(pod_trouble_table, an_image_name_that_is_none_fails_at_once) {
  read(R"({"phase":"Pending","containerStatuses":[{"name":"main","state":{"waiting":{
    "reason":"InvalidImageName","message":"couldn't parse image name"}}}]})");
  EXPECT_EQ(after(0s).action, trouble_action::fail);
  EXPECT_EQ(after(0s).reason, "InvalidImageName");
}

TEST_F(pod_trouble_table, what_a_pod_waits_for_is_told_after_a_moment_with_what_follows) {
  read(trouble_cases[0].status);
  EXPECT_EQ(after(9s).action, trouble_action::none);
  EXPECT_EQ(after(9s).again, start + 10s);
  const auto note = after(10s);
  EXPECT_EQ(note.action, trouble_action::note);
  EXPECT_EQ(note.message,
            "Kubernetes finds no place for the pod: 0/3 nodes are available: 3 Insufficient cpu. "
            "If that lasts 5m, the run is given back");
  read(trouble_cases[2].status);
  EXPECT_THAT(after(10s).message, HasSubstr("If that lasts 302s, the run fails"));
}

TEST_F(pod_trouble_table, containers_that_are_being_made_are_told_of_only_with_a_warning) {
  read(R"({"phase":"Pending","startTime":"2026-11-22T10:00:00Z","containerStatuses":[{
    "name":"main","state":{"waiting":{"reason":"ContainerCreating"}}}]})");
  limits.start_wait = 0s;
  EXPECT_EQ(after(100h).action, trouble_action::none) << "a large image takes its time";
  EXPECT_EQ(after(100h).again, boot_time::max());
  events.add({"jobs", "p", {}, true, "FailedScheduling", "0/1"});
  EXPECT_EQ(after(1h).action, trouble_action::none) << "that is over";
  events.add({"jobs", "p", {}, true, "FailedMount", "no volume 'data'"});
  EXPECT_EQ(after(1h).action, trouble_action::note) << "nobody has repeated that";
  EXPECT_EQ(after(1h).message, "its containers are not made yet. FailedMount: no volume 'data'");
}

TEST_F(pod_trouble_table, a_volume_that_never_comes_ends_a_run_by_whose_fault_it_is) {
  read(R"({"phase":"Pending","startTime":"2026-11-22T10:00:00Z"})");
  limits.start_wait = 1h;
  const auto warn = [&](const char* reason, const char* message, boot_time when) {
    events.add({"jobs", "p", {}, true, reason, message, start + when});
  };
  warn("FailedMount", "MountVolume.SetUp failed for volume \"k\" : secret \"no\" not found", 200s);
  EXPECT_EQ(after(303s).message,
            "its containers are not made yet. FailedMount: MountVolume.SetUp failed for volume "
            "\"k\" : secret \"no\" not found. If that lasts 304s, the run fails");
  const auto end = after(304s);
  EXPECT_EQ(end.action, trouble_action::fail);
  EXPECT_EQ(end.reason, "CannotBegin");
  EXPECT_THAT(end.message, HasSubstr("secret \"no\" not found (for longer than 304s)"));
  EXPECT_EQ(after(381s).action, trouble_action::note) << "the volume came, and an image may not";
  warn("FailedMount", "Unable to attach or mount volumes", 300s);
  EXPECT_EQ(after(304s).action, trouble_action::give_back);
  EXPECT_EQ(after(304s).reason, "RefusedHere");
  warn("FailedCreatePodSandBox", "no network", 300s);
  EXPECT_EQ(after(304s).reason, "BackendError") << "of the node";
}

TEST_F(pod_trouble_table, a_side_car_is_no_init_container_that_has_to_end) {
  read(trouble_cases[4].status,
       R"({"spec":{"initContainers":[{"name":"fetch","restartPolicy":"Always"}]}})");
  EXPECT_NE(after(1h).kind, "init");
  read(trouble_cases[4].status);
  limits.init_wait = 0s;
  EXPECT_NE(after(100h).kind, "init") << "there is no limit";
}

TEST_F(pod_trouble_table, a_node_that_is_silent_or_gone_is_told_of_with_the_remedy) {
  read(R"({"phase":"Running"})", R"({"spec":{"activeDeadlineSeconds":null}})");
  const node_state silent{false, true, "Kubelet stopped posting node status."};
  facts.node = &silent;
  facts.node_since = start;
  EXPECT_EQ(after(9s).action, trouble_action::none);
  EXPECT_EQ(after(10s).kind, "node");
  EXPECT_EQ(after(100h).action, trouble_action::note) << "the pod may be alive";
  EXPECT_THAT(after(10s).message,
              HasSubstr("node 'n' has fallen silent: Kubelet stopped posting node status. The job "
                        "runs nowhere else until its pod is certainly gone"));
  EXPECT_THAT(after(10s).message, HasSubstr("node.kubernetes.io/out-of-service"));
  const node_state gone{true, false, {}};
  facts.node = &gone;
  EXPECT_THAT(after(10s).message, HasSubstr("node 'n' is not in Kubernetes any more"));
  const node_state unready{false, false, "disk"};
  facts.node = &unready;
  EXPECT_THAT(after(10s).message, HasSubstr("node 'n' is not ready: disk"));
}

TEST_F(pod_trouble_table, a_pod_that_does_not_end_is_told_of_and_never_given_away) {
  read(R"({"phase":"Running"})");
  facts.ending_since = start;
  facts.ending_grace = 20s;
  EXPECT_EQ(after(49s).action, trouble_action::none);
  EXPECT_EQ(after(50s).kind, "ending");
  EXPECT_EQ(after(100h).action, trouble_action::note);
  EXPECT_THAT(after(50s).message, HasSubstr("is still there 50s later"));
}

TEST_F(pod_trouble_table, a_pod_that_somebody_deletes_says_who) {
  read(R"({"phase":"Running"})", R"({"metadata":{"deletionTimestamp":"2026-11-22T10:00:00Z"}})");
  EXPECT_EQ(after(0s).message, "somebody has deleted its pod, which ends it");
  read(R"({"phase":"Running","conditions":[{"type":"DisruptionTarget","status":"True",
    "reason":"EvictionByEvictionAPI"}]})",
       R"({"metadata":{"deletionTimestamp":"2026-11-22T10:00:00Z"}})");
  EXPECT_EQ(after(0s).message, "its pod is being ended: somebody has evicted it from its node");
}

TEST_F(pod_trouble_table, the_first_rule_counts_of_each_event_and_the_gravest_of_all) {
  read(R"({"phase":"Pending","startTime":"2026-11-22T10:00:00Z","containerStatuses":[{
    "name":"main","state":{"waiting":{"reason":"ContainerCreating"}}}]})");
  events.add({"jobs", "p", {}, true, "FailedMount", "mount failed: exit status 32"});
  limits.event_checks = {
      {{expression("exit status"), false, 30s, check_action::retry}, event_type::warning},
      {{expression("mount"), false, 0s, check_action::fail}, event_type::warning}};
  EXPECT_EQ(after(29s).action, trouble_action::note) << "the first rule has not come to its time";
  auto found = after(30s);
  EXPECT_EQ(found.action, trouble_action::give_back);
  EXPECT_EQ(found.reason, "RefusedHere") << "what a job mounts says nothing of the node";
  EXPECT_THAT(found.message, HasSubstr("by the rule 'exit status' of the cluster"));
  events.add({"jobs", "p", {}, true, "FailedAttachVolume", "cannot mount"});
  EXPECT_EQ(after(30s).action, trouble_action::fail);
  EXPECT_EQ(after(30s).reason, "FailedAttachVolume");
}

TEST_F(pod_trouble_table, rules_look_at_one_type_of_events_and_may_be_inverse) {
  read(R"({"phase":"Pending","startTime":"2026-11-22T10:00:00Z"})");
  events.add({"jobs", "p", {}, false, "Pulling", "Pulling image x"});
  limits.event_checks = {
      {{expression("Pulling"), false, 0s, check_action::fail}, event_type::warning}};
  EXPECT_NE(after(1s).action, trouble_action::fail);
  limits.event_checks = {
      {{expression("Pulled"), true, 0s, check_action::fail}, event_type::normal}};
  EXPECT_EQ(after(1s).action, trouble_action::fail);
}

TEST_F(pod_trouble_table, rules_look_at_reasons_of_containers_in_their_state) {
  read(R"({"phase":"Pending","initContainerStatuses":[{"name":"fetch","state":{"terminated":{
    "exitCode":0,"reason":"Completed"}}}],"containerStatuses":[{"name":"main","state":{"waiting":{
    "reason":"ErrImagePull","message":"bad"}}}]})");
  limits.container_checks = {
      {{expression("^Completed$"), false, 0s, check_action::fail}, container_state::waiting}};
  EXPECT_EQ(after(0s).action, trouble_action::none);
  limits.container_checks = {
      {{expression("^ErrImagePull$"), false, 0s, check_action::fail}, container_state::waiting}};
  EXPECT_EQ(after(0s).reason, "ErrImagePull");
  limits.container_checks = {
      {{expression("^Completed$"), false, 0s, check_action::retry}, container_state::terminated}};
  EXPECT_EQ(after(0s).action, trouble_action::give_back);
}

TEST_F(pod_trouble_table, an_ended_pod_is_in_no_trouble) {
  read(R"({"phase":"Failed"})");
  const node_state silent{false, true, {}};
  facts.node = &silent;
  EXPECT_EQ(after(100h).action, trouble_action::none);
  EXPECT_EQ(after(100h).again, boot_time::max());
}

TEST(pod_events, the_last_of_each_reason_is_kept_and_of_few_reasons) {
  pod_events events;
  EXPECT_TRUE(events.add({"j", "p", {}, true, "A", "1"}));
  EXPECT_FALSE(events.add({"j", "p", {}, true, "A", "1"})) << "that is known";
  EXPECT_TRUE(events.add({"j", "p", {}, true, "A", "2"}));
  EXPECT_EQ(events.all().size(), 1U);
  for (char c = 'B'; c <= 'Z'; ++c)
    EXPECT_TRUE(events.add({"j", "p", {}, c < 'X', std::string(1, c), ""}));
  EXPECT_EQ(events.all().size(), 10U);
  ASSERT_NE(events.last_warning(), nullptr);
  EXPECT_EQ(events.last_warning()->reason, "W");
  for (const auto* text : {"null", "[]", R"({"involvedObject":{"kind":"Node","name":"n"}})",
                           R"({"involvedObject":{"kind":"Pod","name":"p"}})"})
    EXPECT_FALSE(read_event(json::parse(text))) << text;
}

}  // namespace
}  // namespace argosy::backends
