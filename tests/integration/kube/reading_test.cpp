// SPDX-License-Identifier: Apache-2.0
// Goal: an answer that is read as it comes is told piece by piece, whatever its length, and is told
// no more once nobody wants it. Method: the client against servers of this process.
#include <gmock/gmock.h>

#include <condition_variable>
#include <mutex>

#include "tests/integration/kube/client_fixture.hpp"
#include "tests/support/kube/cluster_server.hpp"

namespace argosy::kube {

namespace {

using namespace testing;
using httplib::Request;
using httplib::Response;

class noting_reader final : public body_reader {
 public:
  bool came(std::string_view bytes) override {
    const std::lock_guard lock{mutex_};
    text_ += bytes;
    changed_.notify_all();
    return text_.size() < enough;
  }
  void ended(result<answer> how) override {
    const std::lock_guard lock{mutex_};
    end_ = how ? std::to_string(how->status) + " " + how->body : to_string(how.error());
    changed_.notify_all();
  }
  /// What came, once it has this part.
  std::string text_with(const std::string& part) {
    std::unique_lock lock{mutex_};
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds{20},
                                  [&] { return text_.find(part) != std::string::npos; }))
        << "there is no " << part;
    return text_;
  }
  std::string end() {
    std::unique_lock lock{mutex_};
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds{20}, [&] { return !end_.empty(); }));
    return end_;
  }
  std::size_t size() {
    const std::lock_guard lock{mutex_};
    return text_.size();
  }

  std::size_t enough = std::size_t{1} << 40;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  std::string end_;
};

TEST(kube_reading, tells_a_long_answer_and_its_end) {
  fake_api_server server{[](const Request&, Response& to) {
    to.set_content(std::string(30u << 20, 'x') + "last", "text/plain");
  }};
  const auto client = client_of({.server = server.url()});
  noting_reader reader;
  const auto reading = client->read({.path = "/log"}, reader);
  EXPECT_EQ(reader.end(), "200 ");
  EXPECT_EQ(reader.text_with("last").size(), (30u << 20) + 4);
}

TEST(kube_reading, tells_what_is_wrong_with_its_words) {
  fake_api_server server{[](const Request&, Response& to) {
    to.status = 400;
    to.set_content("not yet", "text/plain");
  }};
  const auto client = client_of({.server = server.url()});
  noting_reader reader;
  const auto reading = client->read({.path = "/log"}, reader);
  EXPECT_EQ(reader.end(), "400 not yet");
  noting_reader other;
  const auto odd = client->read({.path = "log"}, other);
  EXPECT_THAT(other.end(), HasSubstr("'log'"));
  EXPECT_EQ(other.size(), 0u);
}

TEST(kube_reading, ends_when_no_more_is_wanted) {
  fake_api_server server{[](const Request&, Response& to) {
    to.set_content(std::string(8u << 20, 'x'), "text/plain");
  }};
  const auto client = client_of({.server = server.url()});
  noting_reader reader;
  reader.enough = 1;
  auto reading = client->read({.path = "/log"}, reader);
  static_cast<void>(reader.text_with("x"));
  reading.reset();
  noting_reader other;
  const auto next = client->read({.path = "/log"}, other);
  EXPECT_EQ(other.end(), "200 ");
  EXPECT_LT(reader.size(), 8u << 20);
}

void follow_over_rotation(argosy::testing::log_follow follow) {
  argosy::testing::virtual_cluster cluster;
  argosy::testing::cluster_server server{cluster};
  cluster.add_node("n");
  cluster.put(
      "pods",
      {{"metadata", {{"namespace", "jobs"}, {"name", "p"}}},
       {"spec",
        {{"nodeName", "n"},
         {"containers", {{{"name", "main"}, {"command", {"sh", "-c", "echo one; sleep 9"}}}}}}},
       {"status", {{"phase", "Pending"}}}});
  cluster.set_kubelet(true);
  cluster.set_log_rotation(8, follow);
  const auto client = client_of({.server = "http://127.0.0.1:" + std::to_string(server.port())});
  noting_reader reader;
  const auto reading = client->read(
      {.path = "/api/v1/namespaces/jobs/pods/p/log?timestamps=true&follow=true"}, reader);
  static_cast<void>(reader.text_with("Z one\n"));
  cluster.print("jobs", "p", "two\nthree\n");
  static_cast<void>(reader.text_with("Z three\n"));
  cluster.print("jobs", "p", "four\n");
  if (follow == argosy::testing::log_follow::ends) {
    EXPECT_EQ(reader.end(), "200 ");
    return;
  }
  EXPECT_THAT(reader.text_with("Z four\n"), ::testing::EndsWith("Z four\n"));
  cluster.finish("jobs", "p", 0);
  EXPECT_EQ(reader.end(), "200 ");
}

TEST(kube_reading, follows_an_output_until_it_is_rotated) {
  follow_over_rotation(argosy::testing::log_follow::ends);
}

TEST(kube_reading, follows_an_output_over_rotation) {
  follow_over_rotation(argosy::testing::log_follow::goes_on);
}

}  // namespace

}  // namespace argosy::kube
