// SPDX-License-Identifier: Apache-2.0
// Goal: a submission that is only checked is refused as a real one would be and changes nothing,
// and a gang that no node can take for its label is told so at once. Method: requests with headers
// over the bus; the end of the log and the headers of the answers are looked at.
#include <gmock/gmock.h>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

struct submissions : control_plane_test {
  submissions() {
    start();
    create_queue("a");
    pass(3s);
  }

  /// The number of jobs that would be accepted, or the error.
  std::string checked(const api::JobSubmitRequest& request) {
    const auto end = log->info()->last_position;
    const auto reply = exchange("Submit.SubmitJobs", request, {{"argosy-mode", "check"}});
    pass(2s);
    EXPECT_EQ(log->info()->last_position, end);
    if (!reply) return reply.error().detail;
    api::JobSubmitResponse response;
    EXPECT_TRUE(response.ParseFromString(reply->data));
    EXPECT_EQ(response.job_response_items_size(), 0);
    return std::string{reply->headers.get("argosy-jobs").value_or("no number")};
  }

  /// What the answer to a gang of two under the label notes beside the ids.
  std::string note_for(const std::string& label, const bus::headers& with = {}) {
    auto request =
        make_submit("a", {.count = 2, .gang = "g" + std::to_string(++gangs), .cardinality = 2});
    for (auto& item : *request.mutable_job_request_items())
      (*item.mutable_annotations())["armadaproject.io/gangNodeUniformityLabel"] = label;
    const auto reply = exchange("Submit.SubmitJobs", request, with);
    EXPECT_TRUE(reply) << reply.error().detail;
    return reply ? bus::get_text(reply->headers, "argosy-note").value_or("") : "";
  }

  int gangs = 0;

  static model::node_info labelled(const std::string& name, const std::string& label) {
    auto node = node_of(name, 2);
    node.labels.emplace_back(label, "x");
    return node;
  }
};

TEST_F(submissions, that_are_only_checked_change_nothing) {
  EXPECT_EQ(checked(make_submit("a", {.count = 3})), "3");
  EXPECT_EQ(checked(make_submit("a", {.count = 0})), "0");
  EXPECT_THAT(jobs(), IsEmpty());
}

TEST_F(submissions, that_are_only_checked_are_refused_as_real_ones) {
  EXPECT_THAT(checked(make_submit("b")), HasSubstr("queue 'b' does not exist"));
  auto request = make_submit("a");
  request.mutable_job_request_items(0)->mutable_pod_spec()->set_priorityclassname("urgent");
  EXPECT_THAT(checked(request), HasSubstr("unknown priority class 'urgent'"));
  submit("a", {.client_id = "one"});
  EXPECT_EQ(checked(make_submit("a", {.client_id = "one"})), "0");
  EXPECT_THAT(checked(make_submit("a", {.cpu = "2", .client_id = "one"})),
              HasSubstr("was used with"));
  submit("a", {.gang = "g", .cardinality = 2});
  EXPECT_THAT(checked(make_submit("a", {.count = 2, .gang = "g", .cardinality = 2})),
              HasSubstr("more than its cardinality"));
  EXPECT_EQ(jobs().size(), 2U);
}

TEST_F(submissions, with_an_unknown_mode_are_refused) {
  const auto reply = call("Submit.SubmitJobs", make_submit("a"), {{"argosy-mode", "chekc"}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ec::invalid_argument);
  EXPECT_THAT(reply.error().detail, HasSubstr("'chekc'; it may be 'check'"));
  EXPECT_THAT(jobs(), IsEmpty());
}

TEST_F(submissions, that_wait_tell_their_place_in_the_queue) {
  const auto ids = submit("a", {.count = 3});
  pass(2s);
  std::vector<std::uint64_t> places;
  for (const auto& id : ids) places.push_back(describe(id).place_in_queue());
  EXPECT_THAT(places, ::testing::UnorderedElementsAre(1, 2, 3));
}

TEST_F(submissions, of_gangs_under_a_label_that_no_node_has_say_so) {
  EXPECT_EQ(note_for("zone"), "") << "Without any node nobody knows.";
  add_agent("c", {labelled("n", "rack")});
  pass(2s);
  EXPECT_THAT(note_for("zone"), HasSubstr("no node of any known cluster has the label 'zone'"));
  EXPECT_THAT(note_for("zone", {{"argosy-mode", "check"}}), HasSubstr("'zone'"));
  EXPECT_EQ(note_for("rack"), "");
}

}  // namespace argosy::tests
