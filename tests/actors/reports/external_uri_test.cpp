// SPDX-License-Identifier: Apache-2.0
// Goal: whoever knows a job by a URI of his own finds its state, and nobody else's job. Method: a
// control plane in virtual time.
#include <gmock/gmock.h>

#include "messages/proto/api/job.pb.h"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

struct external_uris : control_plane_test {
  external_uris() {
    start();
    create_queue("a");
    create_queue("b");
  }

  /// Submits one job with a URI in the field, or else in the annotation.
  std::string submit_with(const std::string& queue, const std::string& uri, bool in_field = true,
                          const std::string& job_set = "set") {
    auto request = make_submit(queue, {.job_set = job_set});
    auto& item = *request.mutable_job_request_items(0);
    if (in_field)
      item.set_external_job_uri(uri);
    else
      (*item.mutable_annotations())["armadaproject.io/externalJobUri"] = uri;
    return ask<api::JobSubmitResponse>("Submit.SubmitJobs", request).job_response_items(0).job_id();
  }
  static api::JobStatusUsingExternalJobUriRequest wish(const std::string& queue,
                                                       const std::string& job_set,
                                                       const std::string& uri) {
    api::JobStatusUsingExternalJobUriRequest request;
    request.set_queue(queue);
    request.set_jobset(job_set);
    request.set_external_job_uri(uri);
    return request;
  }
  std::map<std::string, int> states(const std::string& queue, const std::string& job_set,
                                    const std::string& uri) {
    const auto response = ask<api::JobStatusResponse>("Jobs.GetJobStatusUsingExternalJobUri",
                                                      wish(queue, job_set, uri));
    return {response.job_states().begin(), response.job_states().end()};
  }
};

namespace {

TEST_F(external_uris, name_exactly_the_jobs_of_a_queue_and_job_set) {
  const auto in_field = submit_with("a", "x://1");
  const auto in_annotation = submit_with("a", "x://1", false);
  const auto other = submit_with("a", "x://12");
  const auto elsewhere = submit_with("b", "x://1");
  const auto other_set = submit_with("a", "x://1", true, "set2");
  submit("a");
  EXPECT_THAT(states("a", "set", "x://1"),
              UnorderedElementsAre(Pair(in_field, api::QUEUED), Pair(in_annotation, api::QUEUED)));
  EXPECT_THAT(states("a", "set", "x://12"), ElementsAre(Pair(other, api::QUEUED)));
  EXPECT_THAT(states("b", "set", "x://1"), ElementsAre(Pair(elsewhere, api::QUEUED)));
  EXPECT_THAT(states("a", "set2", "x://1"), ElementsAre(Pair(other_set, api::QUEUED)));
}

TEST_F(external_uris, that_are_not_there_name_nothing) {
  submit_with("a", "x://1");
  EXPECT_THAT(states("a", "set", "x://"), IsEmpty());
  EXPECT_THAT(states("a", "other", "x://1"), IsEmpty());
  EXPECT_THAT(states("nowhere", "set", "x://1"), IsEmpty());
  EXPECT_THAT(states("", "set", "x://1"), IsEmpty());
  EXPECT_THAT(states("a", "", "x://1"), IsEmpty());
}

TEST_F(external_uris, must_not_be_empty) {
  const auto reply = call("Jobs.GetJobStatusUsingExternalJobUri", wish("a", "set", ""));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ec::invalid_argument);
}

}  // namespace
}  // namespace argosy::tests
