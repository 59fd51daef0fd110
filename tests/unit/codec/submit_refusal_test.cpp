// SPDX-License-Identifier: Apache-2.0
// Goal: every kind of bad submission is refused with one error that names the place and the fix.
// Method: a valid request is changed in one place; a table gives the change and the message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/unit/codec/submit_fixture.hpp"

namespace argosy::codec {
namespace {

using ::testing::HasSubstr;
using message = api::JobSubmitRequest;

struct row {
  std::string part;
  std::function<void(message&)> change;
};

void expect_refused(const std::vector<row>& rows) {
  for (const auto& row : rows) {
    submit_bench bench;
    const auto decoded = bench.decode_changed(row.change);
    ASSERT_FALSE(decoded) << "expected: " << row.part;
    EXPECT_EQ(decoded.error().code, ec::invalid_argument) << decoded.error().detail;
    EXPECT_THAT(decoded.error().detail, HasSubstr(row.part));
    EXPECT_LT(decoded.error().detail.size(), 500U);
    for (char c : decoded.error().detail) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
  }
}

api::JobSubmitRequestItem& item(message& r) {
  return *r.mutable_job_request_items(0);
}
core::PodSpec& pod(message& r) {
  return *item(r).mutable_pod_spec();
}
core::Container& first(message& r) {
  return *pod(r).mutable_containers(0);
}
core::Container& init(message& r) {
  *pod(r).add_initcontainers() = container("init");
  return *pod(r).mutable_initcontainers(0);
}
core::NodeSelectorRequirement& rule(message& r) {
  return *pod(r)
              .mutable_affinity()
              ->mutable_nodeaffinity()
              ->mutable_requiredduringschedulingignoredduringexecution()
              ->add_nodeselectorterms()
              ->add_matchexpressions();
}

TEST(submit_refusal, request_level) {
  expect_refused({
      {"queue: is missing", [](auto& r) { r.clear_queue(); }},
      {"queue 'a b'", [](auto& r) { r.set_queue("a b"); }},
      {"5000 characters", [](auto& r) { r.set_queue(std::string(5000, 'a')); }},
      {"job_set_id: is missing", [](auto& r) { r.clear_job_set_id(); }},
      {"job_set_id has 1024 bytes", [](auto& r) { r.set_job_set_id(std::string(1024, 'a')); }},
      {"control character at byte 3", [](auto& r) { r.set_job_set_id("ab\nc"); }},
      {"control character at byte 1", [](auto& r) { r.set_job_set_id("\x1b[31m"); }},
      {"control character", [](auto& r) { r.set_job_set_id("a\xc2\x85z"); }},
  });
}

TEST(submit_refusal, values_that_were_hidden_from_whoever_copied_the_job) {
  const auto hide = [](core::Container& in) {
    in.add_env()->set_name("HOME");
    in.add_env()->set_value("***");
  };
  expect_refused({
      {".containers[0].env[1].value: is '***'", [&](auto& r) { hide(first(r)); }},
      {".initContainers[0].env[1].value: is '***'", [&](auto& r) { hide(init(r)); }},
      {".annotations: the value of one is '***'",
       [](auto& r) { (*item(r).mutable_annotations())["a.b/applied"] = "***"; }},
      {".ingress.annotations: the value of one is '***'",
       [](auto& r) { (*item(r).add_ingress()->mutable_annotations())["a.b/applied"] = "***"; }},
  });
}

TEST(submit_refusal, gangs) {
  const auto two = [](auto change) {
    return [change](message& r) {
      *r.add_job_request_items() = r.job_request_items(0);
      for (auto& member : *r.mutable_job_request_items()) make_gang(member, "g", "2");
      change(*r.mutable_job_request_items(1));
    };
  };
  const auto annotate = [](const char* key, const char* value) {
    return [=](message& r) {
      make_gang(item(r), "g", "2");
      (*item(r).mutable_annotations())[std::string{"armadaproject.io/"} + key] = value;
    };
  };
  expect_refused({
      {"gangId\"]: is empty", annotate("gangId", "")},
      {"gangId\"]: has 254 bytes", [](auto& r) { make_gang(item(r), std::string(254, 'g'), "2"); }},
      {"gangCardinality\"]: is missing",
       [](auto& r) { (*item(r).mutable_annotations())["armadaproject.io/gangId"] = "g"; }},
      {"'x' is not a whole number", annotate("gangCardinality", "x")},
      {"'0' is not a whole number", annotate("gangCardinality", "0")},
      {"'2.0' is not a whole number", annotate("gangCardinality", "2.0")},
      {"'-2' is not a whole number", annotate("gangCardinality", "-2")},
      {"'99999999999' is not a whole number", annotate("gangCardinality", "99999999999")},
      {"3 is more than the cardinality 2", annotate("gangMinimumCardinality", "3")},
      {"'false': a gang allows only \"true\"", annotate("failFast", "false")},
      {"job_request_items[1]: gang 'g': cardinality '3' differs",
       two([](auto& member) { make_gang(member, "g", "3"); })},
      {"uniformity label 'rack' differs from ''", two([](auto& member) {
         (*member.mutable_annotations())["armadaproject.io/gangNodeUniformityLabel"] = "rack";
       })},
      {"minimum cardinality '1' differs from '2'", two([](auto& member) {
         (*member.mutable_annotations())["armadaproject.io/gangMinimumCardinality"] = "1";
       })},
      {"priority class 'armada-preemptible' differs from 'armada-default'", two([](auto& member) {
         member.mutable_pod_spec()->set_priorityclassname("armada-preemptible");
       })},
      {"job_request_items[2]: gang 'g' has more members than its cardinality 2",
       [&](message& r) {
         for (int i = 0; i < 2; ++i) *r.add_job_request_items() = r.job_request_items(0);
         for (auto& member : *r.mutable_job_request_items()) make_gang(member, "g", "2");
       }},
  });
}

TEST(submit_refusal, what_only_a_gang_has_without_the_gang) {
  const auto annotate = [](const char* key, const char* value) {
    return [=](message& r) { (*item(r).mutable_annotations())[key] = value; };
  };
  expect_refused({
      {"gangCardinality\"]: is set, but armadaproject.io/gangId is not",
       annotate("armadaproject.io/gangCardinality", "2")},
      {"gangMinimumCardinality\"]: is set, but armadaproject.io/gangId is not",
       annotate("armadaproject.io/gangMinimumCardinality", "2")},
      {"; 'armadaproject.io/gangID' means nothing",
       [](auto& r) {
         auto& all = *item(r).mutable_annotations();
         all["armadaproject.io/gangID"] = "g";
         all["armadaproject.io/gangCardinality"] = "2";
       }},
  });
}

TEST(submit_refusal, misspelt_annotations_of_ours) {
  const auto annotate = [](const char* key, const char* value = "true") {
    return [=](message& r) { (*item(r).mutable_annotations())[key] = value; };
  };
  expect_refused({
      {".annotations[\"argosy.io/keepOnDisconect\"]: is not known",
       annotate("argosy.io/keepOnDisconect")},
      {"did you mean 'argosy.io/keepOnDisconnect'?", annotate("argosy.io/keepOnDisconect")},
      {"argosy.io/onLeaseExpiry, argosy.io/keepOnDisconnect", annotate("argosy.io/nosuch")},
      {"did you mean 'argosy.io/onLeaseExpiry'?", annotate("argosy.io/onleaseexpiry")},
      {"did you mean 'armadaproject.io/gangId'?", annotate("armadaproject.io/gangld")},
      {"'yes' is not true or false", annotate("armadaproject.io/failFast", "yes")},
  });
}

TEST(submit_refusal, labels_of_ours) {
  expect_refused({
      {"job_request_items[0].labels[\"argosy.io/queue\"]: is not for jobs: agents know their pods",
       [](auto& r) { (*item(r).mutable_labels())["argosy.io/queue"] = "other"; }},
      {"job_request_items[0].ingress[0].annotations[\"argosy.io/run\"]: is not for jobs",
       [](auto& r) {
         auto& ingress = *item(r).add_ingress();
         ingress.add_ports(80);
         (*ingress.mutable_annotations())["argosy.io/run"] = "1";
       }},
  });
}

TEST(submit_refusal, restart_policies_that_do_not_exist) {
  expect_refused({
      {".restartPolicy: 'Foo' is not one of Always, OnFailure, Never",
       [](auto& r) { item(r).mutable_pod_spec()->set_restartpolicy("Foo"); }},
      {".containers[0].restartPolicy: 'never' is not one of",
       [](auto& r) { first(r).set_restartpolicy("never"); }},
      {".initContainers[0].restartPolicy: 'Foo' is not one of",
       [](auto& r) { init(r).set_restartpolicy("Foo"); }},
  });
}

TEST(submit_refusal, item_level) {
  expect_refused({
      {"job_request_items[0].namespace: is missing", [](auto& r) { item(r).clear_namespace_(); }},
      {"namespace 'Bad'", [](auto& r) { item(r).set_namespace_("Bad"); }},
      {"priority: is not a number", [](auto& r) { item(r).set_priority(std::nan("")); }},
      {"labels[\"l\"]: value 'a?b' has a control character",
       [](auto& r) { (*item(r).mutable_labels())["l"] = "a\tb"; }},
      {"labels: name", [](auto& r) { (*item(r).mutable_labels())[std::string(5000, 'l')] = ""; }},
      {"labels: has an empty name", [](auto& r) { (*item(r).mutable_labels())[""] = "v"; }},
      {"annotations: name '?' has a control character",
       [](auto& r) { (*item(r).mutable_annotations())["\x7f"] = ""; }},
      {"labels and annotations have more than",
       [](auto& r) { (*item(r).mutable_annotations())["a"] = std::string(300'000, 'x'); }},
      {"job_request_items[0]: has no pod spec", [](auto& r) { item(r).clear_pod_spec(); }},
      {"has 2 pod specs", [](auto& r) { *item(r).add_pod_specs() = pod(r); }},
      {"has 2 pod specs",
       [](auto& r) {
         *item(r).add_pod_specs() = pod(r);
         *item(r).add_pod_specs() = pod(r);
         item(r).clear_pod_spec();
       }},
      {"pod_spec: has 70", [](auto& r) { first(r).add_args(std::string(70'000, 'x')); }},
      {"ingress[0].ports: is empty", [](auto& r) { item(r).add_ingress(); }},
      {"ingress[1].ports: port 80 is in another ingress",
       [](auto& r) {
         item(r).add_ingress()->add_ports(80);
         item(r).add_ingress()->add_ports(80);
       }},
      {"101 ingress and service entries",
       [](auto& r) {
         for (int i = 0; i < 101; ++i) item(r).add_services();
       }},
      {"client_id has 101 bytes", [](auto& r) { item(r).set_client_id(std::string(101, 'c')); }},
      {"client_id 'a?' has a control character", [](auto& r) { item(r).set_client_id("a\n"); }},
      {"'Z' is not a letter from A to H",
       [](auto& r) { (*item(r).mutable_annotations())["armadaproject.io/priceBand"] = "Z"; }},
      {"job_request_items[0].scheduler: text", [](auto& r) { item(r).set_scheduler("\x01"); }},
  });
}

TEST(submit_refusal, containers_and_resources) {
  const auto amount = [](const char* name, const char* quantity) {
    return [=](message& r) { set_amount(first(r), name, quantity); };
  };
  const std::string at = "job_request_items[0].pod_spec.containers[0].resources";
  expect_refused({
      {"pod_spec.containers: is empty", [](auto& r) { pod(r).clear_containers(); }},
      {"containers[0].name has 5000 bytes",
       [](auto& r) { first(r).set_name(std::string(5000, 'n')); }},
      {"containers[0].command[0]: is empty",
       [](auto& r) {
         first(r).clear_command();
         first(r).add_command("");
       }},
      {at + ": has neither requests nor limits", [](auto& r) { first(r).clear_resources(); }},
      {at + ": requests and limits name different resources",
       [](auto& r) { first(r).mutable_resources()->mutable_limits()->erase("cpu"); }},
      {at + ".requests[\"cpu\"]: has no limit",
       [](auto& r) {
         auto& limits = *first(r).mutable_resources()->mutable_limits();
         limits.erase("cpu");
         limits["nvidia.com/gpu"].set_string("1");
       }},
      {at + ".limits[\"cpu\"]: '400m' is below the request '500m'",
       [](auto& r) {
         (*first(r).mutable_resources()->mutable_limits())["cpu"].set_string("400m");
       }},
      {at + ".limits[\"cpu\"]: '600m' is above the request '500m'; limit and request must be equal",
       [](auto& r) {
         (*first(r).mutable_resources()->mutable_limits())["cpu"].set_string("600m");
       }},
      {at + ".requests[\"cpu\"]: '-1' is negative", amount("cpu", "-1")},
      {at + ".requests[\"cpu\"]: '0.0001' is not a multiple of 1m", amount("cpu", "0.0001")},
      {at + ".requests[\"memory\"]: '1.5' is not a whole number of bytes", amount("memory", "1.5")},
      {"'99999999999999999999' is too large", amount("memory", "99999999999999999999")},
      {"'lots' is not a quantity", amount("memory", "lots")},
      {"'' is not a quantity", amount("memory", "")},
      {"'1Ki' is below the minimum 1Mi", amount("memory", "1Ki")},
      {"unknown resource 'cpus'; known are cpu, ephemeral-storage, memory, nvidia.com/gpu",
       amount("cpus", "1")},
      {"nvidia.com/gpu\"]: '0.5' is not a whole number", amount("nvidia.com/gpu", "0.5")},
      {"initContainers[0].resources.requests[\"cpu\"]: '1' is a whole number of cores",
       [](auto& r) { set_amount(init(r), "cpu", "1"); }},
      {"initContainers[0].resources: has neither", [](auto& r) { init(r).clear_resources(); }},
      {at + ".requests[\"cpu\"]: '2000000000000' is too large; the largest amount is "
            "1125899906842624m",
       amount("cpu", "2000000000000")},
      {at + ".requests[\"memory\"]: '2000Ti' is too large; the largest amount is 1Pi",
       amount("memory", "2000Ti")},
      {"pod_spec.containers: the requests of 'memory' add up to more than 1Pi",
       [](auto& r) {
         for (int i = 0; i < 2; ++i) {
           *pod(r).add_containers() = container();
           set_amount(*pod(r).mutable_containers(i + 1), "memory", "512Ti");
         }
       }},
      {"containers[1].ports[0].containerPort: port 80 is exposed twice",
       [](auto& r) {
         first(r).add_ports()->set_containerport(80);
         auto& second = *pod(r).add_containers();
         second = container("second");
         second.add_ports()->set_containerport(80);
       }},
  });
}

TEST(submit_refusal, placement_and_times) {
  expect_refused({
      {"preferredDuringSchedulingIgnoredDuringExecution: is not supported",
       [](auto& r) {
         pod(r)
             .mutable_affinity()
             ->mutable_nodeaffinity()
             ->add_preferredduringschedulingignoredduringexecution();
       }},
      {"nodeSelectorTerms: is empty",
       [](auto& r) {
         pod(r)
             .mutable_affinity()
             ->mutable_nodeaffinity()
             ->mutable_requiredduringschedulingignoredduringexecution();
       }},
      {"matchExpressions[0].key: is empty", [](auto& r) { rule(r); }},
      {"operator: 'Near' is not one of In",
       [](auto& r) {
         auto& one = rule(r);
         one.set_key("zone");
         one.set_operator_("Near");
       }},
      {"values: is empty; operator In needs one",
       [](auto& r) {
         auto& one = rule(r);
         one.set_key("zone");
         one.set_operator_("In");
       }},
      {"values: must be empty with operator Exists",
       [](auto& r) {
         auto& one = rule(r);
         one.set_key("zone");
         one.set_operator_("Exists");
         one.add_values("a");
       }},
      {"values[0]: 'a' is not a whole number",
       [](auto& r) {
         auto& one = rule(r);
         one.set_key("size");
         one.set_operator_("Gt");
         one.add_values("a");
       }},
      {"unknown priority class 'armada-resilient'; known are armada-default, armada-preemptible",
       [](auto& r) { pod(r).set_priorityclassname("armada-resilient"); }},
      {"unknown priority class 'gold'; known are armada-default",
       [](auto& r) { pod(r).set_priorityclassname("gold"); }},
      {"terminationGracePeriodSeconds: 301 is outside 1 to 300",
       [](auto& r) { pod(r).set_terminationgraceperiodseconds(301); }},
      {"terminationGracePeriodSeconds: -1 is outside 1 to 300, and is not 0, which means 1",
       [](auto& r) { pod(r).set_terminationgraceperiodseconds(-1); }},
      {"activeDeadlineSeconds: 0 is outside 1 to 2147483647",
       [](auto& r) { pod(r).set_activedeadlineseconds(0); }},
  });
}

TEST(submit_refusal, tolerations_that_kubernetes_would_refuse) {
  expect_refused({
      {"tolerations[0].operator: 'Like'",
       [](auto& r) {
         auto& one = *pod(r).add_tolerations();
         one.set_key("k");
         one.set_operator_("Like");
       }},
      {"tolerations[0].key: is empty", [](auto& r) { pod(r).add_tolerations(); }},
      {"tolerations[0].effect: is 'Never'",
       [](auto& r) {
         auto& one = *pod(r).add_tolerations();
         one.set_key("k");
         one.set_effect("Never");
       }},
      {"tolerations[0].key: is 'a b', which is no name of a label",
       [](auto& r) { pod(r).add_tolerations()->set_key("a b"); }},
      {"tolerations[0].value: is 'x y', which is no value of a label",
       [](auto& r) {
         auto& one = *pod(r).add_tolerations();
         one.set_key("example.com/a");
         one.set_value("x y");
       }},
      {"tolerations[0].value: must be empty with operator Exists",
       [](auto& r) {
         auto& one = *pod(r).add_tolerations();
         one.set_operator_("Exists");
         one.set_value("x");
       }},
      {"tolerations[0].tolerationSeconds: needs effect NoExecute",
       [](auto& r) {
         auto& one = *pod(r).add_tolerations();
         one.set_key("k");
         one.set_effect("NoSchedule");
         one.set_tolerationseconds(5);
       }},
  });
}

TEST(submit_refusal, first_failing_check_counts) {
  submit_bench bench;
  auto request = valid_request(3);
  request.mutable_job_request_items(2)->clear_namespace_();
  request.mutable_job_request_items(1)->mutable_pod_spec()->clear_containers();
  auto decoded = bench.decode(request);
  ASSERT_FALSE(decoded);
  EXPECT_THAT(decoded.error().detail, HasSubstr("job_request_items[1].pod_spec.containers"));

  request.clear_job_set_id();
  decoded = bench.decode(request);
  ASSERT_FALSE(decoded);
  EXPECT_THAT(decoded.error().detail, HasSubstr("job_set_id"));

  make_gang(*request.mutable_job_request_items(0), "", "1");
  decoded = bench.decode(request);
  ASSERT_FALSE(decoded);
  EXPECT_THAT(decoded.error().detail, HasSubstr("gangId"));
}

TEST(submit_refusal, restricted_tolerations_and_too_many_jobs) {
  submit_limits limits;
  limits.rules.restricted_toleration_keys = {"reserved"};
  limits.rules.jobs_per_request_max = 2;
  submit_bench bench{limits};
  auto decoded = bench.decode_changed([](auto& r) {
    auto& one = *pod(r).add_tolerations();
    one.set_key("reserved");
    one.set_operator_("Exists");
  });
  ASSERT_FALSE(decoded);
  EXPECT_THAT(decoded.error().detail, HasSubstr("'reserved' is reserved"));
  decoded = bench.decode(valid_request(3));
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, ec::too_large);
}

TEST(submit_refusal, bytes_that_are_no_request) {
  submit_bench bench;
  const auto bytes = valid_request(2).SerializeAsString();
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    const auto decoded = bench.decoder.decode(std::string_view{bytes}.substr(0, size), {});
    if (!decoded) {
      EXPECT_EQ(decoded.error().code, ec::invalid_argument);
    }
  }
  std::string hostile(1000, '\x1a');
  EXPECT_FALSE(bench.decoder.decode(hostile, {}));
  EXPECT_FALSE(bench.decoder.decode("\x0a\xff\xff\xff\xff\x0f", {}));
  // The bytes are not UTF-8.
  EXPECT_FALSE(bench.decoder.decode(std::string_view{"\x0a\x01\xff", 3}, {}));
  // These are groups nested beyond protobuf's limit, in a field that nobody knows.
  EXPECT_FALSE(bench.decoder.decode(std::string(100'000, '\x53'), {}));
}

TEST(submit_refusal, changed_bytes_never_crash) {
  const auto bytes = valid_request(2).SerializeAsString();
  submit_bench bench;
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const int flip : {0x01, 0x80, 0xff}) {
      auto changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      if (!bench.decoder.decode(changed, {})) ++refused;
    }
  EXPECT_GT(refused, static_cast<int>(bytes.size()));
}

}  // namespace
}  // namespace argosy::codec
