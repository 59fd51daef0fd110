// SPDX-License-Identifier: Apache-2.0
// Goal: who follows a collection is told of all that happens to it, whatever happens to the server
// and its connections. Method: the client against a server of this process, which lists and watches
// as a test says.
#include <gmock/gmock.h>

#include <atomic>
#include <deque>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "tests/integration/kube/client_fixture.hpp"
#include "tests/support/proxy/tcp_proxy.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::kube {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace testing;
using namespace std::chrono_literals;
using httplib::Request;
using httplib::Response;

/// A server of one collection. Answers to lists are given in turn, the last one again and again;
/// watches are streams, which are kept for the test.
class kube_following : public ::testing::Test {
 protected:
  struct list_answer {
    std::string body;
    int status = 200;
  };
  using stream = std::shared_ptr<answer_stream>;

  void answer(const Request& from, Response& to) {
    if (from.has_param("watch")) {
      const int status = watch_status;
      if (status == 200) {
        watches.add(server.stream(to));
      } else {
        to.status = status;
        watches.add(nullptr);
      }
      return;
    }
    const std::lock_guard lock{mutex};
    to.status = lists.front().status;
    to.set_content(lists.front().body, "application/json");
    if (lists.size() > 1) lists.pop_front();
  }

  std::unique_ptr<watch> follow(const https_options& options = quick_options()) {
    client = client_of({.server = server.url()}, options);
    return client->follow("/pods", to);
  }

  /// The watch that the client opened as the n-th, from 1 on.
  stream watch_number(std::size_t n) {
    EXPECT_TRUE(watches.wait_for(n));
    return watches.values().at(n - 1);
  }
  /// What the follower was told, once it was told so much.
  std::vector<std::string> told(std::size_t count) {
    EXPECT_TRUE(to.told.wait_for(count));
    return to.told.values();
  }
  std::vector<std::string> versions_watched() {
    std::vector<std::string> out;
    for (const auto& one : server.asked.values())
      if (one.has_param("watch")) out.push_back(one.get_param_value("resourceVersion"));
    return out;
  }

  std::mutex mutex;
  std::deque<list_answer> lists{{list(object("a", "5"), "10")}};
  std::atomic<int> watch_status = 200;
  argosy::testing::collector<stream> watches;
  fake_api_server server{
      [this](const Request& from, Response& answer_to) { answer(from, answer_to); }};
  noting_follower to;
  std::unique_ptr<api> client;
};

TEST_F(kube_following, lists_in_pages_and_watches) {
  lists = {{list(object("a", "1") + "," + object("b", "2"), "10", "rest")},
           {list(object("c", "3"), "10")}};
  const auto watching = follow();
  const auto first = watch_number(1);
  first->write(event("ADDED", object("d", "11")));
  EXPECT_THAT(told(2), ElementsAre("listed a b c", "added d"));
  const auto text = event("MODIFIED", object("d", "12"));
  first->write(text.substr(0, 20));
  first->write(text.substr(20) + event("DELETED", object("a", "13")));
  EXPECT_THAT(told(4), ElementsAre("listed a b c", "added d", "modified d", "deleted a"));
  EXPECT_EQ(server.asked.values()[1].target, "/pods?limit=2&continue=rest");
}

TEST_F(kube_following, tells_of_its_requests_and_that_the_server_speaks) {
  lists = {{"{}", 403}, {list(object("a", "5"), "10")}};
  const auto watching = follow();
  const auto first = watch_number(1);
  ASSERT_TRUE(to.exchanges.wait_for(8));
  first->write(event("BOOKMARK", object("", "11")));
  ASSERT_TRUE(to.exchanges.wait_for(9));
  first->write(event("ERROR", R"({"code":410,"message":"too old"})"));
  ASSERT_TRUE(to.exchanges.wait_for(16));
  watch_number(2)->cut();
  ASSERT_TRUE(to.exchanges.wait_for(17));
  auto all = to.exchanges.values();
  all.resize(17);
  EXPECT_THAT(all, ElementsAre("list", "list 403", "list", "list 200", "heard", "watch",
                               "watch 200", "heard", "heard", "watch 410", "list", "list 200",
                               "heard", "watch", "watch 200", "heard", "watch failed"));
}

TEST_F(kube_following, resumes_a_watch_that_ended_or_was_cut) {
  const auto watching = follow();
  watch_number(1)->write(event("BOOKMARK", object("", "20")));
  watch_number(1)->end();
  watch_number(2)->write(event("ADDED", object("b", "21")));
  watch_number(2)->cut();
  watch_number(3)->write(event("ADDED", object("c", "22")));
  EXPECT_THAT(told(3), ElementsAre("listed a", "added b", "added c"));
  EXPECT_THAT(versions_watched(), ElementsAre("10", "20", "21"));
}

TEST_F(kube_following, lists_anew_when_its_version_is_too_old) {
  lists.push_back({list(object("b", "30"), "30")});
  const auto watching = follow();
  watch_number(1)->write(event("ERROR", R"({"code":410,"message":"too old"})"));
  EXPECT_THAT(told(2), ElementsAre("listed a", "listed b"));
  static_cast<void>(watch_number(2));
  watch_status = 410;
  watch_number(2)->write(event("BOOKMARK", object("", "31")));
  watch_number(2)->cut();
  EXPECT_THAT(told(3), ElementsAre("listed a", "listed b", "listed b"));
}

TEST_F(kube_following, tells_once_that_the_server_fails_and_goes_on_by_itself) {
  lists = {{R"({"message":"etcd is away"})", 500}, {"", 500}, {"", 429}, {list("", "10")}};
  const auto watching = follow();
  EXPECT_THAT(told(2), ElementsAre("interrupted: unreachable: '/pods' cannot be listed: the API "
                                   "server answers 500 (etcd is away)",
                                   "listed"));
  static_cast<void>(watch_number(1));
  watch_status = 503;
  watch_number(1)->cut();
  ASSERT_TRUE(watches.wait_for(4));
  watch_status = 200;
  EXPECT_THAT(told(3).back(), StartsWith("interrupted: unreachable: '/pods' cannot be watched"));
}

TEST_F(kube_following, goes_over_to_the_server_that_a_changed_file_names) {
  fake_api_server other{[](const Request& from, Response& to) {
    to.status = from.has_param("watch") ? 503 : 200;
    to.set_content(list(object("b", "6"), "30"), "application/json");
  }};
  const argosy::testing::temp_folder folder;
  const auto file = (folder.path() / "kubeconfig").string();
  const auto name = [&](const std::string& url) {
    std::ofstream{file + ".new"} << url;
    std::filesystem::rename(file + ".new", file);
  };
  name(server.url());
  const auto read = [file]() -> result<cluster_access> {
    cluster_access out;
    std::ifstream{file} >> out.server;
    return out;
  };
  client = client_of(*read(), quick_options(), {{file}, read});
  const auto watching = client->follow("/pods", to);
  static_cast<void>(watch_number(1));
  name(other.url());
  // The request that finds it out is not sent if it is only for the old one.
  EXPECT_EQ(asked(*client, {.verb = "POST", .path = "/pods", .body = "{}", .server = server.url()}),
            "unreachable: another server is asked by now");
  EXPECT_EQ(told(3)[1], "interrupted: unreachable: the server is " + other.url() + " now");
  EXPECT_EQ(told(3)[2], "listed b");
  EXPECT_EQ(client->server(), other.url());
  for (const auto& each : other.asked.values()) EXPECT_EQ(each.method, "GET");
}

TEST_F(kube_following, cuts_a_watch_that_is_silent) {
  auto options = quick_options();
  options.watch_silence_max = 20ms;
  options.follows.watch_min = 1ms;
  const auto watching = follow(options);
  static_cast<void>(watch_number(3));
  EXPECT_THAT(told(1), ElementsAre("listed a"));
  EXPECT_EQ(versions_watched()[1], "10");
}

TEST_F(kube_following, refuses_a_line_that_is_too_long) {
  auto options = quick_options();
  options.follows.line_bytes_max = 1'000;
  const auto watching = follow(options);
  watch_number(1)->write(std::string(1'001, 'x'));
  EXPECT_THAT(told(3),
              ElementsAre("listed a", HasSubstr("a line has more than 1000 bytes"), "listed a"));
}

TEST_F(kube_following, survives_a_server_that_is_not_there_yet) {
  auto options = quick_options();
  client = client_of({.server = "http://127.0.0.1:1"}, options);
  const auto watching = client->follow("/pods", to);
  EXPECT_THAT(told(1)[0], StartsWith("interrupted: unreachable: '/pods' cannot be listed: "
                                     "http://127.0.0.1:1 cannot be reached"));
}

TEST_F(kube_following, asks_for_all_collections_once_one_of_them_is_answered) {
  const auto colon = server.url().rfind(':');
  argosy::testing::tcp_proxy link{std::stoi(server.url().substr(colon + 1))};
  link.set({.accepts = false});
  auto options = quick_options();
  options.follows.waits = {.first = 1h, .most = 1h};
  options.follows.away_most = 1h;
  client = client_of({.server = "http://127.0.0.1:" + std::to_string(link.port())}, options);
  const auto watching = client->follow("/pods", to);
  EXPECT_THAT(told(1)[0], StartsWith("interrupted: unreachable"));
  link.set({});
  noting_follower other;
  const auto another = client->follow("/nodes", other);
  EXPECT_THAT(told(2).back(), "listed a") << "it does not wait for an hour";
}

TEST_F(kube_following, tells_nothing_after_the_watch_was_destroyed) {
  auto watching = follow();
  const auto first = watch_number(1);
  EXPECT_THAT(told(1), ElementsAre("listed a"));
  watching.reset();
  first->write(event("ADDED", object("b", "11")));
  // The connection of the first watch is closed by the time the server is asked for another one.
  noting_follower other;
  const auto again = client->follow("/pods", other);
  static_cast<void>(watch_number(2));
  EXPECT_THAT(told(1), ElementsAre("listed a"));
}

TEST_F(kube_following, may_be_ended_from_within_a_call) {
  std::unique_ptr<watch> watching;
  std::promise<void> ready;
  std::promise<void> done;
  to.then = [&] {
    ready.get_future().wait();
    watching.reset();
    done.set_value();
  };
  watching = follow();
  ready.set_value();
  done.get_future().wait();
  EXPECT_THAT(told(1), ElementsAre("listed a"));
}

TEST_F(kube_following, waits_for_a_running_call_when_it_is_ended) {
  std::promise<void> entered;
  std::promise<void> leave;
  std::atomic<bool> left = false;
  to.then = [&] {
    entered.set_value();
    leave.get_future().wait();
    left = true;
  };
  auto watching = follow();
  entered.get_future().wait();
  auto ended = std::async(std::launch::async, [&] {
    watching.reset();
    return left.load();
  });
  leave.set_value();
  EXPECT_TRUE(ended.get());
}

TEST_F(kube_following, may_outlive_its_client) {
  const auto watching = follow();
  static_cast<void>(watch_number(1));
  client.reset();
  EXPECT_THAT(told(1), ElementsAre("listed a"));
}

}  // namespace

}  // namespace argosy::kube
