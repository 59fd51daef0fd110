// SPDX-License-Identifier: Apache-2.0
// Goal: a caller learns who he is to the server and what he may do, over every transport.
// Method: requests with the headers of the transports in the process, and over NATS' subjects.
#include <gmock/gmock.h>

#include "messages/proto/argosy/access.pb.h"
#include "runtime/bus/caller_headers.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

struct access_service : control_plane_test {
  access_service() {
    start([this](actors::root_config& config) { config.inner_connection = inner.connect(); });
    api::Queue queue;
    queue.set_name("anns");
    queue.set_priority_factor(1);
    queue.add_user_owners("ann");
    ask<google::protobuf::Empty>("Submit.CreateQueue", queue);
    as = access::make_principal({"ann", {"staff"}, {"jobs:read"}, {}, access::scheme::oidc}, {});
    as.permissions.add(access::permission::watch_all_events);
  }
  ~access_service() override { transport->close(); }

  template <class Response>
  result<Response> inside(const std::string& method, const google::protobuf::MessageLite& request) {
    const auto got = exchange_by(*transport, method, request, bus::caller_headers(as));
    if (!got) return fail(got.error());
    Response out;
    EXPECT_TRUE(out.ParseFromString(got->data));
    return out;
  }
  result<v1::CanIResponse> can(const std::string& what, const std::string& queue = {}) {
    v1::CanIRequest request;
    request.set_what(what);
    request.set_queue(queue);
    return inside<v1::CanIResponse>("Access.CanI", request);
  }

  bus::memory_broker inner;
  std::shared_ptr<bus::connection> transport = inner.connect();
  access::principal as;  ///< Who calls.
};

namespace {

TEST_F(access_service, tells_a_caller_who_he_is) {
  const auto me = inside<v1::WhoAmIResponse>("Access.WhoAmI", v1::WhoAmIRequest{}).value();
  EXPECT_EQ(me.name(), "ann");
  EXPECT_EQ(me.scheme(), "oidc");
  EXPECT_THAT(me.groups(), ElementsAre("everyone", "staff"));
  EXPECT_THAT(me.permissions(), ElementsAre("watch_all_events"));
  EXPECT_THAT(me.scopes(), ElementsAre("jobs:read"));
  as = {};
  const auto nobody = inside<v1::WhoAmIResponse>("Access.WhoAmI", v1::WhoAmIRequest{}).value();
  EXPECT_EQ(nobody.name(), "anonymous");
  EXPECT_EQ(nobody.scheme(), "anonymous");
  EXPECT_THAT(nobody.groups(), ElementsAre("everyone"));
  EXPECT_EQ(nobody.permissions_size(), 0);
}

TEST_F(access_service, tells_a_caller_of_nats_that_the_nats_server_decides) {
  const auto me = ask<v1::WhoAmIResponse>("Access.WhoAmI", v1::WhoAmIRequest{});
  EXPECT_EQ(me.scheme(), "nats");
  EXPECT_EQ(me.permissions_size(), static_cast<int>(access::permission_count));
  v1::CanIRequest request;
  request.set_what("create-queue");
  const auto answer = ask<v1::CanIResponse>("Access.CanI", request);
  EXPECT_TRUE(answer.allowed());
  EXPECT_EQ(answer.nats_role(), "operator");
  ask<v1::AsRoleResponse>("Access.AsOperator", v1::AsRoleRequest{});
}

TEST_F(access_service, tells_what_the_caller_may_do_and_why) {
  auto answer = can("submit", "anns").value();
  EXPECT_TRUE(answer.allowed());
  EXPECT_EQ(answer.reason(), "user 'ann' owns queue 'anns'");
  EXPECT_EQ(answer.nats_role(), "");
  answer = can("submit").value();
  EXPECT_FALSE(answer.allowed());
  EXPECT_THAT(answer.reason(), HasSubstr("it takes the permission submit_any_jobs"));
  answer = can("watch", "anns").value();
  EXPECT_TRUE(answer.allowed());
  EXPECT_EQ(answer.reason(), "user 'ann' has the permission watch_all_events");
  EXPECT_FALSE(can("create-queue", "no-such-queue").value().allowed());
  EXPECT_EQ(can("submit", "no-such-queue").error().code, ec::not_found);
  EXPECT_EQ(can("fly").error().code, ec::invalid_argument);
}

}  // namespace

}  // namespace argosy::tests
