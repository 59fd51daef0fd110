// SPDX-License-Identifier: Apache-2.0
// Goal: a valid submission becomes job headers with the right shape, defaults and specification.
// Method: requests built field by field are decoded; headers and their encoded specs are compared
// with what the API's contract says.
#include "messages/codec/submit/submit_codec.hpp"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "messages/codec/submit/pod_shape.hpp"
#include "tests/unit/codec/submit_fixture.hpp"

namespace argosy::codec {
namespace {

using google::protobuf::util::MessageDifferencer;
using ::testing::ElementsAre;
using ::testing::Pair;

TEST(submit_codec, header_carries_what_was_asked) {
  submit_bench bench;
  auto request = valid_request();
  auto& item = *request.mutable_job_request_items(0);
  item.set_priority(2.5);
  (*item.mutable_labels())["app"] = "x";
  auto& pod = *item.mutable_pod_spec();
  (*pod.mutable_nodeselector())["zone"] = "b";
  pod.set_terminationgraceperiodseconds(20);
  pod.set_activedeadlineseconds(60);
  bench.context.trace.span_id = 9;
  const auto decoded = bench.decode(request);
  ASSERT_TRUE(decoded) << decoded.error().detail;
  EXPECT_EQ(decoded->queue, "research");
  EXPECT_EQ(decoded->job_set, "set 1");
  ASSERT_EQ(decoded->jobs.size(), 1U);
  const auto& header = *decoded->jobs[0];
  EXPECT_EQ(header.queue, "research");
  EXPECT_EQ(header.job_set, "set 1");
  EXPECT_EQ(header.name_space, "default");
  EXPECT_EQ(header.owner, "alice");
  EXPECT_EQ(header.priority, 3U);
  EXPECT_EQ(header.submitted_ns, bench.context.now_ns);
  EXPECT_EQ(header.id.unix_millis(), 1'700'000'000'123U);
  EXPECT_EQ(header.grace_seconds, 20);
  EXPECT_EQ(header.deadline_seconds, 60);
  EXPECT_EQ(header.body_hash, 0U);
  EXPECT_EQ(header.gang, nullptr);
  EXPECT_EQ(header.trace.span_id, 9U);
  EXPECT_THAT(header.shape->requests,
              ElementsAre(Pair("cpu", 500), Pair("ephemeral-storage", 8LL << 30),
                          Pair("memory", 64LL << 20)));
  EXPECT_THAT(header.shape->node_selector, ElementsAre(Pair("zone", "b")));
  EXPECT_EQ(header.shape->priority_class, "armada-default");
  EXPECT_EQ(header.shape->process_obstacle, "");
  ASSERT_EQ(header.shape->tolerations.size(), 2U);
  EXPECT_EQ(header.shape->tolerations[0].key, "armadaproject.io/armada");
  EXPECT_EQ(header.shape->tolerations[1].key, "argosy.io/process");

  const auto spec = spec_of(header);
  EXPECT_EQ(spec.labels().at("app"), "x");
  EXPECT_THAT(spec.owner_groups(), ElementsAre("everyone", "staff"));
  EXPECT_EQ(spec.pod_spec().priorityclassname(), "armada-default");
  EXPECT_EQ(spec.pod_spec().tolerations(0).key(), "armadaproject.io/armada");
  EXPECT_EQ(spec.pod_spec().containers(0).command(0), "sleep");
  EXPECT_EQ(spec.pod_spec().containers(0).resources().limits().at("ephemeral-storage").string(),
            "8Gi");
}

TEST(submit_codec, empty_request_is_an_empty_submission) {
  submit_bench bench;
  const auto decoded = bench.decode(valid_request(0));
  ASSERT_TRUE(decoded);
  EXPECT_TRUE(decoded->jobs.empty());
}

TEST(submit_codec, times_have_defaults) {
  submit_bench bench;
  auto request = valid_request(2);
  set_amount(*request.mutable_job_request_items(1)->mutable_pod_spec()->mutable_containers(0),
             "nvidia.com/gpu", "2");
  request.mutable_job_request_items(1)->mutable_pod_spec()->set_terminationgraceperiodseconds(0);
  const auto decoded = bench.decode(request);
  ASSERT_TRUE(decoded) << decoded.error().detail;
  EXPECT_EQ(decoded->jobs[0]->grace_seconds, 1);
  EXPECT_EQ(decoded->jobs[0]->deadline_seconds, 72 * 3600);
  EXPECT_EQ(decoded->jobs[1]->grace_seconds, 1);
  EXPECT_EQ(decoded->jobs[1]->deadline_seconds, 336 * 3600);
}

TEST(submit_codec, deadlines_are_those_that_are_configured) {
  submit_limits limits;
  limits.rules.default_deadline = std::chrono::hours{5};
  limits.rules.default_deadline_by_resource = {{"nvidia.com/gpu", std::chrono::hours{7}},
                                               {"fpga", std::chrono::hours{9}}};
  submit_bench bench{limits};
  auto request = valid_request(3);
  const auto pod = [&](int job) {
    return request.mutable_job_request_items(job)->mutable_pod_spec();
  };
  set_amount(*pod(1)->mutable_containers(0), "nvidia.com/gpu", "2");
  pod(2)->set_activedeadlineseconds(11);
  const auto decoded = bench.decode(request);
  ASSERT_TRUE(decoded) << decoded.error().detail;
  EXPECT_EQ(decoded->jobs[0]->deadline_seconds, 5 * 3600);
  EXPECT_EQ(decoded->jobs[1]->deadline_seconds, 7 * 3600) << "that of what it requests";
  EXPECT_EQ(decoded->jobs[2]->deadline_seconds, 11) << "its own counts alone";
}

TEST(submit_codec, a_request_of_none_of_a_resource_brings_nothing_of_that_resource) {
  submit_limits limits;
  limits.tolerations_by_resource["nvidia.com/gpu"] = {{"gpu", true, "", ""}};
  submit_bench bench{limits};
  auto request = valid_request(3);
  const std::vector<std::string> amounts{"0", "0k", "1"};
  for (int i = 0; i < 3; ++i)
    set_amount(*request.mutable_job_request_items(i)->mutable_pod_spec()->mutable_containers(0),
               "nvidia.com/gpu", amounts[static_cast<std::size_t>(i)]);
  const auto decoded = bench.decode(request);
  ASSERT_TRUE(decoded) << decoded.error().detail;
  const auto tolerates = [&](int job) {
    const auto& all = decoded->jobs[static_cast<std::size_t>(job)]->shape->tolerations;
    return std::ranges::any_of(all, [](const auto& one) { return one.key == "gpu"; });
  };
  for (const int job : {0, 1}) {
    EXPECT_EQ(decoded->jobs[static_cast<std::size_t>(job)]->deadline_seconds, 72 * 3600) << job;
    EXPECT_FALSE(tolerates(job));
  }
  EXPECT_EQ(decoded->jobs[2]->deadline_seconds, 336 * 3600);
  EXPECT_TRUE(tolerates(2));
}

TEST(submit_codec, pod_specs_of_one_is_the_same_as_pod_spec) {
  submit_bench bench;
  auto request = valid_request(2);
  auto& second = *request.mutable_job_request_items(1);
  *second.add_pod_specs() = second.pod_spec();
  second.clear_pod_spec();
  const auto decoded = bench.decode(request);
  ASSERT_TRUE(decoded) << decoded.error().detail;
  EXPECT_EQ(*decoded->jobs[0]->spec, *decoded->jobs[1]->spec);
}

TEST(submit_codec, equal_shapes_share_one_object) {
  submit_bench bench;
  auto request = valid_request(3);
  request.mutable_job_request_items(1)->mutable_pod_spec()->mutable_containers(0)->add_args("x");
  set_amount(*request.mutable_job_request_items(2)->mutable_pod_spec()->mutable_containers(0),
             "cpu", "2");
  const auto one = bench.decode(request);
  const auto two = bench.decode(request);
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->jobs[0]->shape, one->jobs[1]->shape);
  EXPECT_NE(one->jobs[0]->shape, one->jobs[2]->shape);
  EXPECT_EQ(one->jobs[2]->shape, two->jobs[2]->shape);
  EXPECT_NE(one->jobs[0]->id, two->jobs[0]->id);
}

TEST(submit_codec, quantities_in_other_words_are_the_same_shape) {
  submit_bench bench;
  auto request = valid_request(2);
  auto& first = *request.mutable_job_request_items(0)->mutable_pod_spec()->mutable_containers(0);
  set_amount(first, "cpu", "0.5");
  set_amount(first, "memory", "67108864");
  const auto decoded = bench.decode(request);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->jobs[0]->shape, decoded->jobs[1]->shape);
}

TEST(submit_codec, unknown_fields_of_a_pod_spec_survive) {
  submit_bench bench;
  auto request = valid_request();
  auto& pod = *request.mutable_job_request_items(0)->mutable_pod_spec();
  pod.GetReflection()->MutableUnknownFields(&pod)->AddLengthDelimited(41, "later.example");
  auto& container = *pod.mutable_containers(0);
  container.GetReflection()->MutableUnknownFields(&container)->AddVarint(99, 5);
  const auto decoded = bench.decode(request);
  ASSERT_TRUE(decoded);
  const auto spec = spec_of(*decoded->jobs[0]);
  const auto& out = spec.pod_spec();
  const auto& unknown = out.GetReflection()->GetUnknownFields(out);
  ASSERT_EQ(unknown.field_count(), 1);
  EXPECT_EQ(unknown.field(0).number(), 41);
  EXPECT_EQ(unknown.field(0).length_delimited(), "later.example");
  const auto& inner = out.containers(0).GetReflection()->GetUnknownFields(out.containers(0));
  ASSERT_EQ(inner.field_count(), 1);
  EXPECT_EQ(inner.field(0).varint(), 5U);
}

TEST(submit_codec, a_split_pod_spec_is_merged) {
  submit_bench bench;
  const auto request = valid_request();
  // By the rules of the encoding, the same field twice is the merge of both.
  api::JobSubmitRequestItem more;
  more.mutable_pod_spec()->set_priorityclassname("armada-preemptible");
  const auto item = request.job_request_items(0).SerializeAsString() + more.SerializeAsString();
  api::JobSubmitRequest whole = request;
  ASSERT_TRUE(whole.mutable_job_request_items(0)->ParseFromString(item));
  std::string bytes = "\x0a\x08research\x12\x03set\x1a";
  bytes += static_cast<char>(0x80 | (item.size() & 0x7f));
  bytes += static_cast<char>(item.size() >> 7);
  bytes += item;
  const auto decoded = bench.decoder.decode(bytes, bench.context);
  ASSERT_TRUE(decoded) << decoded.error().detail;
  EXPECT_EQ(decoded->jobs[0]->shape->priority_class, "armada-preemptible");
}

TEST(submit_codec, job_id_is_filled_in) {
  EXPECT_EQ(replace_job_id("a-{JobId}-b", "01x"), "a-01x-b");
  EXPECT_EQ(replace_job_id("{{JobId}}", "01x"), "JobId");
  EXPECT_EQ(replace_job_id("{JobId}{JobId}{{JobId}}{", "1"), "11JobId{");
  EXPECT_EQ(replace_job_id("{jobid} {", "1"), "{jobid} {");
  submit_bench bench;
  const auto decoded = bench.decode_changed([](auto& request) {
    (*request.mutable_job_request_items(0)->mutable_annotations())["log"] = "/logs/{JobId}";
  });
  ASSERT_TRUE(decoded);
  EXPECT_EQ(spec_of(*decoded->jobs[0]).annotations().at("log"),
            "/logs/" + to_string(decoded->jobs[0]->id));
}

TEST(submit_codec, a_gangs_id_becomes_a_label_where_that_is_asked_for) {
  auto request = valid_request(2);
  for (auto& item : *request.mutable_job_request_items()) make_gang(item, "g", "2");
  for (const bool wanted : {false, true}) {
    submit_limits limits;
    limits.rules.gang_id_label = wanted;
    const auto decoded = submit_bench{limits}.decode(request);
    ASSERT_TRUE(decoded) << decoded.error().detail;
    EXPECT_EQ(spec_of(*decoded->jobs[0]).labels().count("armadaproject.io/gangId"),
              wanted ? 1U : 0U);
  }
}

TEST(submit_codec, gangs) {
  submit_bench bench;
  auto request = valid_request(3);
  for (int i = 0; i < 2; ++i) make_gang(*request.mutable_job_request_items(i), "g", "2");
  make_gang(*request.mutable_job_request_items(2), "alone", "1");
  (*request.mutable_job_request_items(0)
        ->mutable_annotations())["armadaproject.io/gangNodeUniformityLabel"] = "rack";
  (*request.mutable_job_request_items(1)
        ->mutable_annotations())["armadaproject.io/gangNodeUniformityLabel"] = "rack";
  const auto decoded = bench.decode(request);
  ASSERT_TRUE(decoded) << decoded.error().detail;
  ASSERT_NE(decoded->jobs[0]->gang, nullptr);
  EXPECT_EQ(*decoded->jobs[0]->gang, (model::gang_info{"g", 2, 2, "rack"}));
  EXPECT_EQ(decoded->jobs[2]->gang, nullptr);
  EXPECT_EQ(spec_of(*decoded->jobs[0]).annotations().at("armadaproject.io/failFast"), "true");
  EXPECT_EQ(spec_of(*decoded->jobs[2]).annotations().contains("armadaproject.io/failFast"), false);
}

TEST(submit_codec, a_body_hash_tells_contents_with_a_client_id_apart) {
  submit_bench bench;
  const auto with = [](const std::string& client, double priority) {
    auto request = valid_request();
    request.mutable_job_request_items(0)->set_client_id(client);
    request.mutable_job_request_items(0)->set_priority(priority);
    (*request.mutable_job_request_items(0)->mutable_labels())["a"] = "1";
    (*request.mutable_job_request_items(0)->mutable_labels())["b"] = "2";
    return request;
  };
  const auto one = bench.decode(with("c", 1));
  const auto again = bench.decode(with("c", 1));
  const auto other_body = bench.decode(with("c", 2));
  ASSERT_TRUE(one && again && other_body);
  EXPECT_NE(one->jobs[0]->body_hash, 0U);
  EXPECT_EQ(one->jobs[0]->body_hash, again->jobs[0]->body_hash);
  EXPECT_NE(one->jobs[0]->body_hash, other_body->jobs[0]->body_hash);
}

TEST(submit_codec, ids_and_times_grow_in_the_order_of_the_request) {
  submit_bench bench;
  // The last nanoseconds of a millisecond: the time in the ids has to go on with them.
  bench.context.now_ns += 999'998;
  for (const bool with_client_ids : {true, false}) {
    auto request = valid_request();
    const auto item = request.job_request_items(0);
    for (int i = 0; i < 50; ++i) {
      if (i > 0) *request.add_job_request_items() = item;
      if (with_client_ids)
        request.mutable_job_request_items(i)->set_client_id("c" + std::to_string(i * 7919));
    }
    const auto decoded = bench.decode(request);
    ASSERT_TRUE(decoded);
    for (std::size_t i = 1; i < decoded->jobs.size(); ++i) {
      EXPECT_LT(decoded->jobs[i - 1]->id, decoded->jobs[i]->id) << i;
      EXPECT_LT(decoded->jobs[i - 1]->submitted_ns, decoded->jobs[i]->submitted_ns) << i;
    }
  }
}

TEST(submit_codec, the_time_in_an_id_is_never_before_that_of_the_submission) {
  submit_bench bench;
  const auto begun = bench.context.now_ns;
  // The clock also goes back. Searches for the latest submissions rely on this.
  for (const std::int64_t millis : {0, 1, -5'000, -4'999, 7})
    for (const auto* client : {"", "c"}) {
      auto request = valid_request();
      request.mutable_job_request_items(0)->set_client_id(client);
      bench.context.now_ns = begun + millis * 1'000'000;
      const auto decoded = bench.decode(request);
      ASSERT_TRUE(decoded);
      const auto& header = *decoded->jobs[0];
      EXPECT_EQ(header.submitted_ns, bench.context.now_ns);
      EXPECT_GE(static_cast<std::int64_t>(header.id.unix_millis()),
                header.submitted_ns / 1'000'000);
    }
}

TEST(submit_codec, body_hash_does_not_depend_on_the_order_of_map_entries) {
  // These are two encodings of one item: labels a, b and b, a; resources cpu, memory and memory,
  // cpu.
  const auto entry = [](char tag, const std::string& key, const std::string& value) {
    const auto size = static_cast<char>(key.size() + value.size() + 4);
    return std::string{tag} + size + '\x0a' + static_cast<char>(key.size()) + key + '\x12' +
           static_cast<char>(value.size()) + value;
  };
  const auto field = [](char tag, const std::string& content) {
    return std::string{tag} + static_cast<char>(content.size()) + content;
  };
  const auto request = [&](bool turned) {
    const auto cpu = field('\x0a', "1");
    const auto memory = field('\x0a', "1Gi");
    const auto pair = [&](char tag) {
      return turned ? entry(tag, "memory", memory) + entry(tag, "cpu", cpu)
                    : entry(tag, "cpu", cpu) + entry(tag, "memory", memory);
    };
    const auto resources = pair('\x0a') + pair('\x12');
    const auto pod = field('\x12', field('\x42', resources));
    const auto labels = turned ? entry('\x22', "b", "2") + entry('\x22', "a", "1")
                               : entry('\x22', "a", "1") + entry('\x22', "b", "2");
    const auto item = field('\x12', pod) + field('\x1a', "default") + labels + field('\x42', "id");
    std::string size{static_cast<char>(item.size())};
    if (item.size() > 127)
      size = {static_cast<char>(0x80 | (item.size() & 0x7f)), static_cast<char>(item.size() >> 7)};
    return field('\x0a', "q") + field('\x12', "s") + "\x1a" + size + item;
  };
  submit_bench bench;
  const auto one = bench.decoder.decode(request(false), bench.context);
  const auto two = bench.decoder.decode(request(true), bench.context);
  ASSERT_TRUE(one) << one.error().detail;
  ASSERT_TRUE(two) << two.error().detail;
  EXPECT_EQ(one->jobs[0]->body_hash, two->jobs[0]->body_hash);
  EXPECT_EQ(*one->jobs[0]->spec, *two->jobs[0]->spec);
  EXPECT_EQ(one->jobs[0]->shape, two->jobs[0]->shape);
}

TEST(submit_codec, resources_add_up_as_containers_run) {
  submit_bench bench;
  const auto decoded = bench.decode_changed([](auto& request) {
    auto& pod = *request.mutable_job_request_items(0)->mutable_pod_spec();
    *pod.add_containers() = container("second");
    auto& sidecar = *pod.add_initcontainers();
    sidecar = container("sidecar");
    sidecar.set_restartpolicy("Always");
    auto& init = *pod.add_initcontainers();
    init = container("init");
    set_amount(init, "memory", "1Gi");
  });
  ASSERT_TRUE(decoded) << decoded.error().detail;
  EXPECT_THAT(decoded->jobs[0]->shape->requests,
              ElementsAre(Pair("cpu", 1500), Pair("ephemeral-storage", 16LL << 30),
                          Pair("memory", (1LL << 30) + (64LL << 20))));
  EXPECT_EQ(decoded->jobs[0]->shape->process_obstacle, "podSpec.initContainers[0].restartPolicy");
}

TEST(submit_codec, a_job_with_services_or_ingresses_has_a_shape_of_its_own) {
  submit_bench bench;
  auto request = valid_request(3);
  request.mutable_job_request_items(1)->add_services()->set_name("s");
  request.mutable_job_request_items(2)->add_ingress()->add_ports(80);
  const auto decoded = bench.decode(request);
  ASSERT_TRUE(decoded) << decoded.error().detail;
  EXPECT_TRUE(decoded->jobs[0]->shape->attached.empty());
  EXPECT_THAT(decoded->jobs[1]->shape->attached, ElementsAre("services"));
  EXPECT_THAT(decoded->jobs[2]->shape->attached, ElementsAre("services", "ingresses"));
}

TEST(submit_codec, takes_the_most_that_a_round_can_hold) {
  submit_bench bench;
  auto request = valid_request();
  auto& pod = *request.mutable_job_request_items(0)->mutable_pod_spec();
  set_amount(*pod.mutable_containers(0), "memory", "512Ti");
  *pod.add_containers() = pod.containers(0);
  const auto decoded = bench.decode(request);
  ASSERT_TRUE(decoded) << decoded.error().detail;
  EXPECT_THAT(decoded->jobs[0]->shape->requests, ::testing::Contains(Pair("memory", 1LL << 50)));
}

TEST(submit_codec, affinity_becomes_terms) {
  submit_bench bench;
  const auto decoded = bench.decode_changed([](auto& request) {
    auto& selector = *request.mutable_job_request_items(0)
                          ->mutable_pod_spec()
                          ->mutable_affinity()
                          ->mutable_nodeaffinity()
                          ->mutable_requiredduringschedulingignoredduringexecution();
    auto& one = *selector.add_nodeselectorterms()->add_matchexpressions();
    one.set_key("zone");
    one.set_operator_("NotIn");
    one.add_values("a");
    one.add_values("b");
    selector.add_nodeselectorterms();  // This term matches nothing.
    auto& two = *selector.add_nodeselectorterms()->add_matchexpressions();
    two.set_key("disks");
    two.set_operator_("Gt");
    two.add_values("3");
  });
  ASSERT_TRUE(decoded) << decoded.error().detail;
  using rule = model::affinity_rule;
  EXPECT_EQ(decoded->jobs[0]->shape->affinity,
            (std::vector<std::vector<rule>>{{{"zone", rule::op::not_in, {"a", "b"}}},
                                            {{"disks", rule::op::gt, {"3"}}}}));
}

TEST(submit_codec, knows_what_a_process_cannot_be) {
  const auto obstacle = [](const std::function<void(core::PodSpec&)>& change) {
    core::PodSpec pod;
    *pod.add_containers() = container();
    change(pod);
    return process_obstacle(pod);
  };
  EXPECT_EQ(obstacle([](auto&) {}), "");
  EXPECT_EQ(obstacle([](auto& pod) { pod.add_volumes(); }), "podSpec.volumes");
  EXPECT_EQ(obstacle([](auto& pod) { *pod.add_containers() = container(); }),
            "podSpec.containers[1]");
  EXPECT_EQ(obstacle([](auto& pod) { *pod.add_initcontainers() = container(); }),
            "podSpec.initContainers");
  EXPECT_EQ(obstacle([](auto& pod) { pod.mutable_containers(0)->clear_command(); }),
            "podSpec.containers[0].command");
  EXPECT_EQ(obstacle([](auto& pod) {
              pod.mutable_containers(0)->add_env()->set_value("v");
              pod.mutable_containers(0)->add_env()->mutable_valuefrom();
            }),
            "podSpec.containers[0].env[1].valueFrom");
}

TEST(submit_codec, priorities_are_rounded_and_clamped) {
  EXPECT_EQ(to_priority(-3), 0U);
  EXPECT_EQ(to_priority(0.49), 0U);
  EXPECT_EQ(to_priority(0.5), 1U);
  EXPECT_EQ(to_priority(2.5), 3U);
  EXPECT_EQ(to_priority(4294967294.6), 4294967295U);
  EXPECT_EQ(to_priority(1e300), 4294967295U);
  EXPECT_EQ(to_priority(INFINITY), 4294967295U);
}

TEST(submit_codec, external_uri_comes_from_the_annotation) {
  submit_bench bench;
  const auto decoded = bench.decode_changed([](auto& request) {
    (*request.mutable_job_request_items(0)
          ->mutable_annotations())["armadaproject.io/externalJobUri"] = "x://1";
  });
  ASSERT_TRUE(decoded);
  EXPECT_EQ(spec_of(*decoded->jobs[0]).external_job_uri(), "x://1");
}

TEST(submit_codec, golden_bytes_of_a_pod_spec) {
  // The bytes were written out once by hand from the field numbers: containers(2){name(1),
  // command(3), resources(8){limits(1), requests(2)}}, terminationGracePeriodSeconds(4),
  // nodeSelector(7).
  core::PodSpec pod;
  auto& main = *pod.add_containers();
  main.set_name("c");
  main.add_command("sh");
  set_amount(main, "cpu", "1");
  pod.set_terminationgraceperiodseconds(5);
  (*pod.mutable_nodeselector())["z"] = "b";
  std::string hex;
  for (unsigned char c : pod.SerializeAsString()) {
    hex += "0123456789abcdef"[c >> 4];
    hex += "0123456789abcdef"[c & 15];
  }
  EXPECT_EQ(hex,
            "1221"                      // containers, 33 bytes
            "0a0163"                    // name "c"
            "1a027368"                  // command "sh"
            "4218"                      // resources, 24 bytes
            "0a0a0a0363707512030a0131"  // limits: "cpu" to Quantity "1"
            "120a0a0363707512030a0131"  // requests: the same
            "2005"                      // terminationGracePeriodSeconds 5
            "3a060a017a120162");        // nodeSelector: "z" to "b"
}

TEST(submit_codec, finds_the_jobs_of_a_request_by_their_names) {
  submit_bench bench;
  auto request = valid_request(4);
  auto& items = *request.mutable_job_request_items();
  (*items[0].mutable_annotations())["argosy.io/name"] = "part[0]";
  (*items[0].mutable_annotations())["argosy.io/array"] = "0/2";
  (*items[1].mutable_annotations())["argosy.io/name"] = "part[1]";
  (*items[1].mutable_annotations())["argosy.io/array"] = "1/2";
  (*items[2].mutable_annotations())["argosy.io/after"] = "part[1]:started";
  (*items[3].mutable_annotations())["argosy.io/after"] = "part:ended";
  items[3].mutable_pod_spec()->mutable_containers(0)->set_name("sum");
  const auto made = bench.decode(request);
  ASSERT_TRUE(made) << made.error().detail;
  const auto& jobs = made->jobs;
  using when = model::dependency_condition;
  EXPECT_EQ(jobs[0]->name, "part[0]");
  EXPECT_EQ(jobs[2]->name, "") << "main says nothing";
  EXPECT_EQ(jobs[3]->name, "sum");
  EXPECT_EQ(*jobs[2]->after, (std::vector<model::job_dependency>{{jobs[1]->id, when::started}}));
  EXPECT_EQ(*jobs[3]->after, (std::vector<model::job_dependency>{{jobs[0]->id, when::ended},
                                                                 {jobs[1]->id, when::ended}}));
  (*items[0].mutable_annotations())["argosy.io/after"] = "sum";
  const auto later = bench.decode(request);
  ASSERT_FALSE(later);
  EXPECT_NE(later.error().detail.find("no job of this name stands before this one"),
            std::string::npos);
}

}  // namespace
}  // namespace argosy::codec
