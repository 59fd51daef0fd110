// SPDX-License-Identifier: Apache-2.0
// Goal: a process that may not act any more changes nothing on the API server, and still sees it.
// Method: an API server that notes requests, behind the fence, and a clock that is set by hand.
#include <gtest/gtest.h>

#include <vector>

#include "runtime/kube/lease/fenced_api.hpp"

namespace argosy::kube {
namespace {

using namespace std::chrono_literals;

class noting_api final : public api {
 public:
  void ask(request what, answer_handler done) override {
    asked.push_back(std::move(what));
    done(answer{200, "{}"});
  }
  std::unique_ptr<watch> follow(std::string, follower&) override { return nullptr; }
  std::unique_ptr<watch> read(request, body_reader&) override { return nullptr; }
  std::string server() const override { return "https://one"; }

  std::vector<request> asked;
};

struct fenced_api_test : ::testing::Test {
  result<answer> ask(request what) {
    result<answer> out = fail(ec::internal, "not answered");
    fenced->ask(std::move(what), [&](result<answer> got) { out = std::move(got); });
    return out;
  }

  manual_clock clock;
  boot_time until = clock.boot() + 10s;
  std::shared_ptr<noting_api> real = std::make_shared<noting_api>();
  std::shared_ptr<api> fenced = make_fenced_api(
      real, [this] { return until; }, clock);
};

TEST_F(fenced_api_test, gives_changes_the_time_until_which_they_may_be_sent) {
  EXPECT_TRUE(ask({.verb = "POST", .path = "/p"}));
  EXPECT_TRUE(ask({.verb = "DELETE", .path = "/p", .until = clock.boot() + 1s}));
  ASSERT_EQ(real->asked.size(), 2U);
  EXPECT_EQ(real->asked[0].until, clock.boot() + 10s);
  EXPECT_EQ(real->asked[1].until, clock.boot() + 1s);
}

TEST_F(fenced_api_test, refuses_changes_from_then_on_and_lets_reading_through) {
  clock.advance(10s);
  EXPECT_EQ(ask({.verb = "POST", .path = "/p"}).error().code, ec::cancelled);
  EXPECT_EQ(ask({.verb = "DELETE", .path = "/p"}).error().code, ec::cancelled);
  EXPECT_TRUE(real->asked.empty());
  EXPECT_TRUE(ask({.path = "/p"}));
  EXPECT_EQ(real->asked[0].until, boot_time::max());
  until = clock.boot() + 1s;
  EXPECT_TRUE(ask({.verb = "POST", .path = "/p"})) << "the lease was renewed";
}

TEST_F(fenced_api_test, refuses_all_changes_of_a_replica_that_never_acted) {
  until = boot_time::min();
  EXPECT_FALSE(ask({.verb = "PATCH", .path = "/p"}));
  EXPECT_EQ(fenced->server(), "https://one");
}

}  // namespace
}  // namespace argosy::kube
