// SPDX-License-Identifier: Apache-2.0
// Goal: submit files become requests, and every mistake in one is told with its place and the fix.
// Method: texts are read; the encoded jobs are decoded by protobuf and compared, or the error is.
#include "messages/submit_file/job_file.hpp"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <sstream>

#include "messages/codec/submit/submit_codec.hpp"
#include "messages/proto/api/submit.pb.h"
#include "runtime/base/random.hpp"

namespace argosy::submit_file {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string with_job(const std::string& job) {
  return "queue: q\njobSetId: s\njobs:\n" + job;
}

const std::string small_job = R"(  - podSpec:
      containers:
        - name: main
          resources:
            requests: {cpu: 1, memory: 1Gi}
            limits: {cpu: 1, memory: 1Gi}
)";

api::JobSubmitRequestItem item_of(const std::string& text, std::size_t index = 0) {
  const auto file = read_jobs(text, "f.yaml");
  EXPECT_TRUE(file) << to_string(file.error());
  api::JobSubmitRequestItem item;
  if (file) {
    EXPECT_TRUE(item.ParseFromString(file->jobs.at(index).item));
  }
  return item;
}

void expect_item(const std::string& yaml, const std::string& text_format) {
  api::JobSubmitRequestItem expected;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text_format, &expected));
  const auto item = item_of(yaml);
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(item, expected))
      << item.DebugString();
}

TEST(job_file, has_numbers_as_the_json_of_protobuf_has_them) {
  const auto item = item_of(R"({"queue": "q", "jobSetId": "s", "jobs": [{"priority": "2",
      "services": [{"type": 1, "ports": ["5000", 6e3]}],
      "podSpec": {"activeDeadlineSeconds": "300", "terminationGracePeriodSeconds": 30.0,
        "priority": 1e3, "containers": [{"name": "c", "resources": {
          "requests": {"cpu": "1"}, "limits": {"cpu": 1}}}]}}]})");
  EXPECT_EQ(item.priority(), 2.0);
  ASSERT_EQ(item.services_size(), 1);
  EXPECT_EQ(item.services(0).type(), 1);
  EXPECT_THAT(item.services(0).ports(), ElementsAre(5000U, 6000U));
  EXPECT_EQ(item.pod_spec().activedeadlineseconds(), 300);
  EXPECT_EQ(item.pod_spec().terminationgraceperiodseconds(), 30);
  EXPECT_EQ(item.pod_spec().priority(), 1000);
}

TEST(job_file, every_field_of_a_job) {
  expect_item(with_job(R"(
  - priority: 2.5
    namespace: ns
    clientId: c1
    labels: {a: "1", b: x y}
    annotations: {n: 5}
    requiredNodeLabels: {z: w}
    scheduler: sched
    externalJobUri: x://1
    ingress:
      - ports: [80, 443]
        annotations: {k: v}
        tlsEnabled: true
        certName: cert
        useClusterIP: false
    services:
      - type: Headless
        ports: [5000]
        name: svc
    podSpec:
      containers: [{name: c, resources: {requests: {cpu: 1}, limits: {cpu: 1}}}]
)"),
              R"(
    priority: 2.5 namespace: "ns" client_id: "c1"
    labels { key: "a" value: "1" } labels { key: "b" value: "x y" }
    annotations { key: "n" value: "5" }
    required_node_labels { key: "z" value: "w" }
    scheduler: "sched" external_job_uri: "x://1"
    ingress { ports: 80 ports: 443 annotations { key: "k" value: "v" } tls_enabled: true
              cert_name: "cert" }
    services { type: Headless ports: 5000 name: "svc" }
    pod_spec { containers { name: "c" resources {
      requests { key: "cpu" value { string: "1" } }
      limits { key: "cpu" value { string: "1" } } } } })");
}

TEST(job_file, pod_spec_with_all_kinds_of_values) {
  expect_item(with_job(R"(
  - podSpecs:
      - terminationGracePeriodSeconds: 0
        hostNetwork: false
        nodeSelector: {zone: b}
        containers:
          - name: c
            command: [sh, -c]
            args:
              - |
                echo one
                echo two
              - ""
            env:
              - {name: A, value: "1"}
              - name: B
                valueFrom: {configMapKeyRef: {name: cm, key: k, optional: true}}
            resources:
              requests: {cpu: 500m, memory: 1Gi, nvidia.com/gpu: 2}
              limits: {cpu: 500m, memory: 1Gi, nvidia.com/gpu: 2}
            livenessProbe:
              httpGet: {path: /, port: http}
              periodSeconds: 5
            readinessProbe:
              tcpSocket: {port: 8080}
        volumes:
          - name: v
            emptyDir: {sizeLimit: 1.5Gi}
          - name: w
            configMap: {name: cm, items: [{key: k, path: p}]}
          - name: x
            hostPath: {path: /data}
        priority: -5
)"),
              R"(
    pod_specs {
      terminationGracePeriodSeconds: 0 hostNetwork: false
      nodeSelector { key: "zone" value: "b" }
      containers {
        name: "c" command: "sh" command: "-c" args: "echo one\necho two\n" args: ""
        env { name: "A" value: "1" }
        env { name: "B" valueFrom { configMapKeyRef {
          localObjectReference { name: "cm" } key: "k" optional: true } } }
        resources {
          requests { key: "cpu" value { string: "500m" } }
          requests { key: "memory" value { string: "1Gi" } }
          requests { key: "nvidia.com/gpu" value { string: "2" } }
          limits { key: "cpu" value { string: "500m" } }
          limits { key: "memory" value { string: "1Gi" } }
          limits { key: "nvidia.com/gpu" value { string: "2" } } }
        livenessProbe { handler { httpGet { path: "/" port { type: 1 strVal: "http" } } }
                        periodSeconds: 5 }
        readinessProbe { handler { tcpSocket { port { type: 0 intVal: 8080 } } } }
      }
      volumes { name: "v" volumeSource { emptyDir { sizeLimit { string: "1.5Gi" } } } }
      volumes { name: "w" volumeSource { configMap { localObjectReference { name: "cm" }
                                                     items { key: "k" path: "p" } } } }
      volumes { name: "x" volumeSource { hostPath { path: "/data" } } }
      priority: -5
    })");
}

TEST(job_file, times_and_bytes) {
  const auto item = item_of(with_job(R"(
  - podSpec:
      containers: [{name: c, resources: {requests: {cpu: 1}, limits: {cpu: 1}}}]
      volumes:
        - name: v
          ephemeral:
            volumeClaimTemplate:
              metadata: {creationTimestamp: "2026-01-31T12:00:00.25+01:00"}
)"));
  const auto& time = item.pod_spec()
                         .volumes(0)
                         .volumesource()
                         .ephemeral()
                         .volumeclaimtemplate()
                         .metadata()
                         .creationtimestamp();
  EXPECT_EQ(time.seconds(), 1'769'857'200);
  EXPECT_EQ(time.nanos(), 250'000'000);
}

TEST(job_file, null_is_absent) {
  const auto item = item_of(with_job("  - labels:\n    podSpecs: ~\n    " + small_job.substr(4)));
  EXPECT_TRUE(item.has_pod_spec());
  EXPECT_TRUE(item.labels().empty());
}

TEST(job_file, takes_the_key_of_the_job_set_that_lists_print) {
  const auto file = read_jobs("queue: q\njobSet: s\njobs:\n" + small_job, "f.yaml");
  ASSERT_TRUE(file) << file.error().detail;
  EXPECT_EQ(file->job_set, "s");
  const auto twice = read_jobs("queue: q\njobSet: s\njobSetId: t\njobs:\n" + small_job, "f.yaml");
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().detail, "f.yaml:3:1: the job set is named twice");
}

TEST(job_file, queue_and_job_set_stand_anywhere_or_come_from_flags) {
  const auto late = read_jobs("jobs:\n" + small_job + "jobSetId: s\nqueue: q\n", "f");
  ASSERT_TRUE(late) << late.error().detail;
  EXPECT_EQ(late->queue, "q");
  EXPECT_EQ(late->job_set, "s");
  const auto flags = read_jobs(with_job(small_job), "f", {"other", "set"});
  ASSERT_TRUE(flags);
  EXPECT_EQ(flags->queue, "other");
  EXPECT_EQ(flags->job_set, "set");
  EXPECT_TRUE(read_jobs("jobs:\n" + small_job, "f", {"q", "s"}));
}

struct row {
  std::string text;
  const char* place;
  const char* part;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void expect_refused(const std::vector<row>& rows) {
  for (const auto& row : rows) {
    const auto file = read_jobs(row.text, "f.yaml");
    ASSERT_FALSE(file) << row.text;
    EXPECT_EQ(file.error().code, ec::invalid_argument);
    EXPECT_THAT(lines_of(file.error().detail),
                ::testing::Contains(AllOf(::testing::StartsWith(row.place), HasSubstr(row.part))))
        << row.text;
  }
}

const std::string containers =
    "containers: [{name: c, command: [x], resources: {requests: {cpu: 1}, limits: {cpu: 1}}}]";
const std::string pod = "    podSpec: {" + containers + "}\n";

TEST(job_file, tells_the_place_and_the_fix) {
  expect_refused({
      {"", "f.yaml:1:1: ", "expected a submit file"},
      {"- a\n", "f.yaml:1:1: ", "expected a submit file"},
      {"queue: [q\n", "f.yaml:", ""},
      {"queue: q\njobs:\n" + small_job, "f.yaml:1:1: ", "no job set; add `jobSetId: NAME`"},
      {"jobSetId: s\njobs:\n" + small_job, "f.yaml:1:1: ", "no queue; add `queue: NAME`"},
      {"queue: q!\njobSetId: s\njobs:\n" + small_job, "f.yaml:1:8: ", "queue 'q!'"},
      {"queue: [q]\njobSetId: s\njobs:\n" + small_job, "f.yaml:1:8: ", "'queue' takes text"},
      {"queue: q\njobSetId: s\n", "f.yaml:1:1: ", "no jobs; list them under `jobs:`"},
      {"queue: q\njobSetId: s\njobs: []\n", "f.yaml:1:1: ", "no jobs"},
      {"queue: q\njobSetId: s\njobs:\n", "f.yaml:1:1: ", "no jobs"},
      {"queue: q\njobSetId: s\njobs: {a: b}\n", "f.yaml:3:7: ", "'jobs' is a list"},
      {"queue: q\njobsetId: s\njobs:\n" + small_job,
       "f.yaml:2:1: ", "unknown field 'jobsetId'; did you mean 'jobSetId'?"},
      {"queue: q\nqueue: q\njobSetId: s\njobs:\n" + small_job, "f.yaml:2:1: ", "queue"},
      {with_job("  - podSpec: *a\n"), "f.yaml:4:14: ", "no value with the anchor &a"},
      {with_job("  - just text\n"), "f.yaml:4:5: ", "a job is a mapping"},
      {with_job("  - priority: high\n" + pod),
       "f.yaml:4:15: ", "'priority' takes a number; 'high'"},
      {with_job("  - priority: 'one'\n" + pod), "f.yaml:4:15: ", "'one' is none"},
      {with_job("  - priority: .nan\n" + pod), "f.yaml:4:15: ", "takes a number"},
      {with_job("  - namespace: N\n" + pod), "f.yaml:4:16: ", "namespace 'N'"},
      {with_job("  - clientId: " + std::string(101, 'c') + "\n" + pod),
       "f.yaml:4:15: ", "clientId has 101 bytes"},
      {with_job("  - labels: [a]\n" + pod), "f.yaml:4:13: ", "'labels' takes pairs"},
      {with_job("  - labels: {a: [b]}\n" + pod), "f.yaml:4:17: ", "takes text"},
      {with_job("  - labels: {a: \"b\\tc\"}\n" + pod), "f.yaml:4:17: ", "control character"},
      {with_job("  - labels: {a: }\n" + pod), "f.yaml:4:1", "'a' has no value"},
      {with_job("  - priority: 1\n"), "f.yaml:4:5: ", "the job has no podSpec"},
      {with_job("  - podSpecs: []\n"), "f.yaml:4:15: ", "podSpecs has 0 pods"},
      {with_job("  - podSpecs: [{containers: [{}]}, {containers: [{}]}]\n"),
       "f.yaml:4:15: ", "podSpecs has 2 pods"},
      {with_job("  - podSpecs: [{containers: [{}]}]\n" + pod),
       "f.yaml:4:5: ", "has podSpec and podSpecs"},
  });
}

TEST(job_file, tells_what_is_wrong_inside_a_job) {
  expect_refused({
      {with_job("  - podSpec: {}\n"), "f.yaml:4:14: ", "the pod has no containers"},
      {with_job("  - podSpec: {containers: []}\n"), "f.yaml:4:27: ", "the pod has no containers"},
      {with_job("  - podSpec: {containers: {name: c}}\n"),
       "f.yaml:4:27: ", "'containers' is a list"},
      {with_job("  - podSpec: {containers: [{name: c, imagePullPolcy: x}]}\n"),
       "f.yaml:4:38: ", "unknown field 'imagePullPolcy'; did you mean 'imagePullPolicy'?"},
      {with_job("  - podSpec: {hostNetwork: yes, containers: [{}]}\n"),
       "f.yaml:4:28: ", "'hostNetwork' takes true or false; 'yes'"},
      {with_job("  - podSpec: {priority: 1.5, containers: [{}]}\n"),
       "f.yaml:4:25: ", "takes a whole number from -2147483648 to 2147483647; '1.5'"},
      {with_job("  - podSpec: {priority: 2147483648, containers: [{}]}\n"),
       "f.yaml:4:25: ", "takes a whole number"},
      {with_job("  - podSpec: {containers: [{name: \"a\\x1b\"}]}\n"),
       "f.yaml:4:35: ", "control character U+001B is not allowed in 'name'; only command"},
      {with_job("  - podSpec: {containers: [{command: [\"a\\0\"]}]}\n"),
       "f.yaml:4:39: ", "control character U+0000 is not allowed"},
      {with_job("  - podSpec: {containers: [{env: [{name: \"A\\x01\", value: \"\\x01\"}]}]}\n"),
       "f.yaml:4:42: ", "control character U+0001 is not allowed in 'name'"},
      {with_job("  - podSpec: {containers: [{resources: {requests: {cpu: -1}}}]}\n"),
       "f.yaml:4:57: ", "cpu: '-1' is negative"},
      {with_job("  - podSpec: {containers: [{resources: {requests: {cpu: 0.0001}}}]}\n"),
       "f.yaml:4:57: ", "cpu: '0.0001' is not a multiple of 1m"},
      {with_job("  - podSpec: {containers: [{resources: {limits: {memory: 1.5}}}]}\n"),
       "f.yaml:4:58: ", "memory: '1.5' is not a whole number of bytes"},
      {with_job("  - podSpec: {containers: [{resources: {limits: {memory: 2000Ti}}}]}\n"),
       "f.yaml:4:58: ", "memory: '2000Ti' is too large; the largest amount is 1Pi"},
      {with_job("  - podSpec: {containers: [{resources: {limits: {memory: 9Ei}}}]}\n"),
       "f.yaml:4:58: ", "is too large"},
      {with_job("  - podSpec: {containers: [{resources: {limits: {memory: {}}}}]}\n"),
       "f.yaml:4:58: ", "expected a quantity"},
      {with_job("  - services: [{type: NodePrt}]\n" + pod),
       "f.yaml:4:23: ", "'NodePrt' is not one of NodePort, Headless; did you mean 'NodePort'?"},
      {with_job("  - ingress: [{ports: [-1]}]\n" + pod), "f.yaml:4:24: ", "'ports' takes a whole"},
      {with_job("  - ingress: [~]\n" + pod), "f.yaml:4:15: ", "an item of 'ingress' is empty"},
  });
}

std::string gang_job(const std::string& id, const std::string& cardinality,
                     const std::string& priority_class = "armada-default") {
  return "  - annotations: {armadaproject.io/gangId: " + id +
         ", armadaproject.io/gangCardinality: \"" + cardinality + "\"}\n" +
         "    podSpec: {priorityClassName: " + priority_class + ", " + containers + "}\n";
}

TEST(job_file, gangs_must_be_whole_and_agree) {
  const auto refused = [](const std::string& jobs) {
    const auto file = read_jobs(with_job(jobs), "f.yaml");
    return file ? "accepted" : file.error().detail;
  };
  EXPECT_EQ(refused(gang_job("g", "2") + small_job + gang_job("g", "2")), "accepted");
  EXPECT_EQ(refused(gang_job("g", "1")), "accepted");
  EXPECT_EQ(refused(gang_job("g", "2")),
            "f.yaml:4:1: gang 'g' has 1 of 2 members; a gang is submitted as a whole");
  EXPECT_THAT(refused(gang_job("g", "2") + gang_job("g", "2") + gang_job("g", "2")),
              StartsWith("f.yaml:8:5: gang 'g' has more members than its cardinality 2"));
  EXPECT_THAT(refused(gang_job("g", "2") + gang_job("g", "3")),
              StartsWith("f.yaml:6:5: gang 'g': cardinality '3' differs from '2'"));
  EXPECT_THAT(refused(gang_job("g", "2") + gang_job("g", "2", "armada-preemptible")),
              HasSubstr("priority class"));
  EXPECT_THAT(refused(gang_job("g", "two") + gang_job("g", "2")),
              AllOf(HasSubstr("'two' is not a whole number"), Not(HasSubstr("of 2 members"))));
  EXPECT_THAT(refused(gang_job("''", "2")), HasSubstr("is empty; name the gang"));
}

job_file numbered_jobs(int count) {
  auto text = with_job("");
  for (int i = 0; i < count; ++i) text += "  - clientId: job-" + std::to_string(i) + "\n" + pod;
  auto file = read_jobs(text, "f");
  EXPECT_TRUE(file);
  return file.value_or(job_file{});
}

TEST(divide, keeps_order_and_limits) {
  const auto file = numbered_jobs(10);
  const auto by_count = divide(file, 1 << 20, 4);
  ASSERT_TRUE(by_count);
  ASSERT_EQ(by_count->size(), 3U);
  EXPECT_THAT((*by_count)[0].jobs, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT((*by_count)[2].jobs, ElementsAre(8, 9));
  api::JobSubmitRequest request;
  ASSERT_TRUE(request.ParseFromString((*by_count)[2].bytes));
  EXPECT_EQ(request.queue(), "q");
  EXPECT_EQ(request.job_set_id(), "s");
  ASSERT_EQ(request.job_request_items_size(), 2);
  EXPECT_EQ(request.job_request_items(0).client_id(), "job-8");

  const auto by_bytes = divide(file, 200, 100);
  ASSERT_TRUE(by_bytes);
  EXPECT_GT(by_bytes->size(), 2U);
  std::size_t jobs = 0;
  for (const auto& part : *by_bytes) {
    EXPECT_LE(part.bytes.size(), 200U);
    for (const auto job : part.jobs) EXPECT_EQ(job, jobs++);
  }
  EXPECT_EQ(jobs, 10U);
}

TEST(divide, keeps_gangs_together) {
  auto text = with_job("");
  for (int i = 0; i < 3; ++i) text += gang_job("g", "3") + small_job;
  const auto file = read_jobs(text, "f");
  ASSERT_TRUE(file) << file.error().detail;
  const auto requests = divide(*file, 1 << 20, 3);
  ASSERT_TRUE(requests);
  ASSERT_EQ(requests->size(), 2U);
  EXPECT_THAT((*requests)[0].jobs, ElementsAre(0, 2, 4));
  EXPECT_THAT((*requests)[1].jobs, ElementsAre(1, 3, 5));
  const auto too_small = divide(*file, 100, 3);
  ASSERT_FALSE(too_small);
  EXPECT_EQ(too_small.error().code, ec::too_large);
  EXPECT_THAT(too_small.error().detail, HasSubstr("gang 'g' does not fit"));
  EXPECT_FALSE(divide(numbered_jobs(1), 20, 10));
}

TEST(divide, gives_a_gang_above_the_usual_number_a_request_of_its_own) {
  auto text = with_job(small_job);
  for (int i = 0; i < 3; ++i) text += gang_job("g", "3") + small_job;
  const auto file = read_jobs(text, "f");
  ASSERT_TRUE(file) << file.error().detail;
  const auto requests = divide(*file, 1 << 20, 2);
  ASSERT_TRUE(requests) << requests.error().detail;
  ASSERT_EQ(requests->size(), 4U);
  EXPECT_THAT((*requests)[0].jobs, ElementsAre(0));
  EXPECT_THAT((*requests)[1].jobs, ElementsAre(1, 3, 5));
  EXPECT_THAT((*requests)[2].jobs, ElementsAre(2, 4));
  EXPECT_THAT((*requests)[3].jobs, ElementsAre(6));
}

TEST(job_file, the_gateway_takes_what_was_read) {
  const auto file = read_jobs(with_job(small_job + small_job), "f");
  ASSERT_TRUE(file);
  const auto requests = divide(*file, 1 << 20, 100);
  ASSERT_TRUE(requests);
  seeded_random random{1};
  ulid_factory ids{random};
  codec::submit_decoder decoder{{}, codec::process_shapes(), ids};
  codec::submit_context context;
  context.name_space = "default";
  const auto decoded = decoder.decode(requests->at(0).bytes, context);
  ASSERT_TRUE(decoded) << decoded.error().detail;
  EXPECT_EQ(decoded->jobs.size(), 2U);
  EXPECT_EQ(decoded->jobs[0]->shape, decoded->jobs[1]->shape);
}

TEST(queue_file, settings) {
  const auto queues = read_queues(R"(
apiVersion: armadaproject.io/v1beta1
kind: Queue
name: research
priorityFactor: 2
cordoned: true
labels: {team: x}
permissions:
  - subjects: [{kind: Group, name: staff}]
    verbs: [submit, cancel]
resourceLimits: {cpu: 0.75}
resourceLimitsByPriorityClassName:
  armada-default:
    maximumResourceFraction: {cpu: 0.5}
    maximumResourceFractionByPool:
      gpu: {maximumResourceFraction: {memory: 0.25}}
retryPolicies: [twice]
---
kind: Queue
name: other
)",
                                  "q.yaml");
  ASSERT_TRUE(queues) << queues.error().detail;
  ASSERT_EQ(queues->size(), 2U);
  const auto& first = queues->at(0);
  EXPECT_EQ(first.name, "research");
  EXPECT_EQ(first.priority_factor, 2);
  EXPECT_TRUE(first.cordoned);
  EXPECT_EQ(first.labels, (model::label_list{{"team", "x"}}));
  EXPECT_EQ(first.permissions.at(0).subjects.at(0).name, "staff");
  EXPECT_EQ(first.limits.at("armada-default").fraction.at("cpu"), 0.5);
  EXPECT_EQ(first.limits.at("armada-default").fraction_by_pool.at("gpu").at("memory"), 0.25);
  EXPECT_EQ(first.total_limit.at("cpu"), 0.75);
  EXPECT_THAT(first.retry_policies, ElementsAre("twice"));
  EXPECT_EQ(queues->at(1).priority_factor, 1);
}

TEST(queue_file, tells_the_place) {
  const auto refused = [](const std::string& text) {
    const auto queues = read_queues(text, "q.yaml");
    return queues ? "accepted" : queues.error().detail;
  };
  EXPECT_THAT(refused("name: q\n"), HasSubstr("q.yaml:1:1: no kind"));
  EXPECT_THAT(refused("kind: Cue\nname: q\n"), HasSubstr("q.yaml:1:7: kind 'Cue' is not Queue"));
  EXPECT_THAT(refused("kind: Queue\nname: q\npriorityfactor: 1\n"),
              HasSubstr("q.yaml:3:1: unknown field 'priorityfactor'; did you mean"));
  EXPECT_THAT(refused("kind: Queue\nname: q/1\n"), HasSubstr("q.yaml:1:1: queue name 'q/1'"));
  EXPECT_THAT(refused("kind: Queue\nname: q\npriorityFactor: -0.5\n"), HasSubstr("above 0"));
}

/// The job without its dash, to stand behind other keys.
const std::string rest_of_job = "    " + small_job.substr(4);

std::vector<std::string> annotations_of(const job_file& file, const char* key) {
  std::vector<std::string> out;
  for (const auto& job : file.jobs) {
    api::JobSubmitRequestItem item;
    EXPECT_TRUE(item.ParseFromString(job.item));
    const auto at = item.annotations().find(key);
    out.push_back(at == item.annotations().end() ? "-" : at->second);
  }
  return out;
}

TEST(job_file, names_jobs_by_key_flag_container_or_file) {
  const auto names = [](const std::string& job, const job_file_options& options) {
    const auto file = read_jobs(with_job(job), "f.yaml", options);
    return file ? annotations_of(*file, "argosy.io/name") : std::vector<std::string>{};
  };
  EXPECT_THAT(names(small_job, {}), ElementsAre("-"));
  EXPECT_THAT(names(small_job, {"", "", "", "stem"}), ElementsAre("stem"));
  EXPECT_THAT(names("  - name: own\n" + rest_of_job, {"", "", "", "stem"}), ElementsAre("own"));
  EXPECT_THAT(names("  - name: own\n" + rest_of_job, {"", "", "flag", "stem"}),
              ElementsAre("flag"));
  auto telling = small_job;
  telling.replace(telling.find("main"), 4, "train");
  EXPECT_THAT(names(telling, {"", "", "", "stem"}), ElementsAre("-")) << "the server knows it";
}

TEST(job_file, makes_a_job_for_each_number_of_an_array) {
  const auto file = read_jobs(
      with_job("  - name: a\n    array: 3-9:3\n    after: 'b[i]:ended, c'\n" + rest_of_job),
      "f.yaml");
  ASSERT_TRUE(file) << file.error().detail;
  EXPECT_THAT(annotations_of(*file, "argosy.io/name"), ElementsAre("a[3]", "a[6]", "a[9]"));
  EXPECT_THAT(annotations_of(*file, "argosy.io/array"), ElementsAre("3/3", "6/3", "9/3"));
  EXPECT_THAT(annotations_of(*file, "argosy.io/after"),
              ElementsAre("b[3]:ended, c", "b[6]:ended, c", "b[9]:ended, c"));
  EXPECT_TRUE(file->has_waits);
  for (const auto* wrong : {"9-3", "0-9:0", "a-b", "0-", "-1", "0-100000", "", "1.5"}) {
    const auto refused =
        read_jobs(with_job("  - array: '" + std::string{wrong} + "'\n" + rest_of_job), "f.yaml");
    ASSERT_FALSE(refused) << wrong;
    EXPECT_THAT(refused.error().detail, HasSubstr("f.yaml:4:12: 'array' takes FROM-TO"));
  }
  const auto both = read_jobs(with_job("  - array: 0-3\n    count: 2\n" + rest_of_job), "f.yaml");
  ASSERT_FALSE(both);
  EXPECT_THAT(both.error().detail, HasSubstr("exclude one another"));
}

TEST(job_file, reads_for_which_jobs_a_job_waits) {
  const auto after = [](const std::string& value) {
    return read_jobs(with_job("  - after: " + value + "\n" + rest_of_job), "f.yaml");
  };
  for (const auto& [value, text] : std::vector<std::pair<std::string, std::string>>{
           {"prep", "prep"},
           {"[prep, 'other:ended']", "prep,other:ended"},
           {"{job: prep, when: failed}", "prep:failed"},
           {"[{job: prep}, {job: b, when: started}]", "prep,b:started"}}) {
    const auto file = after(value);
    ASSERT_TRUE(file) << value << ": " << file.error().detail;
    EXPECT_THAT(annotations_of(*file, "argosy.io/after"), ElementsAre(text));
  }
  for (const auto& [value, why] : std::vector<std::pair<std::string, std::string>>{
           {"'prep:done'", "'done' is not succeeded, ended, failed or started"},
           {"{when: ended}", "it names no job"},
           {"{job: a, if: b}", "unknown field 'if'"},
           {"[[a]]", "write NAME, ID, or"},
           {"'a,,b'", "names no job"}}) {
    const auto file = after(value);
    ASSERT_FALSE(file) << value;
    EXPECT_THAT(file.error().detail, AllOf(StartsWith("f.yaml:4:"), HasSubstr(why)));
  }
}

}  // namespace
}  // namespace argosy::submit_file
