// SPDX-License-Identifier: Apache-2.0
// Goal: the API over REST works from queue to job end with real programs, and only for whom it is
// meant. Method: curl on the second line of the ready file.
#include <gmock/gmock.h>

#include "tests/support/process/deployment_fixture.hpp"

namespace argosy::testing {

namespace {

using ::testing::HasSubstr;

class rest : public deployment_fixture {
 protected:
  /// The status and the body.
  std::pair<std::string, std::string> ask(const std::string& path,
                                          std::vector<std::string> more = {}) const {
    launch how;
    how.words = {"/usr/bin/curl",          "-sS", "--max-time", "10", "-w", "\n%{http_code}",
                 world.health_url() + path};
    how.words.insert(how.words.end(), more.begin(), more.end());
    const auto got = run(how, world.folder(), std::chrono::seconds{20});
    EXPECT_EQ(got.code, 0) << got.err;
    const auto end = got.out.rfind('\n');
    if (end == std::string::npos) return {};
    return {got.out.substr(end + 1), got.out.substr(0, end)};
  }
};

TEST_F(rest, carries_a_job_from_its_queue_to_its_end) {
  start();
  EXPECT_EQ(ask("/v1/queue", {"-d", R"({"name":"a","priorityFactor":2})"}).second, "{}");
  EXPECT_THAT(ask("/v1/queue/a").second, HasSubstr(R"({"name":"a","priorityFactor":2,)"));
  const auto submitted = ask("/v1/job/submit", {"-d", R"({"queue":"a","jobSetId":"s",
      "jobRequestItems":[{"namespace":"default","podSpec":{"containers":[{"name":"c",
      "image":"none","command":["true"],"resources":{
        "requests":{"cpu":"100m","memory":"32Mi"},
        "limits":{"cpu":"100m","memory":"32Mi"}}}]}}]})"});
  EXPECT_EQ(submitted.first, "200") << submitted.second;
  EXPECT_THAT(submitted.second, HasSubstr(R"({"jobResponseItems":[{"jobId":")"));
  // The stream ends by its own time, after the end of the job.
  const auto events =
      ask("/v1/job-set/a/s", {"-d", R"({"watch":true})", "-H", "Grpc-Timeout: 4S"}).second;
  EXPECT_THAT(events, HasSubstr(R"("message":{"submitted":{)"));
  EXPECT_THAT(events, HasSubstr(R"("message":{"succeeded":{)"));
  EXPECT_THAT(events, HasSubstr(R"({"error":{"grpc_code":4)"));
  EXPECT_THAT(ask("/v1/batched/queues").second, HasSubstr(R"({"result":{"Event":{"end":{}}}})"));
  const auto found = ask("/api/v1/jobs", {"-d", R"({"order":{"field":"jobId","direction":"DESC"},
      "filters":[{"field":"state","value":["SUCCEEDED"],"match":"anyOf"},
                 {"field":"cpu","value":100,"match":"exact"}]})"});
  EXPECT_EQ(found.first, "200") << found.second;
  EXPECT_THAT(found.second, HasSubstr(R"("jobSet":"s","cpu":100,"memory":33554432)"));
  EXPECT_THAT(found.second, HasSubstr(R"("jobRunState":"RUN_SUCCEEDED","exitCode":0)"));
  EXPECT_EQ(ask("/api/v1/jobs").first, "405");
  EXPECT_EQ(ask("/api/v1/jobs", {"-d", "{}"}).first, "400");
  EXPECT_EQ(ask("/v1/queue/absent").first, "404");
  EXPECT_THAT(ask("/swagger.json").second, HasSubstr("/v1/job/submit"));
}

TEST_F(rest, refuses_pages_of_browsers_and_bodies_that_are_none) {
  start();
  EXPECT_EQ(ask("/v1/queue/a", {"-H", "Host: evil.example.com"}).first, "403");
  EXPECT_EQ(ask("/v1/queue", {"-H", "Origin: https://evil.example.com", "-d", "{}"}).first, "403");
  EXPECT_EQ(ask("/v1/queue", {"-d", std::string(10'000, '[')}).first, "400");
  EXPECT_EQ(ask("/v1/queue", {"-d", "{\"name\":"}).first, "400");
  EXPECT_EQ(ask("/v1/queue/a", {"-X", "PATCH"}).first, "405");
  EXPECT_EQ(ask("/v1/queue/a", {"-H", "Authorization: Bearer x"}).first, "401");
  EXPECT_EQ(ask("/livez").first, "200");
}

}  // namespace

}  // namespace argosy::testing
