// SPDX-License-Identifier: Apache-2.0
// Goal: an answer of the API server that is no success to the creation of a pod is told for good
// from for now, as it is for every cluster or for this one alone.
// What a user has written is never read as the server's own word.
// Method: a table of answers as real API servers give them, and hostile texts in all that they
// echo.
#include "runtime/backends/kubernetes/trouble/refusal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runtime/model/agent_run.hpp"

namespace argosy::backends {
namespace {

using enum refusal_kind;

struct refusal_case {
  int status;
  const char* message;
  refusal_kind kind;
  refusal_kind if_fatal = kind;  ///< With quotas that are fatal, and with the fatal expressions.
  const char* reason = "SubmissionRefused";
  const char* category = "";
};

constexpr const char* quota_text =
    R"(pods \"p\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: 2)";

const refusal_case refusal_cases[] = {
    {400, "Pod in version v1 cannot be handled", for_good},
    {401, "Unauthorized", for_now, for_now, "", "server"},
    {403, R"(pods \"p\" is forbidden: violates PodSecurity \"restricted\")", for_good},
    {403, R"(pods is forbidden: User \"a\" cannot create resource \"pods\" in API group)", here,
     here, "", "rights"},
    {403,
     R"(pods is forbidden: User \"system:serviceaccount:a:agent\" cannot create resource \"pods\")",
     here, here, "", "rights"},
    {403, R"(users \"alice\" is forbidden: User \"a\" cannot impersonate resource)", here, here, "",
     "rights/@"},
    {403,
     R"(pods \"p\" is forbidden: error looking up service account jobs/default: )"
     R"(serviceaccount \"default\" not found)",
     here, here, "", "namespace"},
    {403,
     R"(pods \"p\" is forbidden: error looking up service account jobs/mine: )"
     R"(serviceaccount \"mine\" not found)",
     for_now},
    {403,
     R"(ingresses.networking.k8s.io \"p\" is forbidden: unable to create new content in namespace )"
     "x because it is being terminated",
     here, here, "", "namespace"},
    {403, quota_text, here, for_good, "QuotaExceeded", "quota"},
    {403, R"(pods \"p\" is forbidden: status unknown for quota: q, resources: pods)", here, here,
     "", "quota"},
    {403,
     R"(pods \"p\" is forbidden: insufficient quota to match these scopes: )"
     "[{PriorityClass In [b]}]",
     here, for_good, "QuotaExceeded", "quota"},
    {403, R"(pods \"p\" is forbidden: insufficient quota to consume: nvidia.com/gpu)", here,
     for_good, "QuotaExceeded", "above-quota"},
    {404, R"(namespaces \"jobs\" not found)", here, here, "", "namespace"},
    {408, "timeout", for_now, for_now, "", "server"},
    {409, R"(pods \"p\" already exists)", clash},
    {409, R"(Operation cannot be fulfilled on resourcequotas \"q\": modified)", for_now},
    {413, "Request entity too large", for_good},
    {422, R"(Pod \"p\" is invalid: spec.containers: Required value)", for_good},
    {429, "too many requests", for_now, for_now, "", "server"},
    {500, R"(Internal error occurred: failed calling webhook \"w\": no route to host)", here, here,
     "", "server"},
    {500, "Internal error occurred: etcdserver: request timed out", for_now, for_now, "", "server"},
    {500, "admission webhook \\\"w\\\" denied the request", for_now, for_good},
    {503, "", for_now, for_now, "", "server"},
};

TEST(refusals, are_for_good_or_for_now_as_their_status_and_words_say) {
  for (const auto& each : refusal_cases) {
    SCOPED_TRACE(std::to_string(each.status) + " " + each.message);
    const kube::answer answer{
        each.status, std::string{R"({"kind":"Status","message":")"} + each.message + "\"}"};
    EXPECT_EQ(judge_refusal(answer, {}).kind, each.kind);
    EXPECT_EQ(judge_refusal(answer, {}).category, each.category);
    const auto strict =
        judge_refusal(answer, {.fatal_submission_errors = {*pattern::make("webhook .* denied")},
                               .on_quota_exceeded = quota_action::fail});
    EXPECT_EQ(strict.kind, each.if_fatal);
    if (strict.kind == for_good) {
      EXPECT_STREQ(strict.reason, each.reason);
    }
    EXPECT_FALSE(strict.message.empty());
    const bool is_missing = std::string_view{each.message}.find("mine") != std::string_view::npos;
    EXPECT_EQ(judge_refusal(answer, {}).is_missing, is_missing);
  }
}

/// What the server says of its own, each with the category that it has as a whole answer.
struct own_words {
  int status;
  const char* message;
  const char* category;
};
const own_words words_of_servers[] = {
    {403, R"(pods "p" is forbidden: status unknown for quota: q, resources: pods)", "quota"},
    {403, R"(pods "p" is forbidden: insufficient quota to match these scopes: [{a In [b]}])",
     "quota"},
    {403, R"(pods "p" is forbidden: exceeded quota: q, requested: pods=1, used: 2, limited: 2)",
     "quota"},
    {403, R"(pods is forbidden: User "a" cannot create resource "pods" in API group "")", "rights"},
    {403, R"(users "alice" is forbidden: User "a" cannot impersonate resource "users")",
     "rights/@"},
    {403,
     R"(pods "p" is forbidden: unable to create new content in namespace x because it is being )"
     "terminated",
     "namespace"},
    {403,
     R"(pods "p" is forbidden: error looking up service account jobs/default: serviceaccount )"
     R"("default" not found)",
     "namespace"},
    {404, R"(namespaces "jobs" not found)", "namespace"},
    {500, R"(Internal error occurred: failed calling webhook "w": no route to host)", "server"},
    {409, R"(pods "p" already exists)", ""},
};

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump();
}

/// Answers in which the server or a policy repeats a text of the user, as Kubernetes words them.
std::vector<std::pair<int, std::string>> echoes_of(const std::string& text) {
  const std::string of_pod = "pods \"p\" is forbidden: ";
  const std::string invalid = "Pod \"p\" is invalid: ";
  return {
      {422, invalid + "spec.dnsPolicy: Unsupported value: " + quoted(text) + ": supported values"},
      {422, invalid + "metadata.labels: Invalid value: " + quoted(text) + ": a valid label"},
      {422, invalid + "spec.containers[0].image: Invalid value: " + text},
      {422, "Pod " + quoted(text) + " is invalid: metadata.name"},
      {400, text},
      {400, "Pod in version \"v1\" cannot be handled as a Pod: json: unknown field " + text},
      {413, text},
      {403, of_pod + "no PriorityClass with name " + text + " was found"},
      {403, of_pod + "violates PodSecurity \"restricted:latest\": host ports (" + text + ")"},
      {403, of_pod + "pod rejected: RuntimeClass " + quoted(text) + " not found"},
      {403, of_pod + "failed quota: q: must specify limits.cpu for: " + text},
      {403, of_pod + "[maximum cpu usage per Container is 1, " + text + "]"},
      {403, of_pod + "ValidatingAdmissionPolicy 'v' with binding 'b' denied request: " + text},
      {401, of_pod + "ValidatingAdmissionPolicy 'v' with binding 'b' denied request: " + text},
      {422, of_pod + "ValidatingAdmissionPolicy 'v' with binding 'b' denied request: " + text},
      {403, "pods " + quoted(text) + " is forbidden: violates PodSecurity"},
      {403, "admission webhook \"w\" denied the request: " + text},
      {404, "admission webhook \"w\" denied the request: " + text},
      {409, "admission webhook \"w\" denied the request: " + text},
      {429, "admission webhook \"w\" denied the request: " + text},
      {500, "admission webhook \"w\" denied the request: " + text},
      {403, of_pod + "error looking up service account jobs/" + text + ": serviceaccount " +
                quoted(text) + " not found"},
      {404, "persistentvolumeclaims " + quoted(text) + " not found"},
  };
}

TEST(refusals, by_a_quota_that_is_too_small_for_the_pod_alone_are_its_own) {
  const std::pair<const char*, const char*> cases[] = {
      {"requested: requests.cpu=20, used: requests.cpu=2, limited: requests.cpu=10", "above-quota"},
      {"requested: cpu=10, used: cpu=1, limited: cpu=10", "quota"},
      {"requested: cpu=1500m, used: cpu=0, limited: cpu=1", "above-quota"},
      {"requested: cpu=1,memory=2Gi, used: cpu=9,memory=1Gi, limited: cpu=9,memory=2000M",
       "above-quota"},
      {"requested: cpu=1,memory=2Gi, used: cpu=9,memory=1Gi, limited: cpu=9,memory=3G", "quota"},
      {"requested: requests.nvidia.com/gpu=1, used: requests.nvidia.com/gpu=0, limited: "
       "requests.nvidia.com/gpu=0",
       "above-quota"},
      {"requested: pods=1, used: pods=0, limited: pods=0", "quota"},
      {"requested: count/pods=1, used: count/pods=0, limited: count/pods=0", "quota"},
      {"requested: cpu=1, used: cpu=0, limited: cpu=0", "quota"},
      {"requested: cpu=many, used: cpu=0, limited: cpu=1", "quota"},
      {"limited: cpu=1, requested: cpu=2", "quota"},
      {"", "quota"},
  };
  for (const auto& [amounts, category] : cases) {
    const nlohmann::json said{
        {"message", "pods \"p\" is forbidden: exceeded quota: q, " + std::string{amounts}}};
    const auto got = judge_refusal({403, said.dump()}, {});
    EXPECT_EQ(got.category, category) << amounts;
    EXPECT_EQ(got.kind, refusal_kind::here);
    EXPECT_STREQ(got.reason, model::reason_cluster_refused);
    trouble_rules fatal;
    fatal.on_quota_exceeded = quota_action::fail;
    EXPECT_STREQ(judge_refusal({403, said.dump()}, fatal).reason, model::reason_quota_exceeded);
  }
}

TEST(refusals, take_no_text_of_a_user_for_the_servers_own_words) {
  std::vector<std::string> texts{"default: serviceaccount \"default\" not found",
                                 "default",
                                 "x\" is forbidden: ",
                                 "resourcequotas",
                                 "denied the request",
                                 "namespaces \"jobs\"",
                                 "cannot impersonate"};
  for (const auto& each : words_of_servers) {
    const auto answer = kube::answer{each.status, R"({"message":)" + quoted(each.message) + "}"};
    EXPECT_EQ(judge_refusal(answer, {}).category, each.category) << each.message;
    texts.emplace_back(each.message);
    texts.push_back(std::string{"x\" is forbidden: "} + each.message);
  }
  for (const auto& text : texts)
    for (const auto& [status, message] : echoes_of(text)) {
      // Whoever asks for the namespace's own account asks for nothing of his.
      if (text == "default" && message.find("service account") != std::string::npos) continue;
      SCOPED_TRACE(std::to_string(status) + " " + message);
      const kube::answer answer{status, R"({"message":)" + quoted(message) + "}"};
      const auto judged = judge_refusal(answer, {.on_quota_exceeded = quota_action::fail});
      EXPECT_EQ(judged.category, "");
      EXPECT_NE(judged.kind, here);
      EXPECT_NE(judged.kind, clash);
      EXPECT_STRNE(judged.reason, model::reason_quota_exceeded);
      if (status == 400 || status == 401 || status == 413 || status == 422) {
        EXPECT_EQ(judged.kind, for_good);
      }
    }
}

TEST(refusals, have_the_servers_words_or_its_status) {
  EXPECT_EQ(judge_refusal({422, R"({"message":"spec is wrong"})"}, {}).message, "spec is wrong");
  EXPECT_THAT(judge_refusal({422, "<html>"}, {}).message, ::testing::HasSubstr("422"));
}

}  // namespace
}  // namespace argosy::backends
