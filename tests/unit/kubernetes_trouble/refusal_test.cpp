// SPDX-License-Identifier: Apache-2.0
// Goal: an answer of the API server that is no success to the creation of a pod is told for good
// from for now, as it is for every cluster or for this one alone.
// Method: a table of answers as real API servers give them.
#include "runtime/backends/kubernetes/trouble/refusal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
    {403, R"(User \"a\" cannot create resource \"pods\" in API group)", here, here, "", "rights"},
    {403, R"(User \"system:serviceaccount:a:agent\" cannot create resource \"pods\" in API group)",
     here, here, "", "rights"},
    {403, R"(users \"alice\" is forbidden: User \"a\" cannot impersonate resource)", here, here, "",
     "rights"},
    {403, R"(error looking up service account jobs/default: serviceaccount \"default\" not found)",
     here, here, "", "namespace"},
    {403, R"(error looking up service account jobs/mine: serviceaccount \"mine\" not found)",
     for_now},
    {403, "unable to create new content in namespace x because it is being terminated", here, here,
     "", "namespace"},
    {403, quota_text, here, for_good, "QuotaExceeded", "quota"},
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
    EXPECT_STREQ(judge_refusal(answer, {}).category, each.category);
    const auto strict = judge_refusal(answer, {{*pattern::make("webhook .* denied")}, true});
    EXPECT_EQ(strict.kind, each.if_fatal);
    if (strict.kind == for_good) {
      EXPECT_STREQ(strict.reason, each.reason);
    }
    EXPECT_FALSE(strict.message.empty());
  }
}

TEST(refusals, have_the_servers_words_or_its_status) {
  EXPECT_EQ(judge_refusal({422, R"({"message":"spec is wrong"})"}, {}).message, "spec is wrong");
  EXPECT_THAT(judge_refusal({422, "<html>"}, {}).message, ::testing::HasSubstr("422"));
}

}  // namespace
}  // namespace argosy::backends
