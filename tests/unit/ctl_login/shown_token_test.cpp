// SPDX-License-Identifier: Apache-2.0
// Goal: each call shows the token that there is at its time, under the subjects of a tenant if he
// is one, and nobody is called without it. Method: a server on the bus in memory.
#include <gtest/gtest.h>

#include <future>

#include "bins/argosyctl/client/bus_client.hpp"
#include "runtime/bus/caller_headers.hpp"
#include "runtime/bus/in_memory.hpp"

namespace argosy::ctl {

namespace {

using namespace std::chrono_literals;

TEST(shown_token, goes_with_each_call_and_without_one_nobody_is_called) {
  bus::memory_broker broker{{.max_payload = 64u << 10, .manual_time = false}};
  const auto server = broker.connect();
  std::vector<std::string> shown;
  const auto served =
      server->serve("argosy.api.ann.tenant.Query.ListJobs", [&](const bus::frame& request) {
        shown.emplace_back(request.headers.get(bus::proof_header).value_or("none"));
        ASSERT_TRUE(server->respond(request, "answer"));
      });
  ASSERT_TRUE(served);
  result<std::string> token = std::string{"abc"};
  bus_client_options options{5s, "argosyctl get", {}, "ann"};
  options.tenant = true;
  options.token = [&] { return token; };
  const auto connection = broker.connect();
  bus_client asking{connection, options};
  EXPECT_TRUE(asking.call("Query.ListJobs", "x", repeatable::no));
  token = std::string{"def"};
  std::promise<bool> done;
  asking.start("Query.ListJobs", "x", [&](const auto& got) { done.set_value(got.has_value()); });
  EXPECT_TRUE(done.get_future().get());
  EXPECT_EQ(shown, (std::vector<std::string>{"Bearer abc", "Bearer def"}));
  token = fail(ec::denied, "log in again");
  EXPECT_EQ(asking.call("Query.ListJobs", "x", repeatable::yes).error().detail, "log in again");
  EXPECT_FALSE(asking.open("Event.Watch", "x"));
  EXPECT_EQ(shown.size(), 2U);
  connection->close();
  server->close();
}

}  // namespace

}  // namespace argosy::ctl
