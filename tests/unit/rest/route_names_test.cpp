// SPDX-License-Identifier: Apache-2.0
// Goal: whatever may stand in a name may stand in the path of a route, and what stands there is
// what the request is about. Method: every route that takes names, with names that have to be
// escaped, and with bodies that name something else.
#include <gmock/gmock.h>

#include <string>

#include "messages/codec/rest/rest_calls.hpp"

namespace argosy::codec {
namespace {

using ::testing::HasSubstr;

TEST(rest_route_table, takes_names_with_slashes_and_escapes_wherever_a_name_may_stand) {
  for (const auto& route : rest_routes()) {
    std::string path = route.pattern;
    std::size_t names = 0;
    for (auto at = path.find('{'); at != std::string::npos; at = path.find('{'), ++names)
      path.replace(at, path.find('}') - at + 1, "a%2Fb%20%25%c3%BC");
    const auto found = match_route(route.verb, path);
    ASSERT_NE(found.route, nullptr) << path;
    EXPECT_STREQ(found.route->method, route.method) << path;
    ASSERT_EQ(found.fields.size(), names) << path;
    for (const auto& [field, value] : found.fields) EXPECT_EQ(value, "a/b %\xc3\xbc") << path;
  }
  EXPECT_EQ(match_route("GET", "/v1/queue/%zz%4").fields.at(0).second, "%zz%4");
  EXPECT_EQ(match_route("GET", "/v1%2Fqueue/a").route, nullptr);
}

TEST(rest_requests, are_refused_if_path_and_body_name_two_things) {
  const auto path = match_route("PUT", "/v1/queue/a");
  const auto other = rest_request(path, R"({"name":"b","priorityFactor":2})", {});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ec::invalid_argument);
  EXPECT_THAT(other.error().detail, HasSubstr("'a' as name, and the request 'b'"));
  EXPECT_TRUE(rest_request(path, R"({"name":"a"})", {}));
  EXPECT_TRUE(rest_request(path, R"({"name":"b"})", {}, unknown_fields::passed))
      << "as Armada does";
  EXPECT_FALSE(rest_request(match_route("POST", "/v1/job-set/q/s"), R"({"queue":"r"})", {}));
  EXPECT_FALSE(rest_request(match_route("GET", "/v1/queue/a"), "", {{"name", "b"}}));
}

}  // namespace
}  // namespace argosy::codec
