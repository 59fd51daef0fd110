// SPDX-License-Identifier: Apache-2.0
// Goal: a limit of a queue that would hold nothing back, since its name is misspelt, is refused by
// every method that writes queues. Method: each of them with names that are not known.
#include <gmock/gmock.h>

#include "messages/proto/api/submit.pb.h"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::HasSubstr;

namespace {

struct limit_names : control_plane_test {
  limit_names() {
    start();
    create_queue("q");
  }
  static api::Queue queue() {
    api::Queue out;
    out.set_name("q");
    out.set_priority_factor(2);
    return out;
  }
  void expect_refused(const api::Queue& queue, const std::string& why) {
    api::QueueList list;
    *list.add_queues() = queue;
    for (const std::string service : {"Submit.", "QueueService."})
      for (const std::string verb : {"Create", "Update"}) {
        const auto alone = call(service + verb + "Queue", queue);
        ASSERT_FALSE(alone) << service + verb;
        EXPECT_EQ(alone.error().code, ec::invalid_argument);
        EXPECT_THAT(alone.error().detail, HasSubstr(why)) << service + verb;
        // Both answers of lists have the same fields.
        const auto listed = ask<api::BatchQueueCreateResponse>(service + verb + "Queues", list);
        ASSERT_EQ(listed.failed_queues_size(), 1) << service + verb;
        EXPECT_THAT(listed.failed_queues(0).error(), HasSubstr(why));
      }
    api::QueueGetRequest get;
    get.set_name("q");
    EXPECT_EQ(ask<api::Queue>("QueueService.GetQueue", get).priority_factor(), 1);
  }
};

TEST_F(limit_names, that_nobody_knows_are_refused_by_every_method) {
  auto wrong = queue();
  (*wrong.mutable_resource_limits())["cpuu"] = 0.5;
  expect_refused(wrong, "did you mean 'cpu'?");
  wrong = queue();
  (*wrong.mutable_resource_limits_by_priority_class_name())["nosuch"];
  expect_refused(wrong, "the priority class 'nosuch', which is none of armada-default");
  wrong = queue();
  wrong.add_permissions()->add_verbs("submitt");
  expect_refused(wrong, "did you mean 'submit'?");
}

}  // namespace

}  // namespace argosy::tests
