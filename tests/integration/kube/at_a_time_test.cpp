// SPDX-License-Identifier: Apache-2.0
// Goal: only so many requests are under way at a time, and all of them are answered. Method: the
// client against a server of this process.
#include <gmock/gmock.h>

#include <algorithm>
#include <mutex>
#include <semaphore>

#include "tests/integration/kube/client_fixture.hpp"

namespace argosy::kube {

namespace {

using namespace testing;
using httplib::Request;
using httplib::Response;

void path_of(const Request& from, Response& to) {
  to.set_content(from.target, "application/json");
}

TEST(kube_at_a_time, answers_many_requests) {
  fake_api_server server{path_of};
  auto options = quick_options();
  options.qps = 1e6;
  options.burst = 1e6;
  const auto client = client_of({.server = server.url()}, options);
  std::vector<std::future<result<answer>>> all;
  for (int i = 0; i < 300; ++i) all.push_back(begin(*client, {.path = "/" + std::to_string(i)}));
  for (int i = 0; i < 300; ++i) EXPECT_EQ(all[i].get()->body, "/" + std::to_string(i));
}

TEST(kube_at_a_time, begins_no_more_requests_than_it_may) {
  constexpr int all = 10;
  std::counting_semaphore<all + 1> may_end{0};
  std::mutex mutex;
  int open = 0;
  int most = 0;
  fake_api_server server{[&](const Request& from, Response& to) {
    {
      const std::lock_guard lock{mutex};
      most = std::max(most, ++open);
    }
    may_end.acquire();
    const std::lock_guard lock{mutex};
    --open;
    path_of(from, to);
  }};
  auto options = quick_options();
  options.at_a_time_max = 2;
  const auto client = client_of({.server = server.url()}, options);
  // From the first answer on the client knows that each request needs a connection of its own.
  may_end.release();
  EXPECT_EQ(asked(*client, {.path = "/first"}), "200 /first");
  std::vector<std::future<result<answer>>> answers;
  for (int i = 0; i < all; ++i)
    answers.push_back(begin(*client, {.path = "/" + std::to_string(i)}));
  for (int ended = 0; ended < all; ++ended) {
    EXPECT_TRUE(server.asked.wait_for(1 + std::min(ended + 2, all)));
    may_end.release();
  }
  for (auto& one : answers) EXPECT_TRUE(one.get());
  EXPECT_EQ(most, 2);
}

TEST(kube_at_a_time, does_not_count_a_watch) {
  fake_api_server* at = nullptr;
  fake_api_server server{[&](const Request& from, Response& to) {
    if (from.has_param("watch"))
      at->stream(to);
    else if (from.has_param("limit"))
      to.set_content(list(object("a", "1"), "5"), "application/json");
    else
      path_of(from, to);
  }};
  at = &server;
  auto options = quick_options();
  options.at_a_time_max = 1;
  const auto client = client_of({.server = server.url()}, options);
  noting_follower told;
  const auto watch = client->follow("/pods", told);
  ASSERT_TRUE(server.asked.wait_for(2));
  EXPECT_EQ(asked(*client, {.path = "/a"}), "200 /a");
}

}  // namespace

}  // namespace argosy::kube
