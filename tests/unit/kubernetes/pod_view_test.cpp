// SPDX-License-Identifier: Apache-2.0
// Goal: the object of a pod says what has become of its run.
// Method: a table of statuses as real API servers give them, with what they amount to.
#include "runtime/backends/kubernetes/pod_view.hpp"

#include <gtest/gtest.h>

#include "runtime/backends/kubernetes/object.hpp"

namespace argosy::backends {
namespace {

using model::run_phase;
using nlohmann::json;

struct status_case {
  const char* name;
  const char* status;
  run_phase phase;
  std::optional<int> exit_code;
  const char* reason = "";
  const char* message = "";  ///< A part of it.
  bool deleting = false;
  int signal = 0;
};

const status_case cases[] = {
    {"just_created", R"({"phase":"Pending"})", run_phase::pending, {}},
    {"without_a_status", R"({})", run_phase::pending, {}},
    {"runs",
     R"({"phase":"Running","containerStatuses":[{"name":"main","state":{"running":
       {"startedAt":"2026-11-22T10:00:02Z"}}}]})",
     run_phase::running,
     {}},
    {"succeeded", R"({"phase":"Succeeded","containerStatuses":[{"name":"main","state":{"terminated":
       {"exitCode":0,"reason":"Completed","startedAt":"2026-11-22T10:00:02Z",
        "finishedAt":"2026-11-22T10:00:04Z"}}}]})",
     run_phase::succeeded, 0, "Completed"},
    {"exits_3", R"({"phase":"Failed","containerStatuses":[{"name":"main","state":{"terminated":
       {"exitCode":3,"reason":"Error","message":"bad input"}}}]})",
     run_phase::failed, 3, "Error", "container 'main' exited with code 3: bad input"},
    {"out_of_memory",
     R"({"phase":"Failed","containerStatuses":[{"name":"main","state":{"terminated":
       {"exitCode":137,"reason":"OOMKilled"}}}]})",
     run_phase::failed, 137, "OOMKilled", "more memory", false, 9},
    {"no_such_command", R"({"phase":"Failed","containerStatuses":[{"name":"main","state":{
       "terminated":{"exitCode":128,"reason":"StartError","message":"exec: no such file",
       "startedAt":"1970-01-01T00:00:00Z"}}}]})",
     run_phase::failed, 128, "StartError", "could not be started: exec: no such file"},
    {"the_first_failed_container_counts", R"({"phase":"Failed","containerStatuses":[
       {"name":"a","state":{"terminated":{"exitCode":143,"reason":"Error",
        "finishedAt":"2026-11-22T10:00:09Z"}}},
       {"name":"b","state":{"terminated":{"exitCode":0,"reason":"Completed",
        "finishedAt":"2026-11-22T10:00:01Z"}}},
       {"name":"c","state":{"terminated":{"exitCode":7,"reason":"Error",
        "finishedAt":"2026-11-22T10:00:05Z"}}}]})",
     run_phase::failed, 7, "Error", "'c'"},
    {"init_container_fails", R"({"phase":"Failed","initContainerStatuses":[{"name":"fetch","state":{
       "terminated":{"exitCode":2,"reason":"Error"}}}],"containerStatuses":[{"name":"main",
       "state":{"waiting":{"reason":"PodInitializing"}}}]})",
     run_phase::failed, 2, "Error", "init container 'fetch' exited with code 2"},
    {"deadline", R"({"phase":"Failed","reason":"DeadlineExceeded","message":"Pod was active",
       "containerStatuses":[{"name":"main","state":{"terminated":{"exitCode":137,
       "reason":"Error"}}}]})",
     run_phase::failed, 137, "DeadlineExceeded", "Pod was active"},
    {"evicted", R"({"phase":"Failed","reason":"Evicted","message":"The node was low on memory.",
       "containerStatuses":[{"name":"main","state":{"terminated":{"exitCode":137,
       "reason":"Error"}}}]})",
     run_phase::failed, 137, "Evicted", "low on memory"},
    {"evicted_before_it_began",
     R"({"phase":"Failed","reason":"Evicted","message":"MemoryPressure"})",
     run_phase::refused,
     {},
     "BackendError",
     "MemoryPressure"},
    {"the_kubelet_has_no_room",
     R"({"phase":"Failed","reason":"OutOfcpu","message":"Node didn't"})",
     run_phase::refused,
     {},
     "BackendError",
     "OutOfcpu: Node didn't"},
    {"the_kubelet_takes_no_such_pod",
     R"({"phase":"Failed","reason":"SysctlForbidden","message":"forbidden sysctl"})",
     run_phase::refused,
     {},
     "Unsupported",
     "SysctlForbidden: forbidden sysctl"},
    {"a_port_of_the_node_is_taken",
     R"({"phase":"Failed","reason":"NodePorts","message":"taken"})",
     run_phase::refused,
     {},
     "RefusedHere",
     "NodePorts: taken"},
    {"node_lost",
     R"({"phase":"Failed","reason":"NodeLost","message":"silent"})",
     run_phase::failed,
     {},
     "Lost",
     "its node is lost: silent"},
    {"collected_with_its_node",
     R"({"phase":"Failed","conditions":[{"type":"DisruptionTarget",
       "status":"True","reason":"DeletionByPodGC","message":"node no longer exists"}],
       "containerStatuses":[{"name":"main","state":{"running":{}}}]})",
     run_phase::failed,
     {},
     "NodeGone",
     "node no longer exists"},
    {"evicted_for_what_it_stored",
     R"({"phase":"Failed","reason":"Evicted",
       "message":"Pod ephemeral local storage usage exceeds the total limit of containers 1Mi."})",
     run_phase::failed,
     {},
     "StorageExceeded",
     "it stored more than it may: Pod ephemeral"},
    {"drained_before_it_began",
     R"({"phase":"Failed","conditions":[{"type":"DisruptionTarget",
       "status":"True","reason":"EvictionByEvictionAPI","message":"drain"}]})",
     run_phase::refused,
     {},
     "EvictedOnRequest",
     "somebody has evicted it from its node: drain"},
    {"preempted_by_kubernetes", R"({"phase":"Failed","conditions":[{"type":"DisruptionTarget",
       "status":"True","reason":"PreemptionByScheduler"}],"containerStatuses":[{"name":"main",
       "state":{"terminated":{"exitCode":143,"reason":"Error"}}}]})",
     run_phase::failed, 143, "PreemptedByKubernetes", "another pod"},
    {"end_that_nobody_saw",
     R"({"phase":"Failed","containerStatuses":[{"name":"main","state":{
       "terminated":{"exitCode":137,"reason":"ContainerStatusUnknown"}}}]})",
     run_phase::failed,
     {},
     "Lost",
     "nobody saw"},
    {"deleted_by_somebody_else", R"({"phase":"Failed","containerStatuses":[{"name":"main","state":{
       "terminated":{"exitCode":143,"reason":"Error"}}}]})",
     run_phase::failed, 143, "Deleted", "deleted by somebody else", true},
    {"failed_without_a_word",
     R"({"phase":"Failed"})",
     run_phase::failed,
     {},
     "Error",
     "the pod failed"},
};

pod_view view_of(const char* status, bool deleting = false) {
  json pod{{"metadata", {{"name", "p"}, {"namespace", "jobs"}}},
           {"spec", {{"nodeName", "n"}, {"containers", {{{"name", "main"}}}}}},
           {"status", json::parse(status)}};
  if (deleting) pod["metadata"]["deletionTimestamp"] = "2026-11-22T10:00:00Z";
  return read_pod(pod);
}

TEST(pod_view, a_status_says_what_has_become_of_the_run) {
  for (const auto& each : cases) {
    SCOPED_TRACE(each.name);
    const auto view = view_of(each.status, each.deleting);
    EXPECT_EQ(view.phase, each.phase);
    EXPECT_EQ(view.outcome.exit_code, each.exit_code);
    EXPECT_EQ(view.outcome.reason, each.reason);
    EXPECT_EQ(view.outcome.signal, each.signal);
    EXPECT_NE(view.outcome.message.find(each.message), std::string::npos) << view.outcome.message;
  }
}

struct wait_case {
  const char* name;
  const char* status;
  pod_wait wait;
  const char* reason;
};

TEST(pod_view, a_pod_that_does_not_begin_says_what_it_waits_for) {
  const wait_case waits[] = {
      {"nobody_has_looked", R"({"phase":"Pending"})", pod_wait::kubelet, "BackendError"},
      {"no_place", R"({"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",
         "reason":"Unschedulable","message":"0/3 nodes are available",
         "lastTransitionTime":"2026-11-22T10:00:00Z"}]})",
       pod_wait::placement, "Unschedulable"},
      {"is_made", R"({"phase":"Pending","startTime":"2026-11-22T10:00:00Z","containerStatuses":[
         {"name":"main","state":{"waiting":{"reason":"ContainerCreating"}}}]})",
       pod_wait::creating, ""},
      {"no_image", R"({"phase":"Pending","containerStatuses":[{"name":"main","state":{"waiting":
         {"reason":"ImagePullBackOff","message":"Back-off pulling"}}}]})",
       pod_wait::image, "ImagePullBackOff"},
      {"no_secret", R"({"phase":"Pending","containerStatuses":[{"name":"main","state":{"waiting":
         {"reason":"CreateContainerConfigError"}}}]})",
       pod_wait::container, "CreateContainerConfigError"},
      {"init_container_runs", R"({"phase":"Pending","initContainerStatuses":[{"name":"fetch",
         "state":{"running":{}}}],"containerStatuses":[{"name":"main","state":{"waiting":
         {"reason":"PodInitializing"}}}]})",
       pod_wait::nothing, ""},
      {"has_ended_but_is_not_told", R"({"phase":"Pending","containerStatuses":[{"name":"main",
         "state":{"terminated":{"exitCode":0}}}]})",
       pod_wait::nothing, ""},
  };
  for (const auto& each : waits) {
    SCOPED_TRACE(each.name);
    const auto view = view_of(each.status);
    EXPECT_EQ(view.phase, run_phase::pending);
    EXPECT_EQ(view.wait, each.wait);
    EXPECT_EQ(view.wait_reason, each.reason);
  }
  EXPECT_EQ(view_of(waits[1].status).waits_since_ns, object::parse_time("2026-11-22T10:00:00Z"));
}

TEST(pod_view, a_failure_has_the_ends_of_all_containers_by_name) {
  const auto pod = read_pod(nlohmann::json::parse(R"({"status":{"phase":"Failed",
    "initContainerStatuses":[{"name":"init","state":{"terminated":{"exitCode":0}}}],
    "containerStatuses":[
    {"name":"side","state":{"terminated":{"exitCode":0,"reason":"Completed"}}},
    {"name":"worker","state":{"terminated":{"exitCode":74,"reason":"Error",
      "message":"why"}}}]}})"));
  EXPECT_EQ(pod.outcome.exit_code, 74);
  const std::vector<model::container_end> ends{{"side", 0, "Completed", ""},
                                               {"worker", 74, "Error", "why"}};
  EXPECT_EQ(pod.outcome.containers, ends) << "an init container that succeeded tells nothing";
}

TEST(pod_view, times_are_those_of_the_containers) {
  const auto view = view_of(cases[3].status);
  EXPECT_EQ(view.started_ns, object::parse_time("2026-11-22T10:00:02Z"));
  EXPECT_EQ(view.finished_ns, object::parse_time("2026-11-22T10:00:04Z"));
  EXPECT_EQ(object::parse_time("2026-11-22T10:00:02Z"), 1'795'341'602'000'000'000);
  EXPECT_EQ(object::parse_time("2026-11-22T10:00:02.25Z"), 1'795'341'602'250'000'000);
  for (const auto* text : {"", "yesterday", "2026-13-22T10:00:02Z", "2026-11-22T10:00:02"})
    EXPECT_EQ(object::parse_time(text), 0) << text;
}

TEST(pod_view, labels_name_run_and_owner) {
  const auto view = read_pod(json::parse(R"({"metadata":{"namespace":"jobs","uid":"u",
    "name":"armada-01h455vb4pex5vsknk084sn02q-1",
    "labels":{"argosy.io/run":"01h455vb4pex5vsknk084sn02q-2","argosy.io/cluster":"c",
    "argosy.io/control-plane":"cp"},"annotations":{}},
    "spec":{"nodeName":"n","runtimeClassName":"gvisor","terminationGracePeriodSeconds":7,
    "containers":[{"name":"main"}]}})"));
  ASSERT_TRUE(view.run);
  EXPECT_EQ(to_string(*view.run), "01h455vb4pex5vsknk084sn02q-2");
  EXPECT_EQ(view.cluster, "c");
  EXPECT_EQ(view.control_plane, "cp");
  EXPECT_EQ(view.runtime_class, "gvisor");
  EXPECT_EQ(view.grace_seconds, 7);
  EXPECT_EQ(view.container, "main");
}

TEST(pod_view, objects_that_make_no_sense_read_as_empty) {
  for (const auto* text :
       {"null", "[]", "7", R"({"metadata":[],"status":"x","spec":{"containers":{}}})",
        R"({"status":{"phase":"Failed","containerStatuses":{"state":1}}})",
        R"({"metadata":{"labels":{"argosy.io/run":"x-1"}}})"})
    EXPECT_FALSE(read_pod(json::parse(text)).run) << text;
}

TEST(pod_view, a_run_has_one_name) {
  const std::string id = "01h455vb4pex5vsknk084sn02q";
  const auto run = run_of_pod("armada-" + id + "-0");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->number, 1u);
  EXPECT_EQ(pod_of_run(*run), "armada-" + id + "-0");
  EXPECT_EQ(parse_run_key(id + "-7")->number, 7u);
  for (const auto* number : {"00", "07", "-1", "", "4294967295", "4294967296", "1 "})
    EXPECT_FALSE(run_of_pod("armada-" + id + "-" + number)) << number;
  EXPECT_FALSE(parse_run_key(id + "-07"));
  EXPECT_FALSE(parse_run_key("01H455VB4PEX5VSKNK084SN02Q-7"));
}

}  // namespace
}  // namespace argosy::backends
