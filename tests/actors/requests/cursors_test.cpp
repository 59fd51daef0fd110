// SPDX-License-Identifier: Apache-2.0
// Goal: a cursor goes on with the list that gave it, and every other list refuses it. Method: all
// methods whose request has a cursor are found by their descriptors, and given one of another.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>

#include "messages/codec/api/method_list.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::HasSubstr;

namespace {

struct cursors : control_plane_test {
  cursors() {
    start();
    for (const auto* name : {"a", "b", "c"}) create_queue(name);
  }
  v1::ListQueuesResponse queues(const std::string& cursor) {
    v1::ListQueuesRequest request;
    request.set_limit(1);
    request.set_cursor(cursor);
    return ask<v1::ListQueuesResponse>("Query.ListQueues", request);
  }
};

TEST_F(cursors, of_one_list_are_refused_by_all_others) {
  const auto cursor = queues({}).cursor();
  ASSERT_FALSE(cursor.empty());
  EXPECT_EQ(queues(cursor).queues(0).queue().name(), "b");
  int looked = 0;
  for (const auto& method : codec::api_methods()) {
    const auto request = request_of(method);
    const auto* const field = request->GetDescriptor()->FindFieldByName("cursor");
    if (field == nullptr || method.name == "Query.ListQueues") continue;
    request->GetReflection()->SetString(request.get(), field, cursor);
    const auto got = call(method.name, *request);
    ASSERT_FALSE(got) << method.name;
    EXPECT_EQ(got.error().code, ec::invalid_argument) << method.name;
    EXPECT_THAT(got.error().detail, HasSubstr("is not from an answer of " + method.name));
    ++looked;
  }
  EXPECT_GE(looked, 5);
}

}  // namespace

}  // namespace argosy::tests
