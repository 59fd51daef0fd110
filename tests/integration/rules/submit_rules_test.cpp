// SPDX-License-Identifier: Apache-2.0
// Goal: each rule of Armada's API that refuses a submission does so over every transport with the
// same code and message, and nothing is submitted. Method: a table of requests, each wrong in one
// place.
#include "tests/integration/rules/rules_fixture.hpp"

namespace argosy::testing {

namespace {

using nlohmann::json;

const std::string item = "/jobRequestItems/0";
const std::string pod = item + "/podSpec";
const std::string first = pod + "/containers/0";
const std::string required =
    pod + "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution";

class submit_rules : public rules {
 protected:
  using row = std::tuple<const char*, std::vector<std::pair<std::string, json>>, const char*>;

  void expect_submissions_refused(const std::vector<row>& rows) const {
    std::vector<rule> all;
    for (const auto& [name, changes, says] : rows) {
      std::vector<change> at;
      for (const auto& [place, value] : changes) at.emplace_back(place.c_str(), value);
      all.push_back({name, "api.Submit.SubmitJobs", submission(at), wrong, says});
    }
    expect_refused(all);
  }
};

TEST_F(submit_rules, of_the_request) {
  expect_submissions_refused({
      {"no queue", {{"/queue", ""}}, "queue: is missing"},
      {"no job set", {{"/jobSetId", ""}}, "job_set_id: is missing"},
      {"a long job set", {{"/jobSetId", std::string(1024, 's')}}, "1024 bytes"},
  });
  const auto taken =
      ask("api.Submit.SubmitJobs", submission({{"/jobRequestItems", json::array()}}));
  ASSERT_EQ(taken.size(), 3U);
  for (const auto& got : taken) EXPECT_EQ(got.code, "OK") << "no items over " << got.transport;
  expect_refused(
      {{"a queue that is not there", "api.Submit.SubmitJobs", submission({{"/queue", "nowhere"}}),
        "PERMISSION_DENIED", "queue 'nowhere' does not exist", absent},
       {"such a queue and no items", "api.Submit.SubmitJobs",
        submission({{"/queue", "nowhere"}, {"/jobRequestItems", json::array()}}),
        "PERMISSION_DENIED", "queue 'nowhere' does not exist", absent}});
}

TEST_F(submit_rules, of_gangs) {
  const auto gang = [](json more) {
    json out{{"armadaproject.io/gangId", "g"}, {"armadaproject.io/gangCardinality", "2"}};
    out.update(more);
    for (auto at = out.begin(); at != out.end();) at = at->is_null() ? out.erase(at) : ++at;
    return out;
  };
  const auto at = item + "/annotations";
  expect_submissions_refused({
      {"an empty id", {{at, gang({{"armadaproject.io/gangId", ""}})}}, "gangId\"]: is empty"},
      {"no cardinality",
       {{at, gang({{"armadaproject.io/gangCardinality", nullptr}})}},
       "gangCardinality\"]: is missing"},
      {"a cardinality that is no number",
       {{at, gang({{"armadaproject.io/gangCardinality", "two"}})}},
       "'two' is not a whole number"},
      {"a cardinality of 0",
       {{at, gang({{"armadaproject.io/gangCardinality", "0"}})}},
       "'0' is not a whole number"},
      {"failFast other than true",
       {{at, gang({{"armadaproject.io/failFast", "false"}})}},
       "'false': a gang allows only \"true\""},
  });
  const auto with_mate = [&](const json& annotations, const json& changes) {
    auto request = submission({{"/jobRequestItems/0/annotations", gang(json::object())}});
    auto mate = request["jobRequestItems"][0];
    mate["annotations"] = annotations;
    mate.merge_patch(changes);
    request["jobRequestItems"].push_back(mate);
    return request;
  };
  const std::string method = "api.Submit.SubmitJobs";
  auto three = with_mate(gang(json::object()), json::object());
  three["jobRequestItems"].push_back(three["jobRequestItems"][0]);
  expect_refused({
      {"other cardinality", method,
       with_mate(gang({{"armadaproject.io/gangCardinality", "3"}}), json::object()), wrong,
       "gang 'g': cardinality '3' differs"},
      {"other uniformity label", method,
       with_mate(gang({{"armadaproject.io/gangNodeUniformityLabel", "rack"}}), json::object()),
       wrong, "uniformity label 'rack' differs"},
      {"other priority class", method,
       with_mate(gang(json::object()),
                 {{"podSpec", {{"priorityClassName", "armada-preemptible"}}}}),
       wrong, "priority class 'armada-preemptible' differs"},
      {"more members than the cardinality", method, three, wrong, "more members than"},
  });
}

TEST_F(submit_rules, of_the_item) {
  const json ports{{"ports", {80}}};
  expect_submissions_refused({
      {"no namespace", {{item + "/namespace", ""}}, "namespace: is missing"},
      {"no pod", {{pod, nullptr}}, "has no pod spec"},
      {"two pods",
       {{item + "/podSpecs", json::array({{{"containers", json::array()}}})}},
       "has 2 pod specs"},
      {"a large pod", {{first + "/args", {std::string(70'000, 'x')}}}, "pod_spec: has 70"},
      {"preferred affinity",
       {{pod + "/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution",
         json::array({{{"weight", 1}}})}},
       "is not supported"},
      {"no terms of affinity", {{required, json::object()}}, "nodeSelectorTerms: is empty"},
      {"an operator that there is not",
       {{required,
         {{"nodeSelectorTerms",
           {{{"matchExpressions", {{{"key", "zone"}, {"operator", "Near"}}}}}}}}}},
       "'Near' is not one of In"},
      {"another priority class", {{pod + "/priorityClassName", "gold"}}, "unknown priority class"},
      {"a long grace period", {{pod + "/terminationGracePeriodSeconds", 301}}, "outside 1 to 300"},
      {"an ingress without ports",
       {{item + "/ingress", json::array({json::object()})}},
       "is empty"},
      {"a port of two ingresses",
       {{item + "/ingress", json::array({ports, ports})}},
       "port 80 is in another ingress"},
      {"a port exposed twice",
       {{first + "/ports", {{{"containerPort", 80}}, {{"containerPort", 80}}}}},
       "port 80 is exposed twice"},
      {"a long client id", {{item + "/clientId", std::string(101, 'c')}}, "101 bytes"},
      {"a price band",
       {{item + "/annotations", {{"armadaproject.io/priceBand", "Z"}}}},
       "'Z' is not a letter from A to H"},
  });
}

TEST_F(submit_rules, of_resources) {
  const auto requests = first + "/resources/requests";
  const auto limits = first + "/resources/limits";
  const auto both = [&](const char* name, const char* amount) {
    return std::vector<std::pair<std::string, json>>{{requests + "/" + name, amount},
                                                     {limits + "/" + name, amount}};
  };
  const json whole{{"cpu", "1"}, {"memory", "32Mi"}};
  expect_submissions_refused({
      {"no resources", {{first + "/resources", nullptr}}, "has neither requests nor limits"},
      {"fewer limits", {{limits + "/cpu", nullptr}}, "name different resources"},
      {"other limits",
       {{limits + "/cpu", nullptr}, {limits + "/ephemeral-storage", "1Gi"}},
       "has no limit"},
      {"a limit below", {{limits + "/cpu", "50m"}}, "below the request"},
      {"a limit above", {{limits + "/cpu", "200m"}}, "must be equal"},
      {"a negative amount", both("cpu", "-1"), "is negative"},
      {"an unknown resource", both("pears", "1"), "unknown resource 'pears'"},
      {"less than the minimum", both("memory", "1Ki"), "below the minimum 1Mi"},
      {"an init container with whole cores",
       {{pod + "/initContainers",
         json::array({{{"name", "i"},
                       {"image", "none"},
                       {"resources", {{"requests", whole}, {"limits", whole}}}}})}},
       "is a whole number of cores"},
  });
}

}  // namespace

}  // namespace argosy::testing
