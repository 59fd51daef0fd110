// SPDX-License-Identifier: Apache-2.0
// Goal: whatever may stand in a name may stand in the path of a route. Method: every route that
// takes names, with names that have to be escaped.
#include <gtest/gtest.h>

#include <string>

#include "messages/codec/rest/rest_calls.hpp"

namespace argosy::codec {
namespace {

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

}  // namespace
}  // namespace argosy::codec
